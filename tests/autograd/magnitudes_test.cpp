// Extreme magnitudes: every operation on inputs from 1e-30 to 1e30 in f32 and from 1e-300 to 1e300 in f64, against the
// slow interpreter, whose long double holds 1e-4900 to 1e4900. A result that fits the type must be right, though what
// an operation computes on the way may not fit; one that is too large must be infinite, and one that is too small
// nearly 0.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>

#include "autograd/backward.h"
#include "tests/autograd/random_program/operations.h"

using namespace random_program;
using heed::DType;
using slow::Number;

namespace {

struct Precision {
  DType dtype;
  Number largest, smallest, tolerance;
  std::vector<int> exponents;
};
const std::vector<Precision> kPrecisions = {{DType::f32,
                                             std::numeric_limits<float>::max(),
                                             std::numeric_limits<float>::min(),
                                             2e-4L,
                                             {-30, -15, -6, 6, 15, 30}},
                                            {DType::f64,
                                             std::numeric_limits<double>::max(),
                                             std::numeric_limits<double>::min(),
                                             1e-9L,
                                             {-300, -150, -30, -6, 6, 30, 150, 300}}};

// Operations that need more than results that fit the type, and what. They are held to 1e-6
// and 1e6.
const std::map<std::string, const char*> kNarrow = {{"bce_loss", "a denominator of at least 1e-12, as in PyTorch"},
                                                    {"tiled_attention", "scores, which are products of two inputs"},
                                                    {"tiled_attention_composed", "scores"}};
// Operations with a factor between dy and the result, which also needs to fit.
const std::map<std::string, const char*> kFactors = {{"layer_norm", "dy times the weight"},
                                                     {"layer_norm_composed", "dy times the weight"},
                                                     {"rms_norm", "dy times the weight"},
                                                     {"rms_norm_composed", "dy times the weight"},
                                                     {"einsum", "dy times some of the operands"}};

// "" if `got` is what `want` becomes in that precision; `size` is that of the terms that it is the sum of. If they do
// not fit, their sum may be anything that is not finite; infinity is right from a hundredth of the largest number on.
std::string judge(double got, Number want, Number size, const Precision& p) {
  if (!std::isfinite(want) || !std::isfinite(size)) return {};
  bool right = std::fabs(got - want) <= p.tolerance * (std::fabs(want) + size) + 4 * p.smallest;
  right = right || (!std::isfinite(got) && size > p.largest);
  if (std::fabs(want) > p.largest / 100) right = right || (std::isinf(got) && (got > 0) == (want > 0));
  return right ? "" : fmt::format("{} for {}", got, static_cast<double>(want));
}

Number rounded(Number x, DType dtype) { return dtype == DType::f32 ? static_cast<float>(x) : static_cast<double>(x); }

// The first thing that is wrong with the operation's values and gradients when its leaves are multiplied by `scales`
// and the gradient that arrives is `dy` everywhere.
std::string fault(Program p, const std::vector<Number>& scales, Number dy, const Precision& precision) {
  std::vector<Variable> leaves;
  SlowRun slow(p.values);
  const Step& operation = p.steps.back();
  size_t next = 0;
  for (Step& s : p.steps) {
    if (s.kind == Step::leaf) {
      for (double& x : s.values) {
        x = static_cast<double>(rounded(x * scales[next % scales.size()], precision.dtype));
        if (!std::isfinite(x)) return {};
      }
      s.requires_grad = true;
      leaves.emplace_back(Tensor::from(s.values, s.shape).to(precision.dtype), Variable::kRequiresGrad);
      ++next;
    }
    slow.step(s);
  }
  std::vector<Variable> in;
  for (int i : operation.action.inputs) in.push_back(leaves[static_cast<size_t>(i)]);
  std::vector<Variable> out;
  try {
    out = operation.action.engine(in);
  } catch (const heed::ValueError&) { return {}; }  // not a probability
  for (size_t k = 0; k < out.size(); ++k) {
    const Array& want = slow.now[static_cast<size_t>(operation.first) + k];
    std::vector<double> got = out[k].value().to_vector();
    std::vector<std::pair<int, Number>> seeds;  // 1 for each, since 0 times an infinite slope is NaN
    for (size_t e = 0; e < got.size(); ++e) {
      seeds.emplace_back(want.elements[e].at, 1);
      auto adjoints = walk_back(slow.tape, {seeds[e]});
      Number size = 0;
      for (size_t i = 0; i < leaves.size(); ++i)
        for (const Real& x : slow.made[i].elements)
          size += adjoints[static_cast<size_t>(x.at)].size *
                  std::fabs(slow.tape.entries[static_cast<size_t>(x.at)].value.v);
      Number value = slow.tape.entries[static_cast<size_t>(want.elements[e].at)].value.v;
      if (std::string words = judge(got[e], value, size, precision); !words.empty()) return "value " + words;
    }
    if (!out[k].requires_grad()) continue;
    for (auto& [at, seed] : seeds) seed = dy;
    auto adjoints = walk_back(slow.tape, seeds);
    auto dx = grad({out[k]}, leaves,
                   {.seeds = {Variable(Tensor::full(out[k].shape(), static_cast<double>(dy), precision.dtype))},
                    .retain_graph = true,
                    .allow_unused = true});
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!dx[i].defined()) continue;
      std::vector<double> d = dx[i].value().to_vector();
      for (size_t j = 0; j < d.size(); ++j) {
        const auto& a = adjoints[static_cast<size_t>(slow.made[i].elements[j].at)];
        if (std::string words = judge(d[j], a.g.v, a.size, precision); !words.empty())
          return fmt::format("gradient of input {} {}", i, words);
      }
    }
  }
  return {};
}

}  // namespace

