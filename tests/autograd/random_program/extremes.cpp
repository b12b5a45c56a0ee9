// Programs with infinities, huge and tiny numbers, judged operation by operation.
//
// Rounding errors grow without bound here (e^x beside x = 1e30), so each operation is judged by itself: the slow
// function, in long double, is given the numbers that heed gave its operation.
//
//   value     y  = f(x)                                    x   heed's inputs
//   gradient  dx = the sum of f'(x) dy, over what reads x   dy  heed's gradients of the outputs
//
// What must come out is that number, rounded to the type: infinite only if it is too large. Where the slow number is
// NaN, nothing is asked. What may be lost: the digits that the same steps lose with the type's precision (Tape::noise);
// all of them where the terms of a sum do not fit the type; and a gradient that has left the range of the type, or that
// comes through a value that has (see `arrives`).
#include <fmt/format.h>

#include <limits>

#include "autograd/backward.h"
#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

using Numbers = std::vector<Number>;

struct Expected {
  std::vector<Numbers> value, gradient, size;  // of each value of the program; size: of the gradient's terms
  Numbers arriving;                            // the largest gradient that arrives where the value is read
  std::vector<char> tie, nan;                  // at a corner any number will do; NaN, if it arrives
};

class Judge {
 public:
  explicit Judge(const Program& program)
      : p(program), v(static_cast<size_t>(p.values)), x(v.size()), dx(v.size()), same(v.size()) {
    bool f32 = p.type == heed::DType::f32;
    eps = f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    largest = f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    smallest = f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  }

  void run_heed() {
    for (const Step& s : p.steps) {
      Variables out = compute(s, v, p.type);
      for (size_t k = 0; k < out.size(); ++k) v[static_cast<size_t>(s.first) + k] = out[k];
    }
    Variables outputs, seeds, towards;
    std::vector<size_t> which;
    for (size_t i = 0; i < v.size(); ++i) {
      if (!v[i].defined()) continue;  // shrinking has removed it
      x[i] = v[i].value().to_vector();
      same[i] = i;
      for (size_t k = 0; k < i && v[i].requires_grad(); ++k)  // an operation may return its input
        if (v[k].defined() && v[k].node().get() == v[i].node().get() && v[k].index() == v[i].index()) same[i] = same[k];
      if (!v[i].requires_grad() || same[i] != i) continue;
      towards.push_back(v[i]);
      which.push_back(i);
    }
    for (const Output& y : p.outputs) {
      outputs.push_back(v[static_cast<size_t>(y.value)]);
      if (static_cast<size_t>(outputs.back().count()) != y.seeds.size()) throw std::out_of_range("slow: seeds");
      seeds.emplace_back(Tensor::from(y.seeds, outputs.back().shape()).to(p.type));
    }
    Variables got = grad(outputs, towards,
                         {.seeds = seeds, .create_graph = p.driver == Driver::second_order, .allow_unused = true});
    for (size_t i = 0; i < got.size(); ++i)
      dx[which[i]] = got[i].defined() ? got[i].value().to_vector() : std::vector<double>(x[which[i]].size());
  }

  Expected expect(uint64_t noise) const {
    Expected e{std::vector<Numbers>(v.size()), std::vector<Numbers>(v.size()),
               std::vector<Numbers>(v.size()), Numbers(v.size()),
               std::vector<char>(v.size()),    std::vector<char>(v.size())};
    for (size_t i = 0; i < v.size(); ++i) e.gradient[i].resize(dx[i].size()), e.size[i].resize(dx[i].size());
    for (const Output& y : p.outputs) add_seeds(e, static_cast<size_t>(y.value), y.seeds);
    for (const Step& s : p.steps)
      if (s.kind == Step::operation) expect_of(s, noise, e);
    return e;
  }

  Verdict verdict() {
    exact = expect(0);
    for (const Step& s : p.steps)
      for (int k = 0; k < s.count && s.kind == Step::operation; ++k)
        for (size_t i = 0, of = static_cast<size_t>(s.first + k); i < x[of].size(); ++i) {
          Number want = exact.value[of][i];
          if (fits(x[of][i], want, 0, &Expected::value, of, i)) continue;
          if (!std::isfinite(x[of][i]) && !(reach(s, k, i) <= largest)) continue;
          return failure("value", fmt::format("v{}", of), i, x[of][i], want);
        }
    for (size_t of = v.size(); of-- > 0;)
      for (size_t i = 0; i < dx[of].size(); ++i) {
        Number want = exact.gradient[of][i];
        if (std::isnan(dx[of][i]) ? exact.nan[of] : exact.tie[of]) continue;
        if (!std::isfinite(dx[of][i]) && exact.size[of][i] > largest / 4) continue;
        if (fits(dx[of][i], want, exact.size[of][i], &Expected::gradient, of, i)) continue;
        return failure("gradient", fmt::format("dv{}", of), i, dx[of][i], want);
      }
    if (p.driver == Driver::second_order)
      for (const Step& s : p.steps)
        if (Verdict again = s.elementwise ? second(s) : Verdict(); !again.ok) return again;
    return {};
  }

