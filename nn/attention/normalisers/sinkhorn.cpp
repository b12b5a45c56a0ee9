#include "nn/attention/normalisers/sinkhorn.h"

#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {

Variable minus_log_sums(const Variable& logarithms, int64_t axis) {
  Variable total = logsumexp(logarithms, {axis}, true);
  return logarithms - masked_fill(total, equal(total.value(), -INFINITY), 0);
}

Variable SinkhornNormaliser::weights(const Variable& scores, StageContext&) const {
  Variable L = scores;
  for (int64_t column_steps = iterations / 2; column_steps > 0; --column_steps) {
    L = minus_log_sums(L, -1);
    L = minus_log_sums(L, -2);
  }
  return softmax(L, -1);  // the rows of the last step
}

}  // namespace heed::nn
