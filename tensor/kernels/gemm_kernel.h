// The building blocks of gemm_rectangle.h: registers of the machine's width, the operands of a tile of C that stays in
// them (gemm_tiles.cpp), and packing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/machine.h"

namespace heed {

// The tile of C for registers of R bytes. AVX-512 and NEON have 32 registers, SSE2 and AVX2 have 16.
template <int R>
constexpr int kTileRows = R == 64   ? 8
                          : R == 32 ? 6
                                    : 4;
template <int R>
constexpr int kTileVectors = R == 64 ? 3 : 2;
template <int R>
constexpr int kWideRows = R == 64 ? 6 : 4;
template <int R>
constexpr int kWideVectors = R == 64 ? 4 : 3;

// The maximum number of rows and registers of a tile. A matrix as wide as the wide tile uses that one: a single strip
// starts and finishes half as many tiles as two narrow strips would.
struct TileShape {
  int64_t rows, vectors;
};
template <int R>
constexpr TileShape tile_shape(int64_t vectors) {
  return vectors == kWideVectors<R> ? TileShape{kWideRows<R>, kWideVectors<R>}
                                    : TileShape{kTileRows<R>, kTileVectors<R>};
}

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Divides a length into parts whose sizes differ by at most one: nine rows into 5 + 4, five registers into 3 + 2. A
// tile that is too thin could not keep the arithmetic units busy.
struct Parts {
  Parts(int64_t first, int64_t last, int64_t most) : begin(first), size(last - first) {
    if (size <= most) return;  // without a division, which would be noticeable in a small product
    count = divide_up(size, most);
    larger = size % count;
    size /= count;
  }
  int64_t count = 1;
  int64_t at(int64_t i) const { return begin + i * size + std::min(i, larger); }
  int64_t largest() const { return size + (larger > 0); }

 private:
  int64_t begin, size, larger = 0;
};

template <class T, int R>
constexpr int64_t kWidth = static_cast<int64_t>(R / sizeof(T));
template <class T, int R>
using V = typename Lanes<T, R, kWidth<T, R>>::Register;

template <int R, class T>
inline V<T, R> get(const T* p) {
  return reinterpret_cast<const Anywhere<V<T, R>>*>(p)->v;
}
template <int R, class T>
inline void put(T* p, V<T, R> v) {
  reinterpret_cast<Anywhere<V<T, R>>*>(p)->v = v;
}

// The operands of one tile. The rows of b and c are whole registers.
template <class T>
struct Tile {
  int64_t K;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row;
  T* b_copy;  // where the tile stores a packed copy of b while it reads it, or null
  T* c;
  int64_t c_row;
  bool from_c;  // start from the values in c
  // What to prefetch for a later tile, or null. Step k prefetches fetch[k % 2] + k * fetch_step. One prefetch per step:
  // a burst of them between two tiles had no effect on a Zen 5. Only tiles whose b is in a strip do so.
  const T* fetch[2] = {nullptr, nullptr};
  int64_t fetch_step = 0;
};

// Runs the tile of `rows` rows and `vectors` registers (gemm_tiles.cpp). b is in a strip if b_row is `vectors`
// registers, and a is in a panel if its columns are dense, one after the other.
template <int R, class T>
void run_tile(int64_t rows, int64_t vectors, const Tile<T>& t);

// The lower halves (HALF = 0) or the upper halves of each 16 bytes of a and b, interleaved. For f32 and HALF = 0:
// a0 b0 a1 b1, a4 b4 a5 b5, ...
template <class T, int R, int HALF, int... I>
inline V<T, R> interleave(V<T, R> a, V<T, R> b, std::integer_sequence<int, I...>) {
  constexpr int L = 16 / sizeof(T), W = sizeof...(I);
  return __builtin_shufflevector(a, b, (I / L * L + HALF * L / 2 + I % L / 2 + I % 2 * W)...);
}
// The pieces of 16 bytes with even (ODD = 0) or odd numbers: those of a, then those of b.
template <class T, int R, int ODD, int... I>
inline V<T, R> every_other(V<T, R> a, V<T, R> b, std::integer_sequence<int, I...>) {
  constexpr int L = 16 / sizeof(T);
  return __builtin_shufflevector(a, b, ((2 * (I / L) + ODD) * L + I % L)...);
}

// to [W, W] = from [W, W] transposed, W = kWidth. A register is N pieces of 16 bytes, each of L numbers. Shuffles
// inside pieces are cheaper than others. So first each square of L x L numbers (one piece of L rows) is transposed,
// then the N x N pieces. Each round exchanges one bit of the row number with one of the column number.
template <class T, int R>
void transpose_square(const T* from, int64_t from_row, T* to, int64_t to_row) {
  constexpr int W = static_cast<int>(kWidth<T, R>), L = 16 / sizeof(T), N = W / L;
  constexpr auto lanes = std::make_integer_sequence<int, W>{};
  V<T, R> x[W], y[W];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) x[i] = get<R>(from + i * from_row);
#pragma GCC unroll 4
  for (int bit = 1; bit < L; bit *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < W; i += 2) {
      int row = i / L * L + i % L / 2;
      y[i] = interleave<T, R, 0>(x[row], x[row + L / 2], lanes);
      y[i + 1] = interleave<T, R, 1>(x[row], x[row + L / 2], lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) x[i] = y[i];
  }
#pragma GCC unroll 4
  for (int bit = 1; bit < N; bit *= 2) {
#pragma GCC unroll 16
    for (int i = 0; i < W / 2; ++i) {
      int row = i / L * 2 * L + i % L;
      y[i] = every_other<T, R, 0>(x[row], x[row + L], lanes);
      y[i + W / 2] = every_other<T, R, 1>(x[row], x[row + L], lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) x[i] = y[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) put<R>(to + i * to_row, x[i]);
}

// to [depth, padded] = b [depth, width], zeros after column `width`.
template <class T, int R>
void pack(int64_t depth, int64_t width, int64_t padded, MatrixView<const T> b, T* to) {
  constexpr int64_t W = kWidth<T, R>;
  for (int64_t j = 0; j < padded; j += W) {
    int64_t k = 0, lanes = width - j < W ? width - j : W;
    const T* from = b.p + j * b.column;
    if (lanes == W && b.column == 1)
      for (; k < depth; ++k) put<R>(to + k * padded + j, get<R>(from + k * b.row));
    if (lanes == W && b.row == 1)
      for (; k + W <= depth; k += W) transpose_square<T, R>(from + k, b.column, to + k * padded + j, padded);
    for (; k < depth; ++k) {
      for (int64_t i = 0; i < lanes; ++i) to[k * padded + j + i] = from[k * b.row + i * b.column];
      for (int64_t i = lanes; i < W; ++i) to[k * padded + j + i] = T{0};
    }
  }
}

}  // namespace heed
