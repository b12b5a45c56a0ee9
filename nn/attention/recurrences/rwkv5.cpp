#include "nn/attention/recurrences/rwkv5.h"

#include "autograd/ops.h"

namespace heed::nn {

Rwkv5Mixer::Rwkv5Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "rwkv5"),
      settings(options.settings.as<Settings>()),
      decay(first_decays(o)),
      bonus(first_bonuses(o)),
      receptance(square_layer(o.query, rng)),
      key(square_layer(o.query, rng)),
      value(square_layer(o.query, rng)),
      gate(square_layer(o.query, rng)),
      norm(o.query),
      output(square_layer(o.query, rng)) {
  head_width(options);
  const auto [risen, left] = depth_of(o);
  mix = Variable(own_shares(o.query, {{left / 2}, {left}, {left, 0.3 * risen}, {left / 2}}), Variable::kRequiresGrad);
}

Variable Rwkv5Mixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Variable shifted = previous_words(x, state.empty() ? Variable() : state[0]);
  auto mixed = [&](int64_t i) {
    Variable m = select(mix, 0, i);
    return m * x + (1 - m) * shifted;
  };
  Variable S = state.empty() ? Variable() : state[1];
  Variable log_w = expand(reshape(-exp(decay), {1, 1, -1}), {1, x.size(1), x.size(2)});
  Variable o = read_with_bonus({receptance(mixed(0)), key(mixed(1)), value(mixed(2)), log_w}, bonus, words, options,
                               settings.chunk, S);
  state = {last_word(x), S};
  return output(norm(o / 8, 1e-5) * silu(gate(mixed(3))));
}

}  // namespace heed::nn
