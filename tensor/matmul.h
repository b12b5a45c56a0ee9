// Matrix products:  C[i, j] = sum_k A[i, k] B[k, j].
//
// One invariant for every kernel: an element of C is ONE chain of fused multiply-adds in the order of k, whatever the
// sizes, the tile, the packing, the threads or the batch. So the number of threads, padding and the batch size never
// change a bit.
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/tensor.h"

namespace heed {

// a [.., M, K] and b [.., K, N] give [.., M, N]; the leading axes broadcast. A vector is a row on the left ([K] is
// [1, K]) and a column on the right ([K] is [K, 1]), and the axis it lent is dropped from the result. f32, f64.
Tensor matmul(const Tensor& a, const Tensor& b);

// C += A B for matrices [M, K], [K, N], [M, N]; continues the chain that made C.
void matmul_into(Tensor& c, const Tensor& a, const Tensor& b);

// A right side that many products share, packed once in the order in which the kernel reads it: a recurrent layer's
// W^T, used in every step. Packed from a copy: later changes of b are not seen. The products have the bits of matmul.
//
//   PackedMatrix w(weight.transpose(0, 1));
//   for each step: matmul_into(gates, h, w);       or, on memory of one's own, gemm<T>(M, h, w.view<T>(), gates, ..)
class PackedMatrix {
 public:
  explicit PackedMatrix(const Tensor& b);  // [K, N], f32 or f64
  Shape shape() const { return {rows_, columns_}; }
  DType dtype() const { return strips_.dtype(); }
  template <class T>
  PackedB<T> view() const {  // for gemm
    return {strips_.data<T>(), columns_, rows_, sections_};
  }

 private:
  friend void matmul_into(Tensor& c, const Tensor& a, const PackedMatrix& b);
  Tensor strips_;
  int64_t rows_, columns_, sections_ = 1;
};
Tensor matmul(const Tensor& a, const PackedMatrix& b);  // a [M, K] gives [M, N]
void matmul_into(Tensor& c, const Tensor& a, const PackedMatrix& b);

// The same product as three loops: the reference that the fast one is tested against, bit by bit.
Tensor matmul_reference(const Tensor& a, const Tensor& b);

}  // namespace heed
