// What a normaliser reads off the scores: a key that the query may not attend to has the score -inf. Counts leave such
// keys out, so that padding changes nothing, and a step of a decoder counts the same keys as the parallel pass does.
#pragma once

#include <cmath>

#include "autograd/variable.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {

inline Tensor barred(const Variable& scores) { return equal(scores.value(), -INFINITY); }  // bool [.., T, S]

// The number of keys that each query may attend to, [.., T, 1], in the dtype of the scores; 1 where there are none.
inline Tensor allowed_keys(const Variable& scores) {
  Tensor count = sum(logical_not(barred(scores)).to(scores.dtype()), {-1}, true);
  return maximum(count, Tensor::ones({}, scores.dtype()));
}

}  // namespace heed::nn
