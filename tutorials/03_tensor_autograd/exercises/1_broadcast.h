// Exercise 03.1: undo a broadcast.
//
// y = a * b with a [4, 3] and b [3]: b was repeated for each of the 4 rows, so each number of b occurs in four elements
// of y, and its gradient is the sum of the gradients of the four. The same holds for any axes that were missing or of
// size 1:
//
//   dy [2, 4, 3]  ->  gradient of a [3]:    sum over axes 0 and 1
//                     gradient of a [4, 1]: sum over axes 0 and 2, and keep axis 2 with size 1
//
// sum(x, axes, keep) of tensor/reduce.h adds over axes; with keep they stay, with size 1. x.reshape(shape) gives the
// elements another shape. Sizes are x.rank(), x.size(i), shape.rank() and shape[i]; axes is a Dims, built with
// push_back. Do without sum_to, which is this function.
#pragma once

#include "tensor/reduce.h"
#include "tensor/tensor.h"

namespace mine {

// dy is the gradient of the output of an operation that broadcast a value of the given shape. Returns the gradient of
// that value, which has its shape.
heed::Tensor undo_broadcast(const heed::Tensor& dy, const heed::Shape& shape);

}  // namespace mine
