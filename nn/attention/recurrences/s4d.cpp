#include "nn/attention/recurrences/s4d.h"

#include "autograd/ops.h"

namespace heed::nn {

S4dMixer::S4dMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "s4d"),
      settings(options.settings.as<Settings>()),
      system({.systems = o.query, .modes = settings.modes}, rng),
      output({.in = o.query, .out = 2 * o.query}, rng) {}

Variable S4dMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Complex before = state.empty() ? Complex() : Complex{state[0], state[1]};
  auto read = system(unsqueeze(x, -1), words, settings.chunk, before);
  state = {read.state.re, read.state.im};
  std::vector<Variable> pq = chunk(output(gelu(squeeze(read.output, -1))), 2, -1);
  return pq[0] * sigmoid(pq[1]);
}

}  // namespace heed::nn
