#include "nn/attention/recurrences/rwkv.h"

#include <cmath>
#include <functional>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// f of the place of each feature, from 0 to 1.
Variable over_features(int64_t D, const std::function<double(double)>& f) {
  Tensor x = Tensor::empty({D}, parameter_dtype());
  for (int64_t d = 0; d < D; ++d) x.set({d}, f(D > 1 ? static_cast<double>(d) / static_cast<double>(D - 1) : 0));
  return {x, Variable::kRequiresGrad};
}

}  // namespace

RwkvMixer::RwkvMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rwkv"),
      settings(options.settings.as<Settings>()),
      mix_r(over_features(o.query, [](double i) { return std::sqrt(i); })),
      mix_k(over_features(o.query, [](double i) { return i; })),
      mix_v(over_features(o.query, [](double i) { return i; })),
      decay(over_features(o.query, [](double i) { return -5 + 8 * std::pow(i, 0.7); })),
      bonus(full_parameter({o.query}, std::log(0.3))),
      receptance(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      output(square_layer(o.query, rng)) {}

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
