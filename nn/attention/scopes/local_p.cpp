#include "nn/attention/scopes/local_p.h"

#include <cmath>

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

LocalPScope::LocalPScope(const Options& o, Generator& rng)
    : options(completed_stage(Kind::scope, o, "local_p")),
      width(options.settings.as<Settings>().window),
      hidden({.in = o.query, .out = o.query, .bias = false}, rng),
      v({.in = o.query, .out = 1, .bias = false}, rng) {}

Variable LocalPScope::centre(const Variable& query, const Places& places) const {
  DType dtype = query.dtype();
  Tensor S =
      places.lengths.defined() ? places.lengths.to(dtype) : Tensor::full({1}, static_cast<double>(places.keys), dtype);
  return Variable(S.view(query.rank() == 4 ? Shape{-1, 1, 1, 1} : Shape{-1, 1, 1})) * sigmoid(v(tanh(hidden(query))));
}

Restriction LocalPScope::operator()(const Variable& query, const Variable&, StageContext& context) const {
  Call call(*this);
  Variable p = call.result("centre", centre(query, context.places));  // [.., T, 1]
  Tensor s = Tensor::arange(context.places.keys, query.dtype());      // [S]
  if (const Tensor& at = context.places.key_at; at.defined())         // padding before the first word
    s = at.to(query.dtype()).view(query.rank() == 4 ? Shape{-1, 1, 1, at.size(1)} : Shape{-1, 1, at.size(1)});
  Tensor allowed = less_equal(abs(sub(s, round(p.value()))), static_cast<double>(width));  // [.., T, S]
  double sigma = static_cast<double>(width) / 2;
  return {.allowed = allowed, .factor = exp(square(Variable(s) - p) * (-1 / (2 * sigma * sigma)))};
}

// p_t = S sigmoid(8 tanh q_t) = S (t + 1/10) / T.
Tensor LocalPScope::picture(const Places& m) {
  Generator rng(1);
  LocalPScope scope(chosen<LocalPScope>({.window = 3}, {.query = 1}), rng);
  scope.hidden.weight.set_value(Tensor::full({1, 1}, 1, DType::f64));
  scope.v.weight.set_value(Tensor::full({1, 1}, 8, DType::f64));
  Tensor query = Tensor::empty({1, m.queries, 1}, DType::f64);
  for (int64_t t = 0; t < m.queries; ++t) {
    double share = (static_cast<double>(t) + 0.1) / static_cast<double>(m.queries);
    query.set({0, t, 0}, std::atanh(std::log(share / (1 - share)) / 8));
  }
  StageContext context{.places = m};
  Restriction seen = scope(query, {}, context);
  return mul(seen.allowed.to(DType::f64), seen.factor.value()).reshape({m.queries, m.keys});
}

}  // namespace heed::nn
