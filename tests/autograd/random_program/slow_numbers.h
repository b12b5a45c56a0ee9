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
#include <utility>
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
  bool tie = false;  // was a decision so near that rounding might turn it?
  // Every computed entry, and its slopes, are off by up to this factor, at random: what the same steps would lose in
  // numbers with fewer digits ("stochastic arithmetic": Vignes, Mathematics and Computers in Simulation 35, 1993).
  // least: the smallest normal number of the type, and what e^x may lose: kernels give 0 below it.
  Number noise = 0, least = 0;
  uint64_t state = 1;

  int push(const Entry& e) {
    entries.push_back(e);
    if (noise > 0) disturb(entries.back());
    return static_cast<int>(entries.size()) - 1;
  }
  void disturb(Entry& e) {
    bool exact = e.a < 0 || (e.b < 0 && std::fabs(e.da.v) == 1);  // a constant, a copy, a change of sign
    for (Dual* x : {&e.value, &e.da, &e.db})
      if (!exact) *x = disturbed(*x);
  }
  Dual disturbed(Dual x) { return noise > 0 ? Dual{x.v * (1 + noise * share()), x.d * (1 + noise * share())} : x; }
  Number share() {  // in [-1, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Number>(state >> 40) / (1 << 23) - 1;
  }
  static Tape*& current() {
    thread_local Tape* tape = nullptr;
    return tape;
  }
};

// Makes it the current tape, while it lives.
class Recording {
 public:
  explicit Recording(Tape& tape) : before_(std::exchange(Tape::current(), &tape)) {}
  ~Recording() { Tape::current() = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Tape* before_;
};

// Is it too large for the type? Nothing is asked of what an operation computes from such a number.
inline bool beyond(Number x) { return std::isfinite(x) && std::fabs(x) * Tape::current()->least > 3; }

inline bool below(Number x) { return x != 0 && std::fabs(x) < Tape::current()->least; }  // too small

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
  bool lost = beyond(1 / y.v) || beyond(x.v / y.v / y.v) || below(x.v / y.v / y.v);
  return binary(a, b, x / y, constant(1) / y, lost ? constant(NAN) : -(x / y) / y);
}
inline Real operator-(Real x) { return unary(x, -x.dual(), constant(-1)); }
inline Real copy(Real x) { return unary(x, x.dual(), constant(1)); }
inline Real constant_of(Real x) { return {x.v()}; }  // the value alone: nothing flows back

// What a comparison decides is right only while it is not near.
inline bool less(Real a, Real b) {
  Number gap = a.v() == b.v() ? 0 : std::fabs(a.v() - b.v());  // of two infinities too
  Tape* tape = Tape::current();
  tape->corner = std::min(tape->corner, gap);
  tape->tie = tape->tie || (gap < INFINITY && gap <= 1e-4L * std::max(std::fabs(a.v()), std::fabs(b.v())));
  return a.v() < b.v();
}

