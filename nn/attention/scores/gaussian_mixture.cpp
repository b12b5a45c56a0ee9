#include "nn/attention/scores/gaussian_mixture.h"

#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed::nn {

GaussianMixtureScore::GaussianMixtureScore(const Options& o, Generator& rng)
    : window({.in = o.query, .out = 3 * o.settings.as<Settings>().components}, rng) {}

Variable GaussianMixtureScore::scores(const Variable& q, const Variable& keys, StageContext& context) const {
  int64_t T = q.size(-2), S = keys.size(-2), M = window.weight.size(0) / 3;
  std::vector<Variable> parts = split(window(q), {M, M, M}, -1);  // each [.., T, M]
  Variable width = exp(clamp(parts[1], -20, 20)), step = exp(clamp(parts[2], -20, 20));
  Variable kappa = cumsum(step, -2);
  if (AlignmentState* state = context.state; state && T > 0) {
    if (state->carried.defined()) kappa = kappa + unsqueeze(state->carried, -2);
    state->carried = select(kappa, -2, T - 1);
  }
  double first = static_cast<double>(context.places.first_key + 1);
  Variable places(add(Tensor::arange(S, q.dtype()), first));  // [S]
  Variable away = unsqueeze(kappa, -1) - places;              // [.., T, M, S]
  return logsumexp(unsqueeze(parts[0], -1) - unsqueeze(width, -1) * square(away), {-2});
}

}  // namespace heed::nn
