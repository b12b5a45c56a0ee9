// Cases of autograd/ops_attention.h: blocks of every kind, masks, windows and block lists, biases with and without a
// gradient, groups of heads, a query whose keys are all masked.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const Variable&,
                               const AttentionTiles&);

CaseRow attention(const std::string& name, Attention f) {
  struct Variant {
    std::string label;
    std::vector<Shape> shapes;
    AttentionTiles options;
  };
  // T 3, S 5, two heads of width 2, values of width 3.
  const std::vector<Shape> own{{1, 3, 2, 2}, {1, 5, 2, 2}, {1, 5, 2, 3}}, one{{1, 3, 2, 2}, {1, 5, 1, 2}, {1, 5, 1, 3}},
      grouped{{1, 2, 4, 2}, {1, 3, 2, 2}, {1, 3, 2, 3}}, none{{1, 2, 2, 2}, {1, 0, 2, 2}, {1, 0, 2, 3}},
      two{{2, 2, 2, 2}, {2, 3, 2, 2}, {2, 3, 2, 1}};
  auto biased = [](std::vector<Shape> shapes, const Shape& bias) {
    shapes.push_back(bias);
    return shapes;
  };
  Tensor keys = Tensor::from_bools({1, 0, 1, 1, 0}, {1, 1, 1, 5}),
         rows = Tensor::from_bools({1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {3, 5}),
         pairs = Tensor::from_bools({1, 0, 1, 0, 1, 0}, {2, 3});  // of blocks of two
  const std::vector<Variant> tries = {
      {"plain", own, {.scale = 0.7}},
      {"blocks of one", own, {.scale = 0.7, .query_block = 1, .key_block = 1}},
      {"blocks of 2 x 3", own, {.scale = 0.7, .query_block = 2, .key_block = 3}},
      {"keys masked", own, {.allowed = keys, .key_block = 2}},
      {"a query that may look at nothing", own, {.allowed = rows, .key_block = 3}},
      {"causal", own, {.causal = true, .first = 1, .query_block = 2, .key_block = 2}},
      {"a bias", own, {.bias = anywhere({2, 1, 5}, 3), .key_block = 4}},
      {"dropout", own, {.dropout = 0.4, .seed = 5, .offset = 3, .query_block = 2, .key_block = 2}},
      {"one group of keys", one, {.scale = 0.7, .key_block = 3}},
      {"two groups of two heads", grouped, {.scale = 0.7, .causal = true, .first = 1}},
      {"no keys", none, {}},
      {"a window", own, {.left = 1, .right = 1, .first = 1, .query_block = 2, .key_block = 2}},
      {"a window with no key for the last query", own, {.left = 0, .right = 0, .first = 3, .key_block = 2}},
      {"a block list", own, {.blocks = {2, pairs}, .query_block = 2, .key_block = 3}},
      {"a block list, a window and a mask",
       own,
       {.allowed = keys, .left = 3, .blocks = {2, pairs}, .query_block = 1, .key_block = 4}},
      {"the bias [B, H, T, S]", biased(two, {2, 2, 2, 3}), {.query_block = 1, .key_block = 2}},
      {"the bias [H, T, S]", biased(two, {2, 2, 3}), {.scale = 0.7, .key_block = 2}},
      {"the bias [T, S]", biased(grouped, {2, 3}), {.scale = 0, .left = 1, .right = 1}},
      {"the bias [H, 1, S]", biased(two, {2, 1, 3}), {.query_block = 1, .key_block = 2}},
      {"the bias [T, 1]", biased(two, {2, 1}), {.key_block = 2}},
      {"the bias []", biased(two, {}), {}},
      {"the bias [T, S], a block list and dropout",
       biased(own, {3, 5}),
       {.blocks = {2, pairs}, .dropout = 0.4, .seed = 5, .offset = 3, .query_block = 2, .key_block = 2}}};
  std::vector<BaseCase> bases;
  for (const auto& [label, shapes, options] : tries) {
    BaseCase base{.label = label, .shapes = shapes, .f = [f, options = options](In in) {
                    AttentionTiles o = options;
                    if (o.bias.defined()) o.bias = o.bias.to(in[0].dtype());
                    return f(in[0], in[1], in[2], in.size() > 3 ? in[3] : Variable(), o);
                  }};
    for (const Tensor& x : {options.allowed, options.bias, options.blocks.keep})
      if (x.defined()) base.constants.push_back(x);
    bases.push_back(base);
  }
  return without(Seam::infinite, "the gradient is a product with the weights, which are 0 behind a mask",
                 operation(name, bases));
}

}  // namespace

std::vector<CaseRow> tiled_cases() {
  return {attention("tiled_attention", tiled_attention),
          attention("tiled_attention_composed", tiled_attention_composed)};
}

}  // namespace heed