 private:
  Verdict second(const Step& s) const {
    Variables in;
    for (int input : s.action.inputs) {
      in.push_back(v[static_cast<size_t>(input)]);
      for (double e : x[static_cast<size_t>(input)])
        if (std::isnan(e) || !(std::isinf(e) || in_range(e))) return {};
    }
    std::vector<std::vector<double>> dy;
    for (int k = 0; k < s.count; ++k) {
      auto y = static_cast<size_t>(s.first + k);
      dy.push_back(dx[same[y]]);
      for (size_t i = 0; i < dy.back().size(); ++i)
        if (std::isnan(arrives(dy.back()[i], x[y][i])) || std::isinf(dy.back()[i])) return {};
    }
    return run_again(s, in, dy, p.type, largest);
  }
  bool tracked(size_t value) const { return !dx[same[value]].empty(); }

  void add_seeds(Expected& e, size_t value, const std::vector<double>& seeds) const {
    if (!tracked(value)) return;
    for (size_t i = 0; i < seeds.size(); ++i) {
      Number seed = rounded(seeds[i], p.type);
      e.gradient[same[value]][i] += seed;
      e.size[same[value]][i] += std::fabs(seed);
    }
  }

  // 0, and numbers whose cubes fit the type.
  bool in_range(double e) const {
    return e == 0 || (std::fabs(e) <= std::cbrt(largest) && std::fabs(e) >= std::cbrt(smallest));
  }
  // With noise a denormal number loses the last of its few digits.
  Number perhaps_last_digit(double e) const {
    slow::Tape* tape = slow::Tape::current();
    return tape && tape->noise > 0 && e != 0 && std::fabs(e) < smallest ? e + tape->share() * smallest * eps : e;
  }
  // The gradient dy of an output y as the slow operation gets it. NaN, of which nothing is asked: it is within a factor
  // of 1000 of leaving the range of the type, or y has left it, which the operation may have kept. 0 is always 0.
  Number arrives(double dy, double y) const {
    if (dy == 0) return 0;
    bool leaves = std::isfinite(dy) && (std::fabs(dy) > largest / 1000 || std::fabs(dy) < smallest * 1000);
    return !leaves && std::isfinite(y) ? perhaps_last_digit(dy) : NAN;
  }
  // The slow operation on heed's inputs.
  Arrays slow_inputs(const Step& s) const {
    Arrays in;
    for (int input : s.action.inputs) {
      Array a{v[static_cast<size_t>(input)].shape(), {}};
      if (a.rank() != s.action.ranks[in.size()]) throw std::out_of_range("slow: rank");
      for (double e : x[static_cast<size_t>(input)]) a.elements.emplace_back(perhaps_last_digit(e));
      in.push_back(a);
    }
    return in;
  }
  // Of three things nothing is asked: what an operation makes of NaN; matrix products, and chains of operations, that
  // meet infinities or leave the range of the type on the way; weights of a norm whose cubes do not fit it.
  bool unasked(const Step& s, const slow::Tape& tape, const std::vector<slow::Adjoint>& adjoints) const {
    for (int input : s.action.inputs)
      for (double e : x[static_cast<size_t>(input)])
        if (std::isnan(e)) return true;
    for (size_t i = 1; i < s.action.inputs.size() && s.name.find("_norm") != std::string::npos; ++i)
      for (double e : x[static_cast<size_t>(s.action.inputs[i])])
        if (!in_range(e)) return true;
    auto held = [&](Number e) { return e == 0 || (e >= smallest && e <= largest); };
    for (int input : s.action.inputs)
      for (double e : x[static_cast<size_t>(input)])
        if (s.product && std::fabs(e) > largest / 1000) return true;
    bool chain = s.product || (p.driver == Driver::second_order && s.name.find("_norm") != std::string::npos);
    for (size_t i = 0; i < adjoints.size() && chain; ++i)
      if (!held(std::fabs(tape.entries[i].value.v)) || !held(adjoints[i].size)) return true;
    return false;
  }

