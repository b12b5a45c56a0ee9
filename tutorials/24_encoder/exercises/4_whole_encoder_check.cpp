// Hints and checks of exercise 24.4.
#include "tutorials/24_encoder/exercises/4_whole_encoder.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/module.h"
#include "nn/transformer/transformer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Affine;
using mine::Parameters;
using V = const Variable&;
using T = const Tensor&;
using Layers = std::vector<Parameters>;

Tensor padding_of(T lengths, int64_t words) {  // [B, T]
  std::vector<int> padding;
  for (int64_t b = 0; b < lengths.count(); ++b)
    for (int64_t s = 0; s < words; ++s) padding.push_back(static_cast<double>(s) >= lengths.at({b}));
  return Tensor::from_bools(padding, {lengths.count(), words});
}

Affine part(V weight, V bias, int64_t i, int64_t D) {
  return {slice(weight, 0, i * D, (i + 1) * D), slice(bias, 0, i * D, (i + 1) * D)};
}

Parameters parameters_of(nn::TransformerLayer& l) {
  V in = l.self_attn->in_proj_weight, bias = l.self_attn->in_proj_bias;
  const int64_t D = in.size(1);
  auto of = [](auto& module) { return Affine{module.weight, module.bias}; };
  auto norm = [&](nn::AnyNorm& n) { return of(std::get<nn::LayerNorm>(n.norm)); };
  return {l.options.heads,
          part(in, bias, 0, D),
          part(in, bias, 1, D),
          part(in, bias, 2, D),
          of(l.self_attn->out_proj),
          of(l.feed_forward.linear1),
          of(l.feed_forward.linear2),
          norm(l.norm1),
          norm(l.norm2)};
}

void examine(app::Exercise& e) {
  Generator rng(5);
  nn::TransformerStack stack({.layer = {.model = 6, .heads = 2, .inner = 10, .norm_first = true}, .layers = 2}, rng);
  nn::convert(stack, DType::f64);
  for (auto& p : nn::parameters(stack)) p.set_value(Tensor::normal(p.shape(), rng, 0, 1, DType::f64));
  const Layers layers{parameters_of(stack.layers[0]), parameters_of(stack.layers[1])};
  auto& last_norm = std::get<nn::LayerNorm>(stack.norm->norm);
  const Affine last{last_norm.weight, last_norm.bias};
  const nn::TransformerLayer& library = stack.layers[0];
  const Parameters& p = layers[0];
  auto normal = [&](const Shape& shape, double size) {
    return Variable(Tensor::normal(shape, rng, 0, size, DType::f64));
  };
  for (double size : {0.01, 3.0}) {  // at 0.01 the place of 1e-5 shows
    Variable x = normal({4, 6}, size);
    e.check(fmt::format("norm1 of numbers of size {}, element ", size), mine::norm(p.norm1, x).value(),
            library.norm1(x).value(), 1e-9);
  }
  Variable one = normal({4, 6}, 1);
  e.check("the feed-forward network, element ", mine::feed_forward(p.first, p.second, one).value(),
          library.feed_forward(one).value(), 1e-9);
  constexpr int64_t N = 5;
  Variable x = normal({3, N, 6}, 2);
  Tensor lengths = Tensor::from(std::vector<int64_t>{5, 3, 1}, {3});
  nn::HeadMasks masks{.words = padding_of(lengths, N)};
  std::vector<int> words;
  for (double is_padding : masks.words.to_vector()) words.push_back(is_padding == 0);
  masks.words = Tensor::from_bools(words, {3, N});
  Tensor attention = mine::attention(p, x, lengths).value(), expected = (*library.self_attn)(x, masks).output.value();
  Tensor output = mine::layer(p, x, lengths).value(), right = library(x, {.self = masks}).output.value();
  Tensor encoded = mine::encoder(layers, last, x, lengths).value(), all = stack(x, {.self = masks}).output.value();
  for (int64_t b = 0; b < 3; ++b) {
    const auto n = static_cast<int64_t>(lengths.at({b}));
    auto of_words = [&](T whole) { return whole.select(0, b).slice(0, 0, n); };
    e.check(fmt::format("attention of a sentence of {} words, element ", n), of_words(attention), of_words(expected),
            1e-9);
    e.check(fmt::format("the layer's output for a sentence of {} words, element ", n), of_words(output),
            of_words(right), 1e-9);
    e.check(fmt::format("the output of two layers for a sentence of {} words, element ", n), of_words(encoded),
            of_words(all), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("24", 4, "A whole encoder");
  e.hint("mean(x, {-1}, true) is [.., 1] and broadcasts against x [.., D].");
  e.hint(
      "permute(reshape(linear(x, a.weight, a.bias), {B, T, H, K}), {0, 2, 1, 3}) is [B, H, T, K] of one projection.");
  e.hint("Fill a std::vector<int> with 1 where position s is >= lengths.at({b}); Tensor::from_bools makes it a mask.");
  e.hint("masked_fill(scores, mask, -INFINITY), then softmax(scores, -1). The mask broadcasts over heads and queries.");
  e.hint("y = x + attention(p, norm(p.norm1, x), lengths); the feed-forward network receives norm(p.norm2, y).");
  e.insight(
      "Only attention moves information between positions, and only it needs the mask; norm and feed-forward network\n"
      "treat each position alone. With embeddings and positions below, this is the encoder of lesson 26.",
      "./heed run 25");
  return e.run(argc, argv, examine);
}
