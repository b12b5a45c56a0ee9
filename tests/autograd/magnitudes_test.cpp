// Extreme magnitudes: every operation on inputs from 1e-30 to 1e30 in f32 and from 1e-300 to 1e300 in f64, against the
// slow interpreter, whose long double holds 1e-4900 to 1e4900. A result that fits the type must be right, though what
// an operation computes on the way may not fit; one that is too large must be infinite, and one that is too small
// nearly 0.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
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

// The first thing that is wrong with the operation's values and gradients when its leaves are multiplied by `scales`.
std::string fault(Program p, const std::vector<Number>& scales, const Precision& precision) {
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
    auto adjoints = walk_back(slow.tape, seeds);
    auto dx = grad({out[k]}, leaves,
                   {.seeds = {Variable(Tensor::ones(out[k].shape(), precision.dtype))},
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
              std::string words = fault(p, scales, precision);
              if (words.empty()) continue;
              std::string what =
                  fmt::format("{} 1e{}{}", heed::name_of(precision.dtype), exponent, first_only ? " first" : "");
              if (seen.insert(what).second) FAIL_CHECK(what << ": " << words << "\n" << to_string(p));
            }
      }
    }
  }
}
