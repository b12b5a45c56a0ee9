// Cases of autograd/ops_attention.h: blocks of every kind, masks, groups of heads, a query that may look at nothing.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const AttentionTiles&);

CaseRow attention(const std::string& name, Attention f) {
  struct Try {
    std::string label;
    std::vector<Shape> shapes;
    AttentionTiles options;
  };
  // T 3, S 5, two heads of width 2, values of width 3.
  const std::vector<Shape> own{{1, 3, 2, 2}, {1, 5, 2, 2}, {1, 5, 2, 3}}, one{{1, 3, 2, 2}, {1, 5, 1, 2}, {1, 5, 1, 3}},
      grouped{{1, 2, 4, 2}, {1, 3, 2, 2}, {1, 3, 2, 3}}, none{{1, 2, 2, 2}, {1, 0, 2, 2}, {1, 0, 2, 3}};
  Tensor keys = Tensor::from_bools({1, 0, 1, 1, 0}, {1, 1, 1, 5}),
         rows = Tensor::from_bools({1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {3, 5});
  const std::vector<Try> tries = {
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
      {"no keys", none, {}}};
  std::vector<BaseCase> bases;
  for (const auto& [label, shapes, options] : tries) {
    BaseCase base{.label = label, .shapes = shapes, .f = [f, options = options](In in) {
                    AttentionTiles o = options;
                    if (o.bias.defined()) o.bias = o.bias.to(in[0].dtype());
                    return f(in[0], in[1], in[2], o);
                  }};
    for (const Tensor& x : {options.allowed, options.bias})
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
