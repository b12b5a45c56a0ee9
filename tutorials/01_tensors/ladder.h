// One matrix product, C [M, N] = A [M, K] B [K, N], in five versions. Each computes
//
//   C[i, j] = A[i, 0] B[0, j] + A[i, 1] B[1, j] + ... + A[i, K-1] B[K-1, j]
//
// with the same M N K multiply-adds, and adds up each element in the same order of k. The versions differ in the order
// in which they visit the elements, and therefore in what they read and write. All matrices are contiguous: X[i, j] is
// stored at i * columns + j. Versions 3 and 4 follow K. Goto and R. van de Geijn, 2008, and BLIS (README.md, History).
//
//   In: const float*, or CountedTouches<const float>, which counts each read; Out: the same for float*
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/kernels/simd.h"
#include "tensor/thread_pool.h"

namespace heed {

// ---- memory -----------------------------------------------------------------
// A memory access (a touch) is one float read or written; a vector of 16 floats is 16 accesses. A jump is an access
// that is neither in the cache line (64 bytes) of the last access to the same matrix nor in the next line, which the
// processor loads in advance.
struct Tally {
  int64_t touches = 0, jumps = 0;
  int64_t line = -1;  // cache line of the last access: its address / 64
};

template <class T>
class CountedTouches {
 public:
  CountedTouches(T* p, Tally* tally) : p_(p), tally_(tally) {}
  operator CountedTouches<const T>() const { return {p_, tally_}; }
  CountedTouches operator+(int64_t i) const { return {p_ + i, tally_}; }
  T& operator[](int64_t i) const { return *touch(i, 1); }
  T* touch(int64_t i, int64_t floats) const {
    auto line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p_ + i) / 64);
    tally_->touches += floats;
    if (tally_->line >= 0 && line != tally_->line && line != tally_->line + 1) ++tally_->jumps;
    tally_->line = line;
    return p_ + i;
  }

 private:
  T* p_;
  Tally* tally_;
};

// Reads or writes kWidth neighbours with one instruction; only `n` of them at the end of a row.
constexpr int64_t kWidth = kLanes<float>;
inline Lanes<float> get(const float* p, int64_t i) { return load(p + i); }
inline Lanes<float> get(const CountedTouches<const float>& p, int64_t i) { return load(p.touch(i, kWidth)); }
inline void put(float* p, int64_t i, Lanes<float> v, int64_t n) {
  n < kWidth ? store_first(p + i, v, n) : store(p + i, v);
}
inline void put(const CountedTouches<float>& p, int64_t i, Lanes<float> v, int64_t n) {
  put(p.touch(i, n < kWidth ? n : kWidth), 0, v, n);
}

// The tile of versions 3 to 5: as many sums as fit into the registers of this processor, with a few registers to spare.
#if defined(__AVX512F__)
constexpr int64_t kTileRows = 6, kTileVectors = 4;  // 24 of 32 registers, 16 floats each
#elif defined(__AVX__)
constexpr int64_t kTileRows = 6, kTileVectors = 1;  // 12 of 16, 8 floats each
#elif defined(__aarch64__)
constexpr int64_t kTileRows = 4, kTileVectors = 1;  // 16 of 32, 4 floats each
#else
constexpr int64_t kTileRows = 2, kTileVectors = 1;  // 8 of 16, 4 floats each
#endif
constexpr int64_t kTileColumns = kTileVectors * kWidth;

struct Sizes {
  int64_t M, N, K, tile_rows = kTileRows;
  int64_t row_tiles() const { return (M + tile_rows - 1) / tile_rows; }
  int64_t strips() const {
    return (N + kTileColumns - 1) / kTileColumns;
  }  // of kTileColumns columns; the last has fewer
  int64_t columns_of(int64_t strip) const { return std::min(kTileColumns, N - strip * kTileColumns); }
};

// ---- version 1: the formula, i-j-k -----------------------------------------
template <class In, class Out>
void formula(const Sizes& s, In a, In b, Out c) {
  for (int64_t i = 0; i < s.M; ++i)
    for (int64_t j = 0; j < s.N; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < s.K; ++k) sum += a[i * s.K + k] * b[k * s.N + j];
      c[i * s.N + j] = sum;
    }
}

// ---- version 2: the order i-k-j, for the columns from j0 on -----------------
template <class In, class Out>
void loop_order(const Sizes& s, In a, In b, Out c, int64_t j0 = 0) {
  for (int64_t i = 0; i < s.M; ++i) {
    for (int64_t j = j0; j < s.N; ++j) c[i * s.N + j] = 0;
    for (int64_t k = 0; k < s.K; ++k) {
      float x = a[i * s.K + k];
      for (int64_t j = j0; j < s.N; ++j) c[i * s.N + j] = c[i * s.N + j] + x * b[k * s.N + j];
    }
  }
}

