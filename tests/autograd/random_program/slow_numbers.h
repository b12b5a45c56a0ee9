// The slow interpreter's numbers: one scalar at a time, with a tape, in long double. It shares no kernel and no
// gradient with heed, so that an error of one is not an error of the other.
//
//   Dual   v + d e with e^2 = 0: a value and its derivative along one direction
//   Real   an entry of the tape: a Dual value, at most two parents, and the partial derivatives towards them
//
// The tape is walked backward for gradients. Since its numbers are dual, the same walk also gives the product of the
// Hessian with the direction ("forward over reverse": Pearlmutter, Neural Computation 6, 1994).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace slow {

using Number = long double;

struct Dual {
  Number v = 0, d = 0;
};
inline Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
inline Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
inline Dual operator-(Dual a) { return {-a.v, -a.d}; }
inline Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
inline Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
inline Dual operator*(Number s, Dual a) { return {s * a.v, s * a.d}; }
inline Dual constant(Number v) { return {v, 0}; }
inline Dual exp(Dual x) { return {std::exp(x.v), std::exp(x.v) * x.d}; }
inline Dual log(Dual x) { return {std::log(x.v), x.d / x.v}; }
inline Dual sqrt(Dual x) { return {std::sqrt(x.v), x.d / (2 * std::sqrt(x.v))}; }
inline Dual sin(Dual x) { return {std::sin(x.v), std::cos(x.v) * x.d}; }
inline Dual cos(Dual x) { return {std::cos(x.v), -std::sin(x.v) * x.d}; }
inline Dual tanh(Dual x) { return {std::tanh(x.v), (1 - std::tanh(x.v) * std::tanh(x.v)) * x.d}; }
// x^p for a fixed p. The derivative of a power that is constant is 0, not 0 times infinity.
inline Dual pow(Dual x, Number p) {
  return {std::pow(x.v, p), p == 0 || x.d == 0 ? 0 : p * std::pow(x.v, p - 1) * x.d};
}

class Tape {
 public:
  struct Entry {
    Dual value = {};
    int a = -1, b = -1;     // parents; -1: none
    Dual da = {}, db = {};  // d value / d parent
    Number hook = 1;        // the gradient that arrives is multiplied by it
  };
  std::vector<Entry> entries;
  // How near the decisive quantities came to a corner (where two slopes meet) and to a pole (a division by 0).
  Number corner = INFINITY, pole = INFINITY;

  int push(const Entry& e) {
    entries.push_back(e);
    return static_cast<int>(entries.size()) - 1;
  }
  static Tape*& current() {
    thread_local Tape* tape = nullptr;
    return tape;
  }
};

// A scalar on the current tape.
struct Real {
  int at = -1;
  Real() = default;
  Real(Number constant)
      : at(Tape::current()->push({.value = {constant, 0}})) {}  // NOLINT: 1 is a Real where one is due
  Real(const Tape::Entry& e) : at(Tape::current()->push(e)) {}  // NOLINT
  const Dual& dual() const { return Tape::current()->entries[static_cast<size_t>(at)].value; }
  Number v() const { return dual().v; }
};
inline Real unary(Real x, Dual y, Dual slope) { return Tape::Entry{.value = y, .a = x.at, .da = slope}; }
inline Real binary(Real a, Real b, Dual y, Dual da, Dual db) {
  return Tape::Entry{.value = y, .a = a.at, .b = b.at, .da = da, .db = db};
}

inline Real operator+(Real a, Real b) { return binary(a, b, a.dual() + b.dual(), constant(1), constant(1)); }
inline Real operator-(Real a, Real b) { return binary(a, b, a.dual() - b.dual(), constant(1), constant(-1)); }
inline Real operator*(Real a, Real b) { return binary(a, b, a.dual() * b.dual(), b.dual(), a.dual()); }
inline Real operator/(Real a, Real b) {
  Dual x = a.dual(), y = b.dual();
  Tape::current()->pole = std::min(Tape::current()->pole, std::fabs(y.v));
  return binary(a, b, x / y, constant(1) / y, -(x / y) / y);
}
inline Real operator-(Real x) { return unary(x, -x.dual(), constant(-1)); }
inline Real copy(Real x) { return unary(x, x.dual(), constant(1)); }
inline Real constant_of(Real x) { return {x.v()}; }  // the value alone: nothing flows back

