#include "nn/train/minimum_risk.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {

Variable minimum_risk(const Variable& log_p, const Tensor& risk, const MinimumRiskOptions& o) {
  if (log_p.rank() != 2 || !(risk.shape() == log_p.shape()))
    throw ShapeError(fmt::format("minimum_risk: needs log_p and risk [B, N]; got {} and {}", to_string(log_p.shape()),
                                 to_string(risk.shape())));
  if (!(o.alpha > 0 && o.alpha <= 1e30))
    throw ValueError(fmt::format("minimum_risk: alpha must be positive, and at most 1e30; got {}", o.alpha));
  Tensor top = amax(log_p.value(), {1}, true);  // the largest first, so that alpha times it is 0
  Variable below = log_p - Variable(where(equal(top, -INFINITY), Tensor::zeros({}, top.dtype()), top));
  return sum(softmax(below * o.alpha, 1) * Variable(risk), {1});
}

}  // namespace heed::nn
