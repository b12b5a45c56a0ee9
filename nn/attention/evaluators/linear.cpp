#include "nn/attention/evaluators/linear.h"

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {

Variable linear_log_features(const Variable& x) {
  Tensor negative = less(x.value(), 0);
  return where(negative, x, log(masked_fill(x, negative, 0) + 1));
}

}  // namespace heed::nn
