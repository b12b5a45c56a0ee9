// Hints, common mistakes and checks of exercise 24.4.
#include "tutorials/24_encoder/exercises/4_whole_encoder.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/module.h"
#include "nn/transformer/transformer_layer.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Affine;
using mine::Parameters;
using V = const Variable&;
using T = const Tensor&;
using Layers = std::vector<Parameters>;

struct Answer {
  std::function<Variable(const Affine&, V)> norm;
  std::function<Variable(const Parameters&, V, T)> attention, layer;
  std::function<Variable(const Layers&, const Affine&, V, T)> encoder;
};

// The right answer with one part exchanged.
struct Wrong {
  bool open_norm = false, unbiased = false, outside = false, over_words = false, no_bias = false;  // norm
  bool open_attention = false, mixed_heads = false, root_of_width = false, no_root = false,
       no_mask = false,  // attention
      zero_mask = false, no_output = false, over_queries = false, no_permute_back = false;
  bool open_layer = false, last = false, normed_path = false, old_input = false, no_relu = false,  // layer
      no_residual = false, one_norm = false;
  bool open_encoder = false, same_input = false, no_last = false, norm_each = false, reversed = false;  // encoder
};

Variable normed(const Affine& p, V x, const Wrong& w) {
  if (w.open_norm) return x;
  const int64_t axis = w.over_words && x.value().rank() > 1 ? -2 : -1;
  Variable centred = x - mean(x, {axis}, true), squares = sum(centred * centred, {axis}, true);
  const auto D = static_cast<double>(x.size(axis));
  Variable variance = squares / (w.unbiased ? D - 1 : D);
  Variable y = w.outside ? centred / (sqrt(variance) + 1e-5) : centred / sqrt(variance + 1e-5);
  return w.no_bias ? y * p.weight : y * p.weight + p.bias;
}

Tensor padding_of(T lengths, int64_t words) {  // [B, T]
  std::vector<int> padding;
  for (int64_t b = 0; b < lengths.count(); ++b)
    for (int64_t s = 0; s < words; ++s) padding.push_back(static_cast<double>(s) >= lengths.at({b}));
  return Tensor::from_bools(padding, {lengths.count(), words});
}

Variable attended(const Parameters& p, V x, T lengths, const Wrong& w) {
  if (w.open_attention) return x;
  const int64_t B = x.size(0), N = x.size(1), D = x.size(2), H = p.heads, K = D / H;
  auto heads = [&](const Affine& a) {
    Variable all = linear(x, a.weight, a.bias);
    return w.mixed_heads ? reshape(all, {B, H, N, K}) : permute(reshape(all, {B, N, H, K}), {0, 2, 1, 3});
  };
  Variable v = heads(p.value), scores = matmul(heads(p.query), transpose(heads(p.key), 2, 3));
  scores = scores / (w.no_root ? 1 : std::sqrt(static_cast<double>(w.root_of_width ? D : K)));
  Tensor padding = padding_of(lengths, N).reshape({B, 1, 1, N});
  if (!w.no_mask) scores = masked_fill(scores, padding, w.zero_mask ? 0 : -INFINITY);
  Variable context = matmul(softmax(scores, w.over_queries ? -2 : -1), v);
  if (!w.no_permute_back) context = permute(context, {0, 2, 1, 3});
  context = reshape(context, {B, N, D});
  return w.no_output ? context : linear(context, p.output.weight, p.output.bias);
}

Variable layered(const Parameters& p, V x, T lengths, const Wrong& w) {
  if (w.open_layer) return x;
  auto norm = [&](const Affine& a, V h) { return normed(a, h, w); };
  auto feed_forward = [&](V h) {
    Variable inner = linear(h, p.first.weight, p.first.bias);
    return linear(w.no_relu ? inner : relu(inner), p.second.weight, p.second.bias);
  };
  if (w.last) {
    Variable y = norm(p.norm1, x + attended(p, x, lengths, w));
    return norm(p.norm2, y + feed_forward(y));
  }
  const Affine& second = w.one_norm ? p.norm1 : p.norm2;
  Variable n = norm(p.norm1, x), a = attended(p, n, lengths, w);
  if (w.no_residual) return feed_forward(norm(second, a));
  if (w.old_input) return x + a + feed_forward(norm(second, x));
  Variable y = (w.normed_path ? n : x) + a, m = norm(second, y);
  return (w.normed_path ? m : y) + feed_forward(m);
}

