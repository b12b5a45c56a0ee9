#include "nn/attention/recurrences/hgrn2.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

Hgrn2Mixer::Hgrn2Mixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "hgrn2"),
      settings(options.settings.as<Settings>()),
      query(square_layer(o.query, rng)),
      forget(square_layer(o.query, rng)),
      input(square_layer(o.query, rng)),
      bounds(options),
      norm(ones_parameter({o.query})),
      output(square_layer(o.query, rng)) {
  head_width(options);
}

DecayedSums Hgrn2Mixer::words_of(const Variable& x, const Variable& bound) const {
  const int64_t H = options.heads;
  BoundedGate f = bounded_gate(forget(x), bound);
  Variable q = split_heads(silu(query(x)), H) / std::sqrt(static_cast<double>(head_width(options)));
  return {q, split_heads(f.write, H), split_heads(input(x), H), split_heads(f.log_keep, H)};
}

Variable Hgrn2Mixer::pass_on(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state,
                             Variable* left) const {
  DecayedSums w = without_padding(words_of(x, bounds.of_layer(left, x.dtype())), words);
  SumsRead read = sums_of(w, settings.chunk, state.empty() ? Variable() : state[0]);
  state = {read.state};
  return output(rms_norm(join_heads(read.output), norm));
}

}  // namespace heed::nn
