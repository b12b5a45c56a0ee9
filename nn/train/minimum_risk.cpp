#include "nn/train/minimum_risk.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

Variable minimum_risk(const Variable& log_p, const Tensor& risk, const MinimumRiskOptions& o) {
  if (log_p.rank() != 2 || !(risk.shape() == log_p.shape()))
    throw ShapeError(fmt::format("minimum_risk: needs log_p and risk [B, N]; got {} and {}", to_string(log_p.shape()),
                                 to_string(risk.shape())));
  if (!(o.alpha > 0)) throw ValueError(fmt::format("minimum_risk: alpha must be positive; got {}", o.alpha));
  return sum(softmax(log_p * o.alpha, 1) * Variable(risk), {1});
}

}  // namespace heed::nn