Variable encoded(const Layers& layers, const Affine& last, V x, T lengths, const Wrong& w) {
  if (w.open_encoder) return x;
  Variable h = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    h = layered(layers[w.reversed ? layers.size() - 1 - i : i], w.same_input ? x : h, lengths, w);
    if (w.norm_each) h = normed(last, h, w);
  }
  return w.no_last || w.norm_each ? h : normed(last, h, w);
}

Answer with(Wrong w) {
  return {
      [w](const Affine& p, V x) { return normed(p, x, w); },
      [w](const Parameters& p, V x, T lengths) { return attended(p, x, lengths, w); },
      [w](const Parameters& p, V x, T lengths) { return layered(p, x, lengths, w); },
      [w](const Layers& layers, const Affine& last, V x, T lengths) { return encoded(layers, last, x, lengths, w); }};
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"All four gaps are still open",
     with({.open_norm = true, .open_attention = true, .open_layer = true, .open_encoder = true})},
    {"The norm is right. The gaps of attention, the layer and the encoder are still open",
     with({.open_attention = true, .open_layer = true, .open_encoder = true})},
    {"The norm and attention are right. The gaps of the layer and the encoder are still open",
     with({.open_layer = true, .open_encoder = true})},
    {"The layer is right, and the gap of the encoder is still open", with({.open_encoder = true})},
    {"The variance divides by D - 1: take the mean of the squares, which divides by D", with({.unbiased = true})},
    {"The 1e-5 is added outside the root: sqrt(variance + 1e-5)", with({.outside = true})},
    {"The norm is over the positions: each position has a mean of its own D numbers, the last axis",
     with({.over_words = true})},
    {"The bias of the norm is missing", with({.no_bias = true})},
    {"The heads mix up words: reshape to [B, T, H, K] first, then permute to [B, H, T, K]",
     with({.mixed_heads = true})},
    {"The scores are divided by the root of D: a head is K = D / H wide", with({.root_of_width = true})},
    {"The scores are not divided by sqrt(K)", with({.no_root = true})},
    {"Words attend to padding: mask it as a key, with a mask [B, 1, 1, T] and the score -infinity before the softmax",
     with({.no_mask = true})},
    {"Padding has the score 0, and exp(0) is 1: it needs -infinity", with({.zero_mask = true})},
    {"The softmax is over the queries: the weights of a query sum to 1 over the keys, the last axis",
     with({.over_queries = true})},
    {"The heads are not put side by side: permute back to [B, T, H, K] before you reshape to [B, T, D]",
     with({.no_permute_back = true})},
    {"The output projection W_o is missing", with({.no_output = true})},
    {"This is norm last: each norm belongs before its sub-layer", with({.last = true})},
    {"The residual path carries the norm of x: add the sub-layer's output to x itself", with({.normed_path = true})},
    {"The feed-forward network receives the input of the layer: it comes after attention and receives norm2(y)",
     with({.old_input = true})},
    {"Both sub-layers use norm1: the second one has norm2", with({.one_norm = true})},
    {"The relu between the two matrices of the feed-forward network is missing", with({.no_relu = true})},
    {"The residual paths are missing: add the input of each sub-layer to its output", with({.no_residual = true})},
    {"Each layer receives x: it receives the output of the layer before", with({.same_input = true})},
    {"The norm after the last layer is missing", with({.no_last = true})},
    {"The last norm is applied after every layer: apply it once, at the end", with({.norm_each = true})},
    {"The last layer comes first: begin with layers[0]", with({.reversed = true})},
};

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

void examine(app::Exercise& e, const Answer& answer) {
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
    e.check(fmt::format("norm1 of numbers of size {}, element ", size), answer.norm(p.norm1, x).value(),
            library.norm1(x).value(), 1e-9);
  }
  constexpr int64_t N = 5;
  Variable x = normal({3, N, 6}, 2);
  Tensor lengths = Tensor::from(std::vector<int64_t>{5, 3, 1}, {3});
  nn::HeadMasks masks{.words = padding_of(lengths, N)};
  std::vector<int> words;
  for (double is_padding : masks.words.to_vector()) words.push_back(is_padding == 0);
  masks.words = Tensor::from_bools(words, {3, N});
  Tensor attention = answer.attention(p, x, lengths).value(), expected = (*library.self_attn)(x, masks).output.value();
  Tensor output = answer.layer(p, x, lengths).value(), right = library(x, {.self = masks}).output.value();
  Tensor encoded = answer.encoder(layers, last, x, lengths).value(), all = stack(x, {.self = masks}).output.value();
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
  return e.run(argc, argv, Answer{mine::norm, mine::attention, mine::layer, mine::encoder}, examine, mistakes);
}
