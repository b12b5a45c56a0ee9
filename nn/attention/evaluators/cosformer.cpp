#include "nn/attention/evaluators/cosformer.h"

#include <fmt/format.h>

#include <numbers>

#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {

Features CosineFeatures::of(const Variable& x, double, const Tensor& places) const {
  if (places.count() > 0)
    if (double last = amax(places.to(DType::f64)).item(); last >= static_cast<double>(longest))
      throw ValueError(
          fmt::format("cosformer: places must be below the setting longest, {}, or weights would be negative; got the "
                      "place {:g}; hint: cosformer:{:g}",
                      longest, last, 2 * last));
  Tensor angles = mul(places.to(DType::f64), std::numbers::pi / (2 * static_cast<double>(longest)));
  Variable r = relu(x);
  return in_rows(concat({r * Variable(cos(angles).to(x.dtype())), r * Variable(sin(angles).to(x.dtype()))}, -1));
}

}  // namespace heed::nn