// ---- version 3: a tile of C stays in registers ------------------------------
// ROWS x kTileColumns sums. Neighbouring rows of A, B and C are a_row, b_row and c_row floats apart. Only the first
// `columns` columns of the tile are written.
template <int ROWS, class In, class Out>
void tile(int64_t K, In a, int64_t a_row, In b, int64_t b_row, Out c, int64_t c_row, int64_t columns) {
  Lanes<float> sum[ROWS][kTileVectors] = {};
  for (int64_t k = 0; k < K; ++k) {
    Lanes<float> row[kTileVectors];
#pragma GCC unroll 8
    for (int64_t v = 0; v < kTileVectors; ++v) row[v] = get(b, k * b_row + v * kWidth);
#pragma GCC unroll 8
    for (int64_t i = 0; i < ROWS; ++i) {
      float x = a[i * a_row + k];
#pragma GCC unroll 8
      for (int64_t v = 0; v < kTileVectors; ++v) sum[i][v] += x * row[v];
    }
  }
#pragma GCC unroll 8
  for (int64_t i = 0; i < ROWS; ++i)
#pragma GCC unroll 8
    for (int64_t v = 0; v < kTileVectors; ++v)
      if (columns > v * kWidth) put(c, i * c_row + v * kWidth, sum[i][v], columns - v * kWidth);
}

// One strip of C, rows [first, last), tile after tile. The compiler must know a tile's number of rows, hence the
// switch.
template <class In, class Out>
void tiles_down(const Sizes& s, int64_t first, int64_t last, In a, In b, int64_t b_row, Out c, int64_t columns) {
  for (int64_t i = first; i < last; i += s.tile_rows) {
    auto run = [&](auto tile_of_rows) { tile_of_rows(s.K, a + i * s.K, s.K, b, b_row, c + i * s.N, s.N, columns); };
    switch (std::min(s.tile_rows, last - i)) {
      case 1:
        run(tile<1, In, Out>);
        break;
      case 2:
        run(tile<2, In, Out>);
        break;
      case 3:
        run(tile<3, In, Out>);
        break;
      case 4:
        run(tile<4, In, Out>);
        break;
      case 5:
        run(tile<5, In, Out>);
        break;
      case 6:
        run(tile<6, In, Out>);
        break;
      case 7:
        run(tile<7, In, Out>);
        break;
      default:
        run(tile<8, In, Out>);
        break;
    }
  }
}

template <class In, class Out>
void register_tile(const Sizes& s, In a, In b, Out c) {
  int64_t j = 0;
  for (; j + kTileColumns <= s.N; j += kTileColumns) tiles_down(s, 0, s.M, a, b + j, s.N, c + j, kTileColumns);
  if (j < s.N) loop_order(s, a, b, c, j);  // columns that fill no tile
}

// ---- version 4: B is copied into strips as wide as a tile; a strip's rows follow one another
template <class In, class Out>
void pack(const Sizes& s, In b, Out strips, int64_t first, int64_t last) {
  for (int64_t t = first; t < last; ++t)
    for (int64_t k = 0; k < s.K; ++k) {
      int64_t to = (t * s.K + k) * kTileColumns, from = k * s.N + t * kTileColumns, columns = s.columns_of(t);
      for (int64_t j = 0; j < columns; ++j) strips[to + j] = b[from + j];
      for (int64_t j = columns; j < kTileColumns; ++j) strips[to + j] = 0;
    }
}

template <class In, class Out>
void from_strips(const Sizes& s, int64_t first, int64_t last, In a, In strips, Out c) {  // rows [first, last) of C
  for (int64_t t = 0; t < s.strips(); ++t)
    tiles_down(s, first, last, a, strips + t * s.K * kTileColumns, kTileColumns, c + t * kTileColumns, s.columns_of(t));
}

template <class In, class Out>
void packed(const Sizes& s, In a, In b, Out c, Out strips) {  // strips [strips, K, kTileColumns]: room for the copy
  pack(s, b, strips, 0, s.strips());
  from_strips(s, 0, s.M, a, In(strips), c);
}

// ---- version 5: every thread packs some strips, then computes some rows -----
inline void threads(const Sizes& s, const float* a, const float* b, float* c, float* strips) {
  parallel_for(0, s.strips(), 1, [&](int64_t first, int64_t last) { pack(s, b, strips, first, last); });
  parallel_for(0, s.row_tiles(), 1, [&](int64_t first, int64_t last) {
    const float* filled = strips;
    from_strips(s, first * s.tile_rows, std::min(s.M, last * s.tile_rows), a, filled, c);
  });
}

}  // namespace heed
