#include "nn/attention/positions/fire.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/kerple.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// The places of the queries: [1, 1, T, 1], or [B, 1, T, 1].
Tensor places_of_queries(const Places& p, DType dtype) {
  if (p.query_at.defined()) return p.query_at.contiguous().to(dtype).reshape({p.query_at.size(0), 1, p.queries, 1});
  Tensor at = Tensor::empty({1, 1, p.queries, 1}, DType::i64);
  for (int64_t t = 0; t < p.queries; ++t) at.data<int64_t>()[t] = p.first_query + t;
  return at.to(dtype);
}

}  // namespace

FireBias::FireBias(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "fire")), settings(options.settings.as<Settings>()) {
  require_heads("FireBias", o.heads);
  int64_t N = settings.hidden;
  c = full_parameter({1}, std::log(0.1)), threshold = full_parameter({1}, 0);
  weight_in = normal_parameter({N, 1}, 1, rng), bias_in = normal_parameter({N}, 1, rng);
  weight_out = normal_parameter({o.heads, N}, 1 / std::sqrt(static_cast<double>(N)), rng);
}

Variable FireBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  auto psi = [this](const Variable& x) { return log1p(exp(c) * x); };
  Variable length = exp(threshold) * settings.threshold;
  Variable share = psi(Variable(steps_between(places, q.dtype()))) /
                   psi(maximum(length, Variable(places_of_queries(places, q.dtype()))));           // [B, 1, T, S]
  Variable seen = linear(relu(linear(unsqueeze(share, -1), weight_in, bias_in)), weight_out, {});  // [B, 1, T, S, H]
  return call.result("bias", permute(squeeze(seen, 1), {0, 3, 1, 2}));
}

}  // namespace heed::nn
