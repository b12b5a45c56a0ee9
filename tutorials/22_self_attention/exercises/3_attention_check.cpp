// Hints and checks of exercise 22.3.
#include "tutorials/22_self_attention/exercises/3_attention.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Head;
using mine::Projections;
using T = const Tensor&;

void examine(app::Exercise& e) {
  constexpr int64_t words = 5, D = 6;
  Generator rng(22);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  const Tensor causal =
      Tensor::from_bools({1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}, {words, words});
  const Tensor padded =
      Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0}, {words, words});
  struct Case {
    const char* name;
    Tensor allowed;
    int64_t N;
    double scale;
  };
  bool right = true;
  for (const Case& c : {Case{"a causal mask", causal, 3, 1}, Case{"a padded sentence", padded, D, 1},
                        Case{"large scores", causal, 2, 100}}) {
    const Tensor x = normal({words, D}), q = mul(normal({D, c.N}), c.scale), k = normal({D, c.N}), v = normal({D, c.N});
    const Tensor scores = matmul(matmul(x, q), matmul(x, k).transpose(0, 1));
    const Tensor masked =
        masked_fill(div(scores, std::sqrt(static_cast<double>(c.N))), logical_not(c.allowed), -INFINITY);
    const Tensor w = softmax_rows(masked);
    const Head ours = mine::one_head(x, q, k, v, c.allowed);
    right = e.check(fmt::format("the weights of one head with {}", c.name), ours.weights, w, 1e-10) && right;
    right =
        e.check(fmt::format("the context of one head with {}", c.name), ours.context, matmul(w, matmul(x, v)), 1e-10) &&
        right;
  }
  if (!right) return;  // several heads are checked once one head is right
  for (int64_t H : {1, 2, 3}) {
    nn::MultiHeadAttention layer({.model = D, .heads = H, .bias = false}, rng);
    nn::convert(layer, DType::f64);
    auto parameter = [&] { return Variable(normal({D, D})); };
    const Projections w{parameter(), parameter(), parameter(), parameter()};
    auto row_major = [](const Variable& m) { return m.value().transpose(0, 1).contiguous(); };  // the layer has W^T
    layer.in_proj_weight.set_value(concat({row_major(w.q), row_major(w.k), row_major(w.v)}, 0));
    layer.out_proj.weight.set_value(row_major(w.o));
    const Variable x(normal({2, words, D})), m(normal({2, words, D}));
    const Tensor allowed = stack({causal, padded}, 0);
    e.check(fmt::format("the output of {} heads", H), mine::several_heads(x, x, w, H, allowed).value(),
            layer(x, {.allowed = allowed}).output.value(), 1e-12);
    e.check(fmt::format("the output of {} heads that read another sentence", H),
            mine::several_heads(x, m, w, H, allowed).value(), layer(x, m, m, {.allowed = allowed}).output.value(),
            1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 3, "Self-attention in matrices");
  e.hint("matmul(q, k.transpose(0, 1)) is Q K^T: element [t, s] is the product of query t and key s.");
  e.hint("max(scores, 1, true) is [T, 1], the largest of each row; sum(e, {1}, true) is the sum of each row.");
  e.hint(
      "Split: transpose(reshape(matmul(x, w.q), {B, T, H, N}), 1, 2). matmul multiplies the last two axes of "
      "[B, H, ..].");
  e.hint("The mask: masked_fill(scores, logical_not(allowed).unsqueeze(1), -INFINITY).");
  e.hint("Merge: reshape(transpose(context, 1, 2), {B, T, D}): first the split's last step is undone, then its first.");
  e.insight(
      "This is the whole layer: four products with parameters, two of activations, and a softmax. Several heads need\n"
      "no more parameters than one: they are the same columns, cut into parts that attend separately.",
      "./heed run 23");
  return e.run(argc, argv, examine);
}
