#include "nn/attention/recurrences/rwkv.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/rwkv_parts.h"

namespace heed::nn {

RwkvMixer::RwkvMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rwkv"),
      settings(options.settings.as<Settings>()),
      receptance(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)) {
  const int64_t D = o.query;
  const auto [risen, left] = depth_of(o);
  const Tensor shares = own_shares(D, {{left / 2}, {left}, {left, 0.3 * risen}});
  auto row = [&](int64_t i) { return Variable(shares.select(0, i).contiguous(), Variable::kRequiresGrad); };
  mix_r = row(0), mix_k = row(1), mix_v = row(2);
  const double power = 0.7 + 1.3 * risen;
  decay = by_feature(D, [&](int64_t n) { return -5 + 8 * std::pow(feature_place(n, D), power); });
  bonus = by_feature(D, [](int64_t n) { return std::log(0.3) + 0.5 * static_cast<double>((n + 1) % 3 - 1); });
}

Variable RwkvMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Variable shifted = previous_words(x, state.empty() ? Variable() : state[0]);
  auto mixed = [&](const Variable& m) { return m * x + (1 - m) * shifted; };
  RunningMeans before = state.empty() ? RunningMeans() : RunningMeans{state[1], state[2]};
  MeansRead read =
      running_means(key(mixed(mix_k)), value(mixed(mix_v)), exp(decay), bonus, words, settings.chunk, before);
  state = {last_word(x), read.state.mean, read.state.log_total};
  return output(sigmoid(receptance(mixed(mix_r))) * read.output);
}

}  // namespace heed::nn
