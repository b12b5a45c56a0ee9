// The matrix product that matmul is built on: C (+)= A B on strided matrices.
#pragma once

#include <cstdint>

namespace heed {

// Element (i, j) is p[i * row + j * column].
template <class T>
struct MatrixView {
  T* p;
  int64_t row, column;
};

// Multiply-adds in a chain. The rounding error of each grows with the sum so far, so a chain of a million loses digits.
// The chains are added up without that loss.
constexpr int64_t kChain = 4096;

// A sum in two numbers: `total`, and its rounding errors `lost` (TwoSum: Knuth, The Art of Computer Programming 2,
// section 4.2.2, theorem B). Adding 0 changes no bit.
template <class T>
inline void add_accurately(T& total, T& lost, T x) {
  T sum = total + x, added = sum - total;
  lost += (total - (sum - added)) + (x - added);
  total = sum;
}
template <class T>
inline T rounded(T total, T lost) {
  return lost - lost == T{0} ? total + lost : total;  // an infinite total makes `lost` NaN
}

// C [M, N] = A [M, K] B [K, N], or C += A B. Any strides on A and B; C must not overlap them.
template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate);

// B [K, N] packed into strips as wide as the tile. For many products of a few rows with the same B, such as x W^T in
// every step of a recurrent layer. The products have the same bits as those of gemm.
template <class T>
struct PackedB {
  const T* strips;  // packed_size(N, K) elements
  int64_t N, K;
  int64_t sections;  // each section is computed by one thread
};
template <class T>
int64_t packed_size(int64_t N, int64_t K);
template <class T>
PackedB<T> pack_b(int64_t N, int64_t K, MatrixView<const T> b, T* to);  // `to` has room for packed_size(N, K)
template <class T>
void gemm(int64_t M, MatrixView<const T> a, const PackedB<T>& b, MatrixView<T> c, bool accumulate);

}  // namespace heed