  void expect_of(const Step& s, uint64_t noise, Expected& e) const {
    slow::Tape tape;
    slow::Recording recording(tape);
    tape.least = smallest;
    if (noise > 0) tape.noise = eps, tape.state = noise * 7919;
    Arrays in = slow_inputs(s);
    Arrays out = s.action.slow(in);
    std::vector<std::pair<int, Number>> seeds;
    for (size_t k = 0; k < out.size(); ++k) {
      size_t y = static_cast<size_t>(s.first) + k;
      if (tracked(y) && same[y] == y)
        for (size_t i = 0; i < dx[y].size(); ++i) seeds.emplace_back(out[k].elements[i].at, arrives(dx[y][i], x[y][i]));
    }
    auto adjoints = walk_back(tape, seeds, s.elementwise);
    bool skip = unasked(s, tape, adjoints);
    for (size_t k = 0; k < out.size(); ++k)
      for (const Real& r : out[k].elements) e.value[static_cast<size_t>(s.first) + k].push_back(skip ? NAN : r.v());
    for (size_t j = 0; j < in.size(); ++j) {
      size_t to = same[static_cast<size_t>(s.action.inputs[j])];
      if (!tracked(to)) continue;
      e.tie[to] = e.tie[to] || tape.tie;
      for (auto [at, seed] : seeds) e.arriving[to] = std::fmax(e.arriving[to], std::isinf(seed) ? 0 : std::fabs(seed));
      for (auto [at, seed] : seeds)
        e.nan[to] = e.nan[to] || std::isnan(seed) || (std::isinf(seed) && (s.loss || !s.elementwise));
      for (size_t i = 0; i < dx[to].size(); ++i) {
        const slow::Adjoint& a = adjoints[static_cast<size_t>(in[j].elements[i].at)];
        e.gradient[to][i] += skip ? NAN : a.g.v;
        e.size[to][i] += a.size;
      }
    }
  }
  // The size of the terms of one number of a value: the sum of |x_i dy/dx_i|.
  Number reach(const Step& s, int k, size_t element) const {
    slow::Tape tape;
    slow::Recording recording(tape);
    Arrays in = slow_inputs(s);
    Arrays out = s.action.slow(in);
    auto adjoints = walk_back(tape, {{out[static_cast<size_t>(k)].elements[element].at, 1}});
    Number sum = 0;
    for (const Array& a : in)
      for (const Real& r : a.elements)
        if (r.v() != 0) sum += std::fabs(r.v()) * adjoints[static_cast<size_t>(r.at)].size;
    return sum;
  }

  // Is `found` what `want` becomes in the type? The digits that may be lost are looked at only if some are missing.
  bool fits(double found, Number want, Number size, std::vector<Numbers> Expected::*of, size_t value, size_t i) {
    if (std::isnan(want)) return true;
    if (rounded(want, p.type) == found) return true;
    if (std::isnan(found) || std::isinf(want)) return false;
    Number least = 4 * smallest * (1 + (size > 0 ? exact.arriving[value] : 0));  // a slope may lose as much as a value
    if (near(found, want, 16 * eps * (std::fabs(want) + size) + least)) return true;
    for (uint64_t n = noisy.size(); n < 16; ++n) noisy.push_back(expect(n + 1));
    Number lost = 0;
    for (const Expected& e : noisy) {
      Number other = (e.*of)[value][i];
      if (std::isnan(other)) return true;
      lost = std::fmax(lost, std::fabs(other - want));
    }
    return near(found, want, 32 * (lost + eps * (std::fabs(want) + size)) + least);
  }
  bool near(double found, Number want, Number error) const {
    if (std::isinf(found)) return (found > 0 ? want : -want) + error > largest;
    return std::fabs(found - want) <= error;
  }

  static Verdict failure(const std::string& kind, const std::string& name, size_t i, double found, Number want) {
    const char* how = std::isnan(found) ? " NaN" : std::isinf(found) ? " infinite" : found == 0 ? " 0" : " wrong";
    return {
        .ok = false,
        .kind = kind + how,
        .words = fmt::format("{} [{}] is {:.17g}, and should be {:.17g}", name, i, found, static_cast<double>(want))};
  }

  const Program& p;
  Variables v;
  std::vector<std::vector<double>> x, dx;  // heed's numbers; no dx where no gradient flows
  std::vector<size_t> same;                // the first value that is the same variable
  Number eps, largest, smallest;
  Expected exact;
  std::vector<Expected> noisy;
};

}  // namespace

Verdict run_extreme(const Program& p) {
  Judge judge(p);
  try {
    judge.run_heed();
    return judge.verdict();
  } catch (const heed::Error& e) {
    return {.ok = false, .kind = "error: " + std::string(e.what()).substr(0, 30), .words = e.what()};
  } catch (const std::out_of_range&) { return {.usable = false}; }  // shrinking went too far
}

}  // namespace random_program
