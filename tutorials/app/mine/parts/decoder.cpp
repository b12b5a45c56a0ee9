// Exercise 26.4 in a transformer: every layer of the decoder. The sub-layers are given to it: the other parts, or the
// library's, which the check has.
#include "autograd/ops.h"
#include "nn/module.h"
#include "nn/transformer/transformer.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

nn::TransformerLayer library_layer() {
  Generator rng(3);
  nn::TransformerLayer l({.model = 4, .heads = 2, .inner = 6, .causal = true, .cross = true, .norm_first = true}, rng);
  nn::convert(l, DType::f64);
  for (auto& parameter : nn::parameters(l))
    parameter.set_value(Tensor::normal(parameter.shape(), rng, 0, 1, DType::f64));
  return l;
}

void check(Comparison& c) {
  const nn::TransformerLayer l = library_layer();
  const mine::SubLayers given{
      .norm1 = [&](const Variable& x) { return l.norm1(x); },
      .norm2 = [&](const Variable& x) { return l.norm2(x); },
      .norm3 = [&](const Variable& x) { return (*l.norm3)(x); },
      .self_attention = [&](const Variable& x) { return (*l.self_attn)(x).output; },
      .cross_attention = [&](const Variable& x, const Variable& m) { return (*l.multihead_attn)(x, m, m).output; },
      .feed_forward = [&](const Variable& x) { return l.feed_forward(x); }};
  Generator rng(1);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1, DType::f64); };
  c.functions(
      "the layer of the decoder", [&](const auto& in) { return mine::decoder_layer(given, in[0], in[1]); },
      [&](const auto& in) { return l(in[0], {.memory = in[1]}).output; }, {normal({2, 3, 4}), normal({2, 2, 4})});
}

void use(Pieces& pieces) {
  pieces.decoder_layer = [](const mine::SubLayers& l, const Variable& x, const Variable& m) {
    return mine::decoder_layer(l, x, m);
  };
}

const Registered part({.name = "decoder", .exercise = "26.4", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
