// Matrix products:  C[i, j] = sum_k A[i, k] B[k, j].
//
// One invariant for every kernel: an element of C is ONE chain of fused multiply-adds in the order of k, whatever the
// sizes, the tile, the packing, the threads or the batch. So the number of threads, padding and the batch size never
// change a bit.
#pragma once

#include "tensor/tensor.h"

namespace heed {

// a [.., M, K] and b [.., K, N] give [.., M, N]; the leading axes broadcast. A vector is a row on the left ([K] is
// [1, K]) and a column on the right ([K] is [K, 1]), and the axis it lent is dropped from the result. f32, f64.
Tensor matmul(const Tensor& a, const Tensor& b);

// C += A B for matrices [M, K], [K, N], [M, N]; continues the chain that made C.
void matmul_into(Tensor& c, const Tensor& a, const Tensor& b);

// The same product as three loops: the reference that the fast one is tested against, bit by bit.
Tensor matmul_reference(const Tensor& a, const Tensor& b);

}  // namespace heed
