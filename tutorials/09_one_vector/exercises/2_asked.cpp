#include "tutorials/09_one_vector/exercises/2_asked.h"

#include <cmath>

#include "tensor/compare.h"

namespace mine {

using namespace heed;

// | // The gap gives padding a weight, too.
Variable ask(const Variable& q, const Variable& x, const Tensor& words) {
  Variable scores = squeeze(matmul(x, unsqueeze(q, 2)), 2);  // [B, S]
  // ---- the gap: leave the padding out ----
  // | Variable weights = softmax(scores);
  // ---- filled ----
  scores = masked_fill(scores, logical_not(words), -INFINITY);
  Variable weights = softmax(scores);
  // ---- end of the gap ----
  return squeeze(matmul(unsqueeze(weights, 1), x), 1);
}

}  // namespace mine
