// Comparisons and logical operations. The results are masks: bool tensors, for where and masked_fill.
//
// Two tensors broadcast and must have the same dtype, any dtype. A scalar is converted to the tensor's dtype, except
// for i64: there the comparison is exact, and no i64 is equal to 0.5. With NaN only not_equal is true.
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
