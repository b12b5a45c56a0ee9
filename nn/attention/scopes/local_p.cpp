#include "nn/attention/scopes/local_p.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"

namespace heed::nn {

LocalPScope::LocalPScope(const Options& o, Generator& rng)
    : options(o),
      hidden({.in = o.query, .out = o.query, .bias = false}, rng),
      v({.in = o.query, .out = 1, .bias = false}, rng) {
  if (o.window < 1) throw ValueError(fmt::format("local_p: the window must be at least 1; got {}", o.window));
}

Variable LocalPScope::centre(const Variable& query, const Place& place) const {
  DType dtype = query.dtype();
  Tensor lengths = place.lengths.defined() ? place.lengths.to(dtype).view({-1, 1, 1})
                                           : Tensor::full({1, 1, 1}, static_cast<double>(place.keys), dtype);
  return Variable(lengths) * sigmoid(v(tanh(hidden(query))));
}

Window LocalPScope::operator()(const Variable& query, const Place& place) const {
  Call call(*this);
  Variable p = call.result("centre", centre(query, place));                                         // [B, T, 1]
  Tensor s = Tensor::arange(place.keys, query.dtype());                                             // [S]
  Tensor allowed = less_equal(abs(sub(s, round(p.value()))), static_cast<double>(options.window));  // [B, T, S]
  double sigma = static_cast<double>(options.window) / 2;
  return {.allowed = allowed, .factor = exp(square(Variable(s) - p) * (-1 / (2 * sigma * sigma)))};
}

}  // namespace heed::nn
