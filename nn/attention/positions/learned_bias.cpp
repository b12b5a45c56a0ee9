#include "nn/attention/positions/learned_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

Variable learned(const Shape& shape, double value) {
  return {Tensor::full(shape, value, DType::f32), Variable::kRequiresGrad};
}

// |s - t| as [1, 1, T, S], or [B, 1, T, S] where the places are given one by one.
Tensor steps(const Places& places, DType dtype) {
  Tensor apart = distances(places);
  int64_t B = apart.rank() == 3 ? apart.size(0) : 1;
  return abs(apart).to(dtype).reshape({B, 1, places.queries, places.keys});
}

// The places of the queries: [1, 1, T, 1], or [B, 1, T, 1].
Tensor places_of_queries(const Places& p, DType dtype) {
  if (p.query_at.defined()) return p.query_at.contiguous().to(dtype).reshape({p.query_at.size(0), 1, p.queries, 1});
  Tensor at = Tensor::empty({1, 1, p.queries, 1}, DType::i64);
  for (int64_t t = 0; t < p.queries; ++t) at.data<int64_t>()[t] = p.first_query + t;
  return at.to(dtype);
}

}  // namespace

KerpleBias::KerpleBias(const Options& o, Generator&) : options(completed_stage(Kind::position, o, "kerple")) {
  require_heads("KerpleBias", o.heads);
  r1 = learned({o.heads}, 0), r2 = learned({o.heads}, 0);
}

Variable KerpleBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  Shape heads{1, options.heads, 1, 1};
  Variable strength = -exp(reshape(r1, heads)), shape = reshape(r2, heads);
  Tensor d = steps(places, q.dtype());
  if (options.name == "kerple") return call.result("bias", strength * log1p(exp(shape) * Variable(d)));
  Tensor apart = minimum(d, Tensor::full({}, 1, q.dtype())), at_least_one = maximum(d, Tensor::full({}, 1, q.dtype()));
  Variable power = exp(2 * sigmoid(shape) * Variable(log(at_least_one)));  // d^r2, and 1 at d = 0
  return call.result("bias", strength * power * Variable(apart));
}

FireBias::FireBias(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "fire")), settings(options.settings.as<Settings>()) {
  require_heads("FireBias", o.heads);
  int64_t N = settings.hidden;
  c = learned({1}, std::log(0.1)), threshold = learned({1}, 0);
  weight_in = normal_parameter({N, 1}, 1, rng), bias_in = normal_parameter({N}, 1, rng);
  weight_out = normal_parameter({o.heads, N}, 1 / std::sqrt(static_cast<double>(N)), rng);
}

Variable FireBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  auto psi = [this](const Variable& x) { return log1p(exp(c) * x); };
  Variable length = exp(threshold) * settings.threshold;
  Variable share = psi(Variable(steps(places, q.dtype()))) /
                   psi(maximum(length, Variable(places_of_queries(places, q.dtype()))));           // [B, 1, T, S]
  Variable seen = linear(relu(linear(unsqueeze(share, -1), weight_in, bias_in)), weight_out, {});  // [B, 1, T, S, H]
  return call.result("bias", permute(squeeze(seen, 1), {0, 3, 1, 2}));
}

DynamicBias::DynamicBias(const Options& o, Generator& rng)
    : options(completed_stage(Kind::position, o, "dynamic_bias")),
      settings(options.settings.as<Settings>()),
      linear1({.in = 1, .out = settings.hidden}, rng),
      linear2({.in = settings.hidden, .out = settings.hidden}, rng),
      linear3({.in = settings.hidden, .out = o.heads}, rng) {
  require_heads("DynamicBias", o.heads);
}

Variable DynamicBias::bias(const Variable& q, const Places& places, double) const {
  Call call(*this);
  Tensor apart = distances(places).contiguous();  // s - t, [T, S] or [B, T, S]
  const int64_t n = apart.count(), B = apart.rank() == 3 ? apart.size(0) : 1;
  const int64_t* d = apart.data<int64_t>();
  const int64_t least = n ? *std::min_element(d, d + n) : 0, most = n ? *std::max_element(d, d + n) : 0;
  Tensor way = Tensor::empty({most - least + 1, 1}, DType::f64), row = Tensor::empty({n}, DType::i64);
  for (int64_t i = least; i <= most; ++i)
    way.data<double>()[i - least] = std::copysign(std::log1p(std::abs(static_cast<double>(i))), static_cast<double>(i));
  for (int64_t i = 0; i < n; ++i) row.data<int64_t>()[i] = d[i] - least;
  Variable table = linear3(relu(linear2(relu(linear1(Variable(way.to(q.dtype())))))));  // [distances, H]
  Variable each = reshape(index_select(table, 0, row), {B, places.queries, places.keys, options.heads});
  return call.result("bias", permute(each, {0, 3, 1, 2}));
}

}  // namespace heed::nn
