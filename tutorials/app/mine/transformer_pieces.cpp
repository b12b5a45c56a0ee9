// The pieces of a transformer as the library has them. Each is made of smaller pieces where it has some, so that an
// own product or softmax is used in the library's attention, too.
#include "tutorials/app/mine/transformer_pieces.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/ops.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/padding.h"
#include "tensor/elementwise.h"

namespace heed::app {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Vaswani et al., NeurIPS 2017, section 3.2.2: heads of width D / H, side by side in the last axis.
Variable multi_head(const Pieces& p, const Variable& x, const Variable& m, const HeadWeights& w,
                    const Tensor& allowed) {
  const int64_t B = x.size(0), D = x.size(2), K = D / w.heads;
  auto heads = [&](const Variable& words, const Variable& W) {  // [B, T, D] -> [B, H, T, K]
    return transpose(reshape(linear_of(p, words, W, {}), {B, words.size(1), w.heads, K}), 1, 2);
  };
  Variable scores = matmul(heads(x, w.W_q), transpose(heads(m, w.W_k), 2, 3)) / std::sqrt(static_cast<double>(K));
  scores = masked_fill(scores, logical_not(allowed).unsqueeze(1), kNever);         // [B, H, T, S]
  Variable context = transpose(matmul(p.softmax(scores), heads(m, w.W_v)), 1, 2);  // [B, T, H, K]
  return linear_of(p, reshape(context, {B, x.size(1), D}), w.W_o, {});
}

Variable feed_forward(const Pieces& p, const mine::Affine& first, const mine::Affine& second, const Variable& x) {
  return linear_of(p, relu(linear_of(p, x, first.weight, first.bias)), second.weight, second.bias);
}

// Norm first, and a norm at the end (Xiong et al., ICML 2020). The biases of attention are 0 (transformer.h).
Variable encoder(const Pieces& p, const std::vector<mine::Parameters>& layers, const mine::Affine& last,
                 const Variable& x, const Tensor& lengths) {
  const int64_t S = x.size(1);
  const Tensor allowed = nn::length_mask(lengths, S).unsqueeze(1).expand({x.size(0), S, S});
  Variable h = x;
  for (const mine::Parameters& l : layers) {
    const HeadWeights w{l.query.weight, l.key.weight, l.value.weight, l.output.weight, l.heads};
    Variable n = p.norm(l.norm1, h);
    h = h + p.multi_head(p, n, n, w, allowed);
    h = h + p.feed_forward(p, l.first, l.second, p.norm(l.norm2, h));
  }
  return p.norm(last, h);
}

Variable decoder_layer(const mine::SubLayers& l, const Variable& x, const Variable& m) {
  Variable h = x + l.self_attention(l.norm1(x));
  h = h + l.cross_attention(l.norm2(h), m);
  return h + l.feed_forward(l.norm3(h));
}

Variable gpt(const mine::Gpt& g, const Tensor& ids) {
  Variable x = embedding(g.words, ids) * std::sqrt(static_cast<double>(g.words.size(1))) + g.positions;
  for (const mine::GptLayer& l : g.layers) {
    x = x + l.attention(l.norm1(x));
    x = x + l.feed_forward(l.norm2(x));
  }
  return matmul(g.norm(x), transpose(g.words, 0, 1));
}

// The library draws a word and does not say how probable each was. So the kept ones are found as it finds them: in the
// order of their probability, until the sum of those before reaches top_p (nn/decode/sampling.h).
std::vector<double> nucleus(const std::vector<double>& p, double top_p) {
  std::vector<size_t> order(p.size());
  for (size_t i = 0; i < p.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return p[a] > p[b]; });
  std::vector<double> kept(p.size(), 0.0);
  double sum = 0;
  for (size_t i : order)
    if (sum < top_p) sum += kept[i] = p[i];
  for (double& k : kept) k /= sum;
  return kept;
}

}  // namespace

void add_transformer_pieces(Pieces& p) {
  p.multi_head = multi_head;
  p.positions = [](int64_t T, int64_t D) { return nn::sinusoidal_positions(T, {.width = D}, 0, DType::f64); };
  p.norm = [](const mine::Affine& n, const Variable& x) { return layer_norm(x, n.weight, n.bias); };
  p.feed_forward = feed_forward;
  p.encoder = encoder;
  p.padding_mask = [](int64_t words, int64_t T, int64_t S) {
    std::vector<int> mask;
    for (int64_t i = 0; i < T * S; ++i) mask.push_back(i % S < words);
    return mask;
  };
  p.causal_mask = [](int64_t T) {
    std::vector<int> mask;
    for (int64_t i = 0; i < T * T; ++i) mask.push_back(i % T <= i / T);
    return mask;
  };
  p.decoder_layer = decoder_layer;
  p.packed_mask = [](const Pieces::Ids& segments, size_t t, size_t s) {
    return segments[t] != 0 && segments[t] == segments[s] && s <= t;
  };
  p.gpt = gpt;
  p.nucleus = nucleus;
}

}  // namespace heed::app
