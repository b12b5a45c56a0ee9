#include "nn/attention/recurrences/retention.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/rope.h"

namespace heed::nn {
std::vector<double> retention_decays(int64_t heads) {
  std::vector<double> gammas;
  for (int64_t h = 0; h < heads; ++h) gammas.push_back(1 - std::exp2(-5 - static_cast<double>(h)));
  return gammas;
}

std::vector<double> retention_angles(int64_t pairs) {
  std::vector<double> angles{1};
  for (int64_t i = 1; i < pairs; ++i)
    angles.push_back(std::pow(10000, -static_cast<double>(i) / static_cast<double>(pairs - 1)));
  return angles;
}

RetentionMixer::RetentionMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "retention"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      gate(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)) {
  if (head_width(options) % 2 != 0)
    throw ValueError(
        fmt::format("retention: it rotates pairs, so a head must have an even width; got {}", head_width(options)));
}

DecayedSums RetentionMixer::words_of(const Variable& x, int64_t first) const {
  const int64_t H = options.heads, T = x.size(1), K = head_width(options);
  const RopeOptions turn{.layout = RopeLayout::interleaved, .thetas = retention_angles(K / 2), .first = first};
  auto rotated = [&](const Variable& y) {
    Variable heads = reshape(y, {y.size(0), T, H, K});
    return transpose(rotate_pairs(heads, turn), 1, 2);
  };
  Tensor decay = Tensor::empty({1, H, T, 1}, x.dtype());
  const std::vector<double> gammas = retention_decays(H);
  for (int64_t h = 0; h < H; ++h)
    for (int64_t t = 0; t < T; ++t) decay.set({0, h, t, 0}, std::log(gammas[static_cast<size_t>(h)]));
  return {rotated(query(x)), rotated(key(x)) / std::sqrt(static_cast<double>(K)), split_heads(value(x), H),
          Variable(decay)};
}

Variable RetentionMixer::finished(const Variable& x, const Variable& o) const {
  return output(silu(gate(x)) * join_heads(rms_norm(o, {}, {.eps = 1e-6})));
}

Variable RetentionMixer::pass(const Variable& x, const Tensor& words, int64_t first,
                              std::vector<Variable>& state) const {
  SumsRead read =
      sums_of(without_padding(words_of(x, first), words), settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return finished(x, read.output);
}

}  // namespace heed::nn
