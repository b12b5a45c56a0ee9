#include "nn/attention/scopes/local_p.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

LocalPScope::LocalPScope(const Options& o, Generator& rng)
    : options(completed_stage(Kind::scope, o, "local_p")),
      width(options.settings.whole("window")),
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
  if (const Tensor& at = context.places.key_at; at.defined())
    s = at.to(query.dtype()).view(query.rank() == 4 ? Shape{-1, 1, 1, at.size(1)} : Shape{-1, 1, at.size(1)});
  Tensor allowed = less_equal(abs(sub(s, round(p.value()))), static_cast<double>(width));  // [.., T, S]
  double sigma = static_cast<double>(width) / 2;
  return {.allowed = allowed, .factor = exp(square(Variable(s) - p) * (-1 / (2 * sigma * sigma)))};
}

}  // namespace heed::nn
