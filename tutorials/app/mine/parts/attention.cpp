// Exercise 22.3 in a transformer and a GPT: every multi-head attention, of a text and of another one. The exercise has
// its matrices as the paper does, X W; the library's are W^T.
#include "autograd/ops.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/module.h"
#include "tutorials/22_self_attention/exercises/3_attention.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable multi_head_mine(const Pieces&, const Variable& x, const Variable& m, const HeadWeights& w,
                         const Tensor& allowed) {
  auto of_paper = [](const Variable& W) { return transpose(W, 0, 1); };
  return mine::several_heads(x, m, {of_paper(w.W_q), of_paper(w.W_k), of_paper(w.W_v), of_paper(w.W_o)}, w.heads,
                             allowed);
}

// The library's layer with these inputs as its parameters: x [B, T, D], m [B, S, D], W_q, W_k, W_v, W_o [D, D].
Variable library_heads(const std::vector<Variable>& in, int64_t heads, const Tensor& allowed) {
  Generator unused(1);
  nn::MultiHeadAttention layer({.model = in[0].size(2), .heads = heads, .bias = false}, unused);
  layer.in_proj_weight = concat({in[2], in[3], in[4]}, 0);
  layer.out_proj.weight = in[5];
  return layer(in[0], in[1], in[1], {.allowed = allowed}).output;
}

void check(Comparison& c) {
  Generator rng(1);
  constexpr int64_t T = 3, S = 4, D = 4;
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  const Tensor allowed =
      Tensor::from_bools({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}, {2, T, S});
  for (int64_t heads : {1, 2})
    c.functions(
        "the output of " + std::to_string(heads) + (heads == 1 ? " head" : " heads"),
        [&](const auto& in) {
          return multi_head_mine({}, in[0], in[1], {in[2], in[3], in[4], in[5], heads}, allowed);
        },
        [&](const auto& in) { return library_heads(in, heads, allowed); },
        {normal({2, T, D}), normal({2, S, D}), normal({D, D}), normal({D, D}), normal({D, D}), normal({D, D})});
}

void use(Pieces& pieces) { pieces.multi_head = multi_head_mine; }

const Registered part({.name = "attention", .exercise = "22.3", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
