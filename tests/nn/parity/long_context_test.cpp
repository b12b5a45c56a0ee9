// Scopes and evaluators for long texts against the formulas of their papers in plain numpy (plain_long_context.py), in
// multi-head attention: values.
#include <doctest/doctest.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/evaluators/hyper_attention.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

namespace {

nn::MultiHeadOptions options_of(Golden& g, const Variable& x) {
  nn::MultiHeadOptions o{.model = x.size(2), .heads = g.integer("heads"), .kv_heads = g.integer("kv_heads")};
  if (g.flag("causal")) o.scope.name = "causal";
  return o;
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("long texts: the pages of quest") {
    in_both_precisions("scope_quest", [](Golden& g, DType) {
      Variable x = g.leaf("x");
      nn::MultiHeadOptions o = options_of(g, x);
      o.scope = nn::stage_from(nn::Kind::scope, g.text("stage"));
      Generator rng(1);
      nn::MultiHeadAttention m(o, rng);
      g.load(m);
      g.compare("output.y", m(x).output.value());
    });
  }

  TEST_CASE("long texts: the parts of hyper_attention") {
    in_both_precisions("evaluator_hyper_attention", [](Golden& g, DType) {
      Variable x = g.leaf("x");
      nn::MultiHeadOptions o = options_of(g, x);
      o.evaluator = nn::stage_from(nn::Kind::evaluator, g.text("stage"));
      Generator rng(1);
      nn::MultiHeadAttention m(o, rng);
      g.load(m);
      dynamic_cast<nn::HyperAttention&>(*m.evaluator).directions = g.leaf("directions").value();
      g.compare("output.y", m(x).output.value());
    });
  }

  TEST_CASE("long texts: the prompt of snapkv") {
    in_both_precisions("evaluator_snapkv", [](Golden& g, DType) {
      NoGrad decoding;
      const Variable x(g.leaf("x").value());
      nn::MultiHeadOptions o = options_of(g, x);
      o.evaluator = nn::stage_from(nn::Kind::evaluator, g.text("stage"));
      Generator rng(1);
      nn::MultiHeadAttention m(o, rng);
      g.load(m);
      auto memory = m.memory();
      std::vector<Variable> outputs{m.extend(slice(x, 1, 0, g.integer("prompt")), *memory).output};
      for (int64_t t = g.integer("prompt"); t < x.size(1); ++t)
        outputs.push_back(m.extend(slice(x, 1, t, t + 1), *memory).output);
      g.compare("output.y", concat(outputs, 1).value());
    });
  }
}
