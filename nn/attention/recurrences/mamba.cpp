#include "nn/attention/recurrences/mamba.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/initial_steps.h"

namespace heed::nn {

MambaMixer::MambaMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "mamba"),
      settings(options.settings.as<Settings>()),
      inner(settings.inner * o.query),
      rank(settings.rank > 0 ? settings.rank : (o.query + 15) / 16),
      projection({.in = o.query, .out = 2 * inner, .bias = false}, rng),
      convolution({.features = inner, .taps = settings.taps}, rng),
      selection({.in = inner, .out = rank + 2 * settings.state, .bias = false}, rng),
      step({.in = rank, .out = inner}, rng),  // W_d is uniform in +-R^-1/2, as the authors draw it
      skip(ones_parameter({inner})),
      output({.in = inner, .out = o.query, .bias = false}, rng) {
  if (options.name == "longhorn") {
    step.bias = zeros_parameter({inner});
    return;
  }
  step.bias = spread_softplus_steps({inner}, rng);
  Tensor rates = Tensor::empty({inner, settings.state}, parameter_dtype());
  for (int64_t e = 0; e < inner; ++e)
    for (int64_t n = 0; n < settings.state; ++n) rates.set({e, n}, std::log(static_cast<double>(n + 1)));
  log_rate = Variable(rates, Variable::kRequiresGrad);
}

MambaMixer::Selected MambaMixer::selected(const Variable& u, const Tensor& words) const {
  const int64_t N = settings.state;
  std::vector<Variable> part = split(selection(u), {rank, N, N}, -1);
  Variable k = unsqueeze(part[1], 2), q = unsqueeze(part[2], 2);  // [B, T, 1, N]
  Variable d = step(part[0]);
  d = log_rate.defined() ? softplus(d) : sigmoid(d);
  // A step of 0 neither forgets nor writes. Padding itself is not 0 here, because the convolution has a bias.
  if (words.defined()) d = masked_fill(d, padding_of(words, 3), 0);
  d = unsqueeze(d, -1);  // [B, T, E, 1]
  if (log_rate.defined()) return {exp(d * -exp(log_rate)), d * unsqueeze(u, -1) * k, q};
  Variable e = d / (1 + d * sum(square(k), {-1}, true));
  return {1 - e * square(k), e * unsqueeze(u, -1) * k, q};
}

Variable MambaMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  std::vector<Variable> uz = chunk(projection(x), 2, -1);
  auto read = convolution(uz[0], state.empty() ? Variable() : state[0]);
  Selected s = selected(read.output, words);
  Variable h = diagonal_scan(s.decay, s.written, settings.chunk, state.empty() ? Variable() : state[1]);
  const int64_t T = x.size(1);
  state = {read.state, slice(h, 1, T - 1, T)};
  Variable y = sum(h * s.read, {-1}) + skip * read.output;
  return output(y * silu(uz[1]));
}

}  // namespace heed::nn
