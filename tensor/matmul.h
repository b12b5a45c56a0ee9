// Matrix products:  C[i, j] = sum_k A[i, k] B[k, j].
//
// One invariant holds for every kernel: an element of C is a chain of multiply-adds in the order of k (fused if the
// processor has FMA), for all sizes, tiles, packings, threads and batches. So the number of threads, padding and the
// batch size never change a bit of the result. After 4096 multiply-adds (kChain) another chain begins. The chains are
// added up together with the rounding errors of these additions, so that long products keep their digits. (Products in
// bf16 have another order, which is just as fixed.)
#pragma once

#include <type_traits>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/scope.h"
#include "tensor/tensor.h"

namespace heed {

// The precision of this thread's products of f32, as long as the scope lives:
//
//   PrecisionScope scope(Precision::bf16);    both matrices are rounded to bf16, the sums are f32 (kernels/gemm_bf16.h)
//
// The precision is read when a product is computed, so the backward pass must be inside a scope, too. Products of f64,
// those with a PackedMatrix (the steps of a recurrent layer) and those inside tiled attention stay as they are.
enum class Precision : uint8_t { f32, bf16 };
namespace detail {
inline constinit thread_local Precision precision = Precision::f32;
}
inline Precision precision() { return detail::precision; }
class PrecisionScope {
 public:
  explicit PrecisionScope(Precision p) : scope_(detail::precision, p) {}

 private:
  ScopedValue<Precision> scope_;
};

// gemm in a precision that was read before the work was divided, since worker threads do not see the caller's scope.
template <class T>
void gemm(Precision p, int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate) {
  if constexpr (std::is_same_v<T, float>)
    if (p == Precision::bf16) return gemm_bf16(M, N, K, a, b, c, accumulate);
  gemm<T>(M, N, K, a, b, c, accumulate);
}

// a [.., M, K] and b [.., K, N] give [.., M, N]; the leading axes broadcast. A vector on the left counts as a row ([K]
// is [1, K]), one on the right as a column ([K] is [K, 1]); the axis added for it is dropped from the result. f32, f64.
Tensor matmul(const Tensor& a, const Tensor& b);

// The rule for vectors, of tensors and of Variables: which operands are vectors, and as which matrices they count.
struct VectorOperands {
  bool row, column;
  template <class X>
  VectorOperands(const X& a, const X& b) : row(a.rank() == 1), column(b.rank() == 1) {}
  // ShapeError, with the shapes as they were given, for operands that have no product.
  static void require_product(const Shape& a, const Shape& b);
  Shape left(const Shape& a) const { return row ? Shape{1, a[0]} : a; }
  Shape right(const Shape& b) const { return column ? Shape{b[0], 1} : b; }
  Shape dropped(Shape out) const {  // out [.., M, N], of the matrices
    if (column) out.erase(out.rank() - 1);
    if (row) out.erase(out.rank() - (column ? 1 : 2));
    return out;
  }
};

// C += A B for matrices [M, K], [K, N], [M, N]; the first 4096 multiply-adds continue the chains of C.
void matmul_into(Tensor& c, const Tensor& a, const Tensor& b);

// A right-hand matrix that many products share, packed once in the order in which the kernel reads it; for example the
// W^T of a recurrent layer, used in every step. It is a copy: later changes of b have no effect. The products have the
// same bits as those of matmul.
//
//   PackedMatrix w(weight.transpose(0, 1));
//   for each step: matmul_into(gates, h, w);       or, on your own memory, gemm<T>(M, h, w.view<T>(), gates, ..)
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
  friend Tensor matmul(const Tensor& a, const PackedMatrix& b);
  friend void matmul_into(Tensor& c, const Tensor& a, const PackedMatrix& b);
  void multiply(Tensor& c, const Tensor& a, bool accumulate) const;  // C (+)= A B
  Tensor strips_;
  int64_t rows_, columns_, sections_ = 1;
};
// a [M, K] and b packed from [K, N] give [M, N]. ShapeError if K differs, DTypeError if the types differ.
Tensor matmul(const Tensor& a, const PackedMatrix& b);
void matmul_into(Tensor& c, const Tensor& a, const PackedMatrix& b);

// The same product as three loops: the reference that the fast one is tested against, bit by bit.
Tensor matmul_reference(const Tensor& a, const Tensor& b);

}  // namespace heed
