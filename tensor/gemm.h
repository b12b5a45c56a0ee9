// The kernel under matmul: C (+)= A B on strided matrices.
#pragma once

#include <cstdint>

namespace heed {

// Element (i, j) stands at p[i * row + j * column].
template <class T>
struct MatrixView {
  T* p;
  int64_t row, column;
};

// C [M, N] = A [M, K] B [K, N], or C += A B. Any strides on A and B; C must not overlap them.
template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate);

}  // namespace heed
