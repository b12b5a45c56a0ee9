#include "nn/attention/recurrences/ttt_linear.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/positions/rope.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kTttEps = 1e-6, kTttFirst = 0.02;

Variable by_head(const Variable& p) { return unsqueeze(unsqueeze(p, 1), 0); }  // [H, K] -> [1, H, 1, K]

}  // namespace

TttLinearMixer::TttLinearMixer(const MixerOptions& o, Generator& rng)
    : BlockMixer(o, "ttt_linear"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      rate({.in = o.query, .out = o.heads}, rng),
      share(zeros_parameter({settings.batch})),
      weight(normal_parameter({o.heads, head_width(options), head_width(options)}, kTttFirst, rng)),
      bias(zeros_parameter({o.heads, head_width(options)})),
      norm_weight(ones_parameter({o.heads, head_width(options)})),
      norm_bias(zeros_parameter({o.heads, head_width(options)})),
      post_norm({.shape = {o.query}, .eps = kTttEps}, rng),
      output(square_layer(o.query, rng)) {
  rate.weight = normal_parameter({o.heads, o.query}, kTttFirst, rng), rate.bias = zeros_parameter({o.heads});
  if (head_width(options) % 2 != 0)
    throw ValueError(fmt::format("ttt_linear: RoPE turns pairs of features, so a head must have an even width; got {}",
                                 head_width(options)));
}

Variable TttLinearMixer::normed(const Variable& z) const {
  return by_head(norm_weight) * layer_norm(z, {}, {}, {.eps = kTttEps}) + by_head(norm_bias);
}

Variable TttLinearMixer::gradient(const Variable& z, const Variable& target) const {
  Variable centred = z - mean(z, {-1}, true);
  Variable scale = rsqrt(mean(square(centred), {-1}, true) + kTttEps), hat = centred * scale;
  Variable u = by_head(norm_weight) * (by_head(norm_weight) * hat + by_head(norm_bias) - target);
  return (u - mean(u, {-1}, true) - hat * mean(u * hat, {-1}, true)) * scale;
}

std::vector<Variable> TttLinearMixer::start(int64_t B, DType dtype) const {
  const int64_t H = options.heads, K = head_width(options);
  return {expand(unsqueeze(weight, 0), {B, H, K, K}), expand(by_head(bias), {B, H, 1, K}),
          Variable(Tensor::zeros({B, H, K, K}, dtype)), Variable(Tensor::zeros({B, H, 1, K}, dtype))};
}

std::vector<Variable> TttLinearMixer::parts(const Variable& x, const Tensor&) const {
  const int64_t H = options.heads;
  const auto K = static_cast<double>(head_width(options));
  return {split_heads(query(x), H), split_heads(key(x), H), split_heads(value(x), H),
          split_heads(sigmoid(rate(x)) / K, H)};
}

Variable TttLinearMixer::read(const Piece& piece, std::vector<Variable>& state) const {
  const int64_t n = piece.columns(), C = piece.size;
  auto turned = [&](const Variable& y) {
    const RopeOptions rope{.layout = RopeLayout::interleaved, .base = settings.base, .first = piece.from};
    return transpose(rotate_pairs(transpose(y, 1, 2), rope), 1, 2);
  };
  const Variable q = turned(piece.parts[0]), k = turned(piece.parts[1]), W = state[0], b = state[1];
  Variable g = piece.words_of(piece.parts[3] * gradient(matmul(k, W) + b, piece.parts[2] - k));  // [B, H, n, K]
  Tensor parts = Tensor::empty({C, 1}, q.dtype());
  for (int64_t p = 0; p < C; ++p) parts.set({p, 0}, 1 / static_cast<double>(p + 1));
  Variable mine = relu(Variable(parts) + unsqueeze(share, 1));  // [C, 1], of the reader
  Variable moved = matmul(q, state[2]) + state[3] + matmul(tril(matmul(q, transpose(k, -2, -1))), g) + cumsum(g, 2);
  Variable o = q + normed(matmul(q, W) + b - slice(mine, 0, piece.from, piece.from + n) * moved);
  Variable sums = state[2] + matmul(transpose(k, -2, -1), g), shifts = state[3] + sum(g, {2}, true);
  Variable last = slice(mine, 0, C - 1, C);
  state = {piece.after(W - last * sums, W), piece.after(b - last * shifts, b), piece.after(sums * 0, sums),
           piece.after(shifts * 0, shifts)};
  return o;
}

}  // namespace heed::nn