TEST_SUITE("gradcheck") {
  TEST_CASE("magnitudes: every operation from the smallest numbers to the largest") {
    for (const Operation& o : operations()) {
      CAPTURE(o.name);
      std::set<std::string> seen;
      for (uint64_t seed = 1; seed <= 6; ++seed) {
        Program p = one_operation(o, seed);
        if (p.steps.empty() || p.steps.back().kind != Step::operation) continue;
        for (const Precision& precision : kPrecisions)
          for (int exponent : precision.exponents)
            for (bool first_only : {false, true}) {
              if (kNarrow.count(o.name) && std::abs(exponent) > 6) continue;
              Number scale = std::pow(Number{10}, exponent);
              std::vector<Number> scales{scale};
              if (first_only) scales = {scale, 1, 1, 1};
              for (int of_dy : {0, -precision.exponents.back(), precision.exponents.back()}) {
                if ((kNarrow.count(o.name) || kFactors.count(o.name)) && of_dy != 0) continue;
                std::string words = fault(p, scales, rounded(std::pow(Number{10}, of_dy), precision.dtype), precision);
                if (words.empty()) continue;
                std::string what = fmt::format("{} 1e{}{}, dy 1e{}", heed::name_of(precision.dtype), exponent,
                                               first_only ? " first" : "", of_dy);
                if (seen.insert(what).second) FAIL_CHECK(what << ": " << words << "\n" << to_string(p));
              }
            }
      }
    }
  }

  // The table above has ordinary numbers s, and one magnitude in each program. Here x, s and dy are of any, and the
  // gradient is right wherever it fits, whatever its parts do; of a quotient of tensors, wherever y fits as well.
  TEST_CASE("magnitudes: arithmetic with a number and with a tensor, each of any size") {
    struct Form {
      std::string name;
      Variable (*with_number)(V x, double s);
      Variable (*with_tensor)(V x, V s);
      Number (*slope)(Number x, Number s);
      bool exponent = false;
    };
    const Form forms[] = {
        {"s / x", [](V x, double s) { return s / x; }, [](V x, V s) { return s / x; },
         [](Number x, Number s) { return -s / x / x; }},
        {"x / s", [](V x, double s) { return x / s; }, [](V x, V s) { return x / s; },
         [](Number, Number s) { return 1 / s; }},
        {"x s", [](V x, double s) { return x * s; }, [](V x, V s) { return x * s; },
         [](Number, Number s) { return s; }},
        {"x^s", [](V x, double s) { return heed::pow(x, s); }, [](V x, V s) { return heed::pow(x, s); },
         [](Number x, Number s) { return s * std::pow(x, s - 1); }, true}};
    heed::Generator rng(5);
    for (const Precision& p : kPrecisions)
      for (const Form& form : forms)
        for (int trial = 0; trial < 3000; ++trial) {
          std::vector<double> e = Tensor::uniform({5}, rng, -1, 1, DType::f64).to_vector();
          auto number = [&](size_t k) {
            return static_cast<double>(
                rounded(std::pow(Number{10}, Number{0.98L} * std::log10(p.largest) * e[k]), p.dtype));
          };
          double x = number(0), s = form.exponent ? std::round(16 * e[1]) / 4 : number(1), dy = number(2);
          if (std::fmod(s, 1) == 0 && e[3] < 0) x = -x;
          if (e[4] < 0) dy = -dy;
          const Number slope = form.slope(x, s), want = slope * dy;
          if (std::fabs(want) < 100 * p.smallest || std::fabs(want) > p.largest / 100) continue;
          CAPTURE(form.name);
          CAPTURE(x);
          CAPTURE(s);
          CAPTURE(dy);
          Variable in(Tensor::full({}, x, p.dtype), Variable::kRequiresGrad), seed(Tensor::full({}, dy, p.dtype));
          for (bool number_form : {true, false})
            for (bool recorded : {false, true}) {
              CAPTURE(number_form);
              CAPTURE(recorded);
              Variable y = number_form ? form.with_number(in, s) : form.with_tensor(in, Tensor::full({}, s, p.dtype));
              double size = std::abs(y.item());
              if (!number_form && !form.exponent && !(size > p.smallest && size < p.largest)) continue;
              double got = heed::grad({y}, {in}, {.seeds = {seed}, .create_graph = recorded})[0].item();
              CHECK(std::fabs(got - want) <= p.tolerance / 100 * std::fabs(want));
            }
        }
  }
}
