// Hints and checks of exercise 26.4.
#include "tutorials/26_transformer/exercises/4_decoder_layer.h"

#include <fmt/format.h>

#include "nn/module.h"
#include "nn/transformer/transformer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

mine::SubLayers sub_layers_of(const nn::TransformerLayer& l) {
  return {[&](const Variable& x) { return l.norm1(x); },
          [&](const Variable& x) { return l.norm2(x); },
          [&](const Variable& x) { return (*l.norm3)(x); },
          [&](const Variable& x) { return (*l.self_attn)(x).output; },
          [&](const Variable& x, const Variable& m) { return (*l.multihead_attn)(x, m, m).output; },
          [&](const Variable& x) { return l.feed_forward(x); }};
}

void examine(app::Exercise& e) {
  Generator rng(3);
  nn::TransformerLayer l({.model = 8, .heads = 2, .inner = 12, .causal = true, .cross = true, .norm_first = true}, rng);
  nn::convert(l, DType::f64);
  for (auto& parameter : nn::parameters(l))  // so that no two norms are equal, and each sub-layer is far from 0
    parameter.set_value(Tensor::normal(parameter.shape(), rng, 0, 1, DType::f64));
  const mine::SubLayers given = sub_layers_of(l);
  for (double size : {1.0, 20.0}) {  // at 20 a norm in the wrong place shows
    Variable x(Tensor::normal({2, 4, 8}, rng, 0, size, DType::f64)),
        m(Tensor::normal({2, 4, 8}, rng, 0, 3, DType::f64));
    e.check(fmt::format("the output of the layer for numbers of size {}, element ", size),
            mine::decoder_layer(given, x, m).value(), l(x, {.memory = m}).output.value(), 1e-10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("26", 4, "A layer of the decoder");
  e.hint("Three lines of one form: x = x + f(norm(x)). Which three functions, and in which order?");
  e.hint("Cross-attention has two arguments: what asks, norm2(x), and what is read, m.");
  e.hint("m is not normalised here: the encoder ends with a norm of its own.");
  e.insight(
      "A decoder layer is an encoder layer with one more line. With this one, all parts of a transformer can be "
      "yours:\n"
      "./heed translate --mine --paper transformer says which are, and trains and translates with them.",
      "./heed run 27");
  return e.run(argc, argv, examine);
}