inline Real exp(Real x) {
  Tape* tape = Tape::current();
  Dual y = exp(x.dual());
  if (tape->noise > 0) y.v += tape->least * tape->share();
  return unary(x, y, y);
}
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
inline Real tanh(Real x) {  // the slope of y, as y was rounded
  Dual y = tanh(x.dual()), kept = Tape::current()->disturbed(y);
  return unary(x, y, constant(1) - kept * kept);
}
inline Real erf(Real x) {
  Dual slope = 2 / std::sqrt(std::acos(Number{-1})) * exp(-Tape::current()->disturbed(x.dual() * x.dual()));
  return unary(x, {std::erf(x.v()), slope.v * x.dual().d}, slope);
}
inline Real expm1(Real x) {
  Dual y = {std::expm1(x.v()), exp(x.dual()).d};
  return unary(x, y, exp(x.dual()) + (Tape::current()->disturbed(y) - y));  // the slope of y, as y was rounded
}
inline Real log1p(Real x) {
  Dual above = constant(1) + x.dual();
  Tape::current()->pole = std::min(Tape::current()->pole, above.v);
  return unary(x, {std::log1p(x.v()), x.dual().d / above.v}, constant(1) / above);
}
inline Real pow(Real x, Number p) {
  if (p < 2 && p != 0 && p != 1) Tape::current()->pole = std::min(Tape::current()->pole, std::fabs(x.v()));
  Dual y = pow(x.dual(), p);
  // p itself is rounded: of x = 1e160 that is 370 p times as much.
  if (Tape* tape = Tape::current(); tape->noise > 0 && x.v() > 0)
    y.v *= 1 + tape->noise * tape->share() * (1 + std::fabs(p)) * std::log(x.v());
  Dual under = pow(x.dual(), p - 1);
  return unary(x, y, p == 0 ? Dual{} : beyond(under.v) ? constant(NAN) : p * under);
}
inline Real pow(Real a, Real b) {  // of a negative number too, to a whole power; constant in a if b is 0
  Dual x = a.dual(), q = b.dual();
  auto power = [&](Dual e) { return Dual{std::pow(x.v, e.v), x.v > 0 ? exp(e * log(x)).d : NAN}; };
  Dual y = power(q), under = power(q - constant(1));
  bool flat = x.v == 0 && q.v >= 0;  // 0 times log 0
  bool steep =
      beyond(under.v) || below(q.v) || beyond(1000 * q.v) || (x.v < 0 && std::fabs(q.v) > 1e6L);  // is q - 1 odd?
  Number lost = x.v > 0 ? Tape::current()->noise * Tape::current()->share() * (1 + std::fabs(q.v)) * std::log(x.v) : 0;
  return binary(a, b, y,
                q.v == 0 ? Dual{}
                : steep  ? constant(NAN)
                         : (1 + lost) * (q * under),
                flat ? Dual{0, NAN} : y * log(x));
}
inline Real abs(Real x) { return std::isnan(x.v()) ? unary(x, {NAN}, {NAN}) : less(x, 0) ? -x : copy(x); }
inline Real larger(Real a, Real b) { return less(a, b) ? b : a; }
inline Real smaller(Real a, Real b) { return less(a, b) ? a : b; }
// 1 / (1 + e^-x) without overflow on either side.
inline Real sigmoid(Real x) {
  Dual e = exp(x.v() > 0 ? -x.dual() : x.dual()), y = (x.v() > 0 ? constant(1) : e) / (constant(1) + e);
  Dual lost = Tape::current()->disturbed(y) - y;  // the slope y (1 - y) is that of y, as y was rounded
  if (Tape::current()->noise > 0) lost.v += Tape::current()->least * Tape::current()->share();
  return unary(x, y, e / ((constant(1) + e) * (constant(1) + e)) + lost * (constant(1) - y - y));
}
inline Real softplus(Real x) { return x.v() > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }  // log(1 + e^x)

// What reaches each entry of the tape from the seeds: dL/dentry, its derivative along the direction, and the sum of
// the sizes of all terms, by which rounding errors are measured. If zero_stays, a seed of 0 sends nothing: 0 times an
// infinite slope is 0 there.
struct Adjoint {
  Dual g;
  Number size = 0, size_d = 0;
  bool reached = false;  // by a seed that counts
};
inline std::vector<Adjoint> walk_back(const Tape& tape, const std::vector<std::pair<int, Number>>& seeds,
                                      bool zero_stays = true) {
  std::vector<Adjoint> all(tape.entries.size());
  for (auto [at, seed] : seeds) {
    auto& s = all[static_cast<size_t>(at)];
    s.g.v += seed;
    s.size += std::fabs(seed);
    s.reached = s.reached || seed != 0 || !zero_stays;
  }
  for (size_t i = all.size(); i-- > 0;) {
    const Tape::Entry& e = tape.entries[i];
    if (!all[i].reached) continue;
    all[i].g = e.hook * all[i].g;
    auto send = [&](int to, Dual slope) {
      if (to < 0) return;
      Adjoint& parent = all[static_cast<size_t>(to)];
      parent.g = parent.g + slope * all[i].g;
      parent.reached = true;
      parent.size += std::fabs(slope.v) * all[i].size;
      parent.size_d += std::fabs(slope.v) * all[i].size_d + std::fabs(slope.d) * all[i].size;
    };
    send(e.a, e.da);
    send(e.b, e.db);
  }
  return all;
}

}  // namespace slow