// What a comparison decides is right only while it is not near.
inline bool less(Real a, Real b) {
  Number gap = std::fabs(a.v() - b.v());
  Tape::current()->corner = std::min(Tape::current()->corner, gap);
  return a.v() < b.v();
}

inline Real exp(Real x) { return unary(x, exp(x.dual()), exp(x.dual())); }
inline Real log(Real x) {
  Tape::current()->pole = std::min(Tape::current()->pole, x.v());
  return unary(x, log(x.dual()), constant(1) / x.dual());
}
inline Real sqrt(Real x) {
  Tape::current()->pole = std::min(Tape::current()->pole, x.v());
  return unary(x, sqrt(x.dual()), constant(0.5) / sqrt(x.dual()));
}
inline Real sin(Real x) { return unary(x, sin(x.dual()), cos(x.dual())); }
inline Real cos(Real x) { return unary(x, cos(x.dual()), -sin(x.dual())); }
inline Real tanh(Real x) {
  Dual y = tanh(x.dual());
  return unary(x, y, constant(1) - y * y);
}
inline Real erf(Real x) {
  Dual slope = 2 / std::sqrt(std::acos(Number{-1})) * exp(-(x.dual() * x.dual()));
  return unary(x, {std::erf(x.v()), slope.v * x.dual().d}, slope);
}
inline Real expm1(Real x) { return unary(x, {std::expm1(x.v()), exp(x.dual()).d}, exp(x.dual())); }
inline Real log1p(Real x) {
  Dual above = constant(1) + x.dual();
  Tape::current()->pole = std::min(Tape::current()->pole, above.v);
  return unary(x, {std::log1p(x.v()), x.dual().d / above.v}, constant(1) / above);
}
inline Real pow(Real x, Number p) {
  if (p < 2 && p != 0 && p != 1) Tape::current()->pole = std::min(Tape::current()->pole, std::fabs(x.v()));
  return unary(x, pow(x.dual(), p), p == 0 ? Dual{} : p * pow(x.dual(), p - 1));
}
inline Real abs(Real x) { return less(x, 0) ? -x : copy(x); }
inline Real larger(Real a, Real b) { return less(a, b) ? b : a; }
inline Real smaller(Real a, Real b) { return less(a, b) ? a : b; }
// 1 / (1 + e^-x) without overflow on either side.
inline Real sigmoid(Real x) { return x.v() > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); }
inline Real softplus(Real x) { return x.v() > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }  // log(1 + e^x)

// What reaches each entry of the tape from the seeds: dL/dentry, its derivative along the direction, and the sum of
// the sizes of all terms, by which rounding errors are measured.
struct Adjoint {
  Dual g;
  Number size = 0, size_d = 0;
};
inline std::vector<Adjoint> walk_back(const Tape& tape, const std::vector<std::pair<int, Number>>& seeds) {
  std::vector<Adjoint> all(tape.entries.size());
  for (auto [at, seed] : seeds) {
    auto& s = all[static_cast<size_t>(at)];
    s.g.v += seed;
    s.size += std::fabs(seed);
  }
  for (size_t i = all.size(); i-- > 0;) {
    const Tape::Entry& e = tape.entries[i];
    if (all[i].size == 0 && all[i].size_d == 0) continue;
    all[i].g = e.hook * all[i].g;
    auto send = [&](int to, Dual slope) {
      if (to < 0) return;
      Adjoint& parent = all[static_cast<size_t>(to)];
      parent.g = parent.g + slope * all[i].g;
      parent.size += std::fabs(slope.v) * all[i].size;
      parent.size_d += std::fabs(slope.v) * all[i].size_d + std::fabs(slope.d) * all[i].size;
    };
    send(e.a, e.da);
    send(e.b, e.db);
  }
  return all;
}

}  // namespace slow
