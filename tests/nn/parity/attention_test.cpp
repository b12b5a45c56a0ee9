// Multi-head attention against PyTorch's numbers: outputs, weights, and the gradient of every input and parameter.
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;
using parity::Named;

namespace {

nn::MultiHeadOptions options_of(const Golden& g) {
  auto width = [&](const char* name) { return g.text(name) == "none" ? 0 : g.integer(name); };
  return {.model = g.integer("embed_dim"),
          .heads = g.integer("num_heads"),
          .key = width("kdim"),
          .value = width("vdim"),
          .bias = g.flag("bias")};
}

// PyTorch's masks say who may NOT be looked at.
nn::HeadMasks masks_of(Golden& g, int64_t heads) {
  nn::HeadMasks masks;
  if (g.has("input.key_padding_mask")) masks.words = equal(g.ids("key_padding_mask"), 0);
  if (!g.has("input.attn_mask")) return masks;
  Tensor mask = g.tensor("input.attn_mask");
  if (is_float(mask.dtype())) {
    masks.bias = Variable(mask.clone(), Variable::kRequiresGrad);
  } else {
    masks.allowed = equal(mask, 0);
    if (mask.rank() == 3) masks.allowed = masks.allowed.view({mask.size(0) / heads, heads, mask.size(1), mask.size(2)});
  }
  return masks;
}

// With the weights, from the dense evaluator, and without, from the tiled one where the mask is no float.
void matches(const std::string& name) {
  bool weights_have_gradients = name.ends_with("weights_gradient");
  for (bool shown : {true, false}) {
    if (!shown && weights_have_gradients) continue;
    in_both_precisions(name, [shown](Golden& g, DType) {
      Generator rng(1);
      nn::MultiHeadAttention m(options_of(g), rng);
      g.load(m);
      nn::HeadMasks masks = masks_of(g, m.options.heads);
      Named inputs;
      auto look = [&](bool with_weights) {
        masks.weights = with_weights;
        return inputs.size() == 1 ? m(inputs[0].second, masks)
                                  : m(inputs[0].second, inputs[1].second, inputs[2].second, masks);
      };
      if (g.has("input.x"))
        inputs = {{"x", g.leaf("x")}};
      else
        inputs = {{"query", g.leaf("query")}, {"key", g.leaf("key")}, {"value", g.leaf("value")}};
      nn::MultiHeadOutput seen = look(/*with_weights=*/true);
      Variable weights = g.flag("average_attn_weights") ? mean(seen.weights, {1}) : seen.weights;
      Variable output = shown ? seen.output : look(/*with_weights=*/false).output;
      if (masks.bias.defined()) inputs.emplace_back("attn_mask", masks.bias);
      Named outputs{{"y", output}};
      if (g.has("grad_output.weights"))
        outputs.emplace_back("weights", weights);
      else
        g.compare("output.weights", weights.value());
      g.check_module(m, outputs, inputs);
    });
  }
}

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("MultiHeadAttention: self-attention with every kind of mask") {
    for (std::string form : {"", "_nobias", "_averaged", "_weights_gradient", "_causal", "_padding", "_causal_padding",
                             "_mask_per_head", "_additive"})
      matches("mha_self" + form);
  }

  TEST_CASE("MultiHeadAttention: cross-attention, keys and values of other widths") {
    for (std::string form : {"", "_widths", "_widths_padding", "_widths_padding_nobias"}) matches("mha_cross" + form);
  }
}
