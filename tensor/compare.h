// Comparisons and the algebra of masks: bool tensors, by which where and masked_fill choose.
//
// Two tensors broadcast and need one dtype; any dtype will do. A scalar takes the tensor's dtype, but for i64, where it
// is compared as the real number that it is: no i64 is equal to 0.5. Every comparison with NaN is false, but not_equal.
#pragma once

#include "tensor/tensor.h"

namespace heed {

Tensor equal(const Tensor& a, const Tensor& b);          // a == b
Tensor not_equal(const Tensor& a, const Tensor& b);      // a != b
Tensor less(const Tensor& a, const Tensor& b);           // a < b
Tensor less_equal(const Tensor& a, const Tensor& b);     // a <= b
Tensor greater(const Tensor& a, const Tensor& b);        // a > b
Tensor greater_equal(const Tensor& a, const Tensor& b);  // a >= b
Tensor equal(const Tensor& a, double s);
Tensor not_equal(const Tensor& a, double s);
Tensor less(const Tensor& a, double s);
Tensor less_equal(const Tensor& a, double s);
Tensor greater(const Tensor& a, double s);
Tensor greater_equal(const Tensor& a, double s);

Tensor isnan(const Tensor& x);     // integers and bool are never NaN
Tensor isfinite(const Tensor& x);  // neither NaN nor infinite

// Of bool tensors (DTypeError).
Tensor logical_not(const Tensor& a);
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);

}  // namespace heed
