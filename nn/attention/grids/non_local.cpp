#include "nn/attention/grids/non_local.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

NonLocal::NonLocal(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      settings(options.settings.as<Settings>()),
      gaussian(options.name == "non_local_gaussian"),
      concatenated(options.name == "non_local_concat"),
      theta({.in = o.query, .out = std::max<int64_t>(1, o.query / settings.reduction)}, rng),
      phi({.in = o.query, .out = theta.options.out}, rng),
      g({.in = o.query, .out = theta.options.out}, rng),
      out_proj({.in = theta.options.out, .out = o.query}, rng),
      norm({.width = o.query, .first_weight = 0}, rng) {
  if (concatenated) pair_weight = uniform_parameter({2 * theta.options.out}, 2 * theta.options.out, rng);
}

void NonLocal::visit(Visitor& v) {
  if (!gaussian) v.child("theta", theta), v.child("phi", phi);
  v.child("g", g), v.child("out_proj", out_proj);
  v.parameter("pair_weight", pair_weight);
  v.child("norm", norm);
}

Variable NonLocal::pooled(const Variable& y) const {
  if (!settings.pool) return places_of(y);
  const int64_t rows = std::min<int64_t>(2, y.size(1)), columns = std::min<int64_t>(2, y.size(2));
  return places_of(amax(unfold(unfold(y, 1, rows, rows), 2, columns, columns), {4, 5}));
}

Variable NonLocal::weights(const Variable& x) const {
  if (gaussian) return softmax(matmul(places_of(x), transpose(pooled(x), 1, 2)));
  Variable t = places_of(theta(x)), p = pooled(phi(x));
  const int64_t N = p.size(1), I = p.size(2);
  if (concatenated) {
    Variable of_t = matmul(t, slice(pair_weight, 0, 0, I)), of_s = matmul(p, slice(pair_weight, 0, I, 2 * I));
    return relu(unsqueeze(of_t, 2) + unsqueeze(of_s, 1)) / static_cast<double>(N);
  }
  Variable e = matmul(t, transpose(p, 1, 2));
  return options.name == "non_local_dot" ? e / static_cast<double>(N) : softmax(e);
}

Variable NonLocal::picture(const Variable& x) const {
  Variable read = matmul(weights(x), pooled(g(x)));
  return x + rows_of(norm(out_proj(read)), x.size(1), x.size(2));
}

}  // namespace heed::nn
