// The building blocks of gemm_rectangle.h: registers of the machine's width, the tile of C that stays in them, and
// packing.
//
//   tile:  c [m, n registers] += a [m, K] b [K, n registers]; the sums stay in m x n registers for all k
//
//   k ->   b   [ v v v ]   one row of b per step: n loads
//   a  x       [ s s s ]   each x of the column of a is broadcast: m loads, with any stride
//      x       [ s s s ]   m x n multiply-adds; at two per cycle they hide both kinds of loads
//
// Each step adds one fused multiply-add to the chain of every element, so the order of k is the order of the chain.
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

// How many rows ahead to prefetch. Rows of b are often a multiple of the page size apart, where the hardware does not
// prefetch.
constexpr int64_t kAhead = 4, kAheadInStrip = 12;

// Where b is: anywhere; anywhere, and the tile copies it into a strip; in a strip, with dense rows of a; in a strip,
// with a in a panel (its columns dense, one after the other). The last two need fewer strides or none, which saves 5 %
// of the time at two multiply-adds per cycle. They also exist with prefetches for a later tile (Tile::fetch).
enum Where { kAnywhere, kCopied, kInStrip, kInStripAndPanel, kInStripFetching, kInStripAndPanelFetching };

template <class T, int R, int ROWS, int VECTORS, Where WHERE>
void tile(const Tile<T>& t) {
  constexpr bool fetching = WHERE >= kInStripFetching, strip = WHERE >= kInStrip,
                 panel = WHERE == kInStripAndPanel || WHERE == kInStripAndPanelFetching;
  constexpr int64_t ahead = panel ? kAheadInStrip : kAhead;
  const int64_t K = t.K, c_row = t.c_row, b_row = strip ? VECTORS * kWidth<T, R> : t.b_row;
  const int64_t a_row = panel ? 1 : t.a_row, a_column = panel ? ROWS : strip ? 1 : t.a_column;
  T* const c = t.c;  // a local copy: the compiler must assume that stores through t.c could change t
  V<T, R> acc[ROWS][VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; ++v) acc[i][v] = t.from_c ? get<R>(c + i * c_row + v * kWidth<T, R>) : V<T, R>{};
  const T *a = t.a, *b = t.b;
  [[maybe_unused]] T* copy = t.b_copy;
  [[maybe_unused]] const T *fetch = t.fetch[0], *fetch_after = t.fetch[1];
  [[maybe_unused]] const int64_t fetch_step = t.fetch_step;
#pragma GCC unroll 2
  for (int64_t k = 0; k < K; ++k) {
    if constexpr (fetching) {
      __builtin_prefetch(fetch + k * fetch_step);
      std::swap(fetch, fetch_after);
    }
    V<T, R> row[VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; ++v) {
      if constexpr (!strip || panel) __builtin_prefetch(b + (k + ahead) * b_row + v * kWidth<T, R>);
      row[v] = get<R>(b + k * b_row + v * kWidth<T, R>);
      if constexpr (WHERE == kCopied) put<R>(copy + (k * VECTORS + v) * kWidth<T, R>, row[v]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i) {
      T x = a[i * a_row + k * a_column];
#pragma GCC unroll 8
      for (int v = 0; v < VECTORS; ++v) acc[i][v] += x * row[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; ++v) put<R>(c + i * c_row + v * kWidth<T, R>, acc[i][v]);
}

template <class T, int ROWS, int VECTORS, Where WHERE>
struct TileOf {
  template <int R>
  static void run(const Tile<T>& t) {
    tile<T, R, ROWS, VECTORS, WHERE>(t);
  }
};
template <class T, int R, int ROWS, int VECTORS, Where WHERE>
constexpr auto tile_that_fits() -> void (*)(const Tile<T>&) {
  if constexpr (VECTORS <= kTileVectors<R> || ROWS <= kWideRows<R>)
    return Compiled<TileOf<T, ROWS, VECTORS, WHERE>, R, const Tile<T>&>::call;
  else
    return nullptr;
}

// tile<T, R, rows, vectors, where> is run[where][(rows - 1) * kWideVectors + vectors - 1].
template <class T, int R, int... I>
constexpr auto table_of_tiles(std::integer_sequence<int, I...>) {
  struct Table {
    void (*run[6][sizeof...(I)])(const Tile<T>&);
  };
  constexpr int W = kWideVectors<R>;
  return Table{{{tile_that_fits<T, R, I / W + 1, I % W + 1, kAnywhere>()...},
                {tile_that_fits<T, R, I / W + 1, I % W + 1, kCopied>()...},
                {tile_that_fits<T, R, I / W + 1, I % W + 1, kInStrip>()...},
                {tile_that_fits<T, R, I / W + 1, I % W + 1, kInStripAndPanel>()...},
                {tile_that_fits<T, R, I / W + 1, I % W + 1, kInStripFetching>()...},
                {tile_that_fits<T, R, I / W + 1, I % W + 1, kInStripAndPanelFetching>()...}}};
}
template <int R, class T>
inline void run_tile(int64_t rows, int64_t vectors, const Tile<T>& t) {
  static constexpr auto table = table_of_tiles<T, R>(std::make_integer_sequence<int, kTileRows<R> * kWideVectors<R>>{});
  bool strip = t.b_row == vectors * kWidth<T, R>, panel = strip && t.a_row == 1 && t.a_column == rows;
  Where where = t.b_copy ? kCopied : panel ? kInStripAndPanel : strip && t.a_column == 1 ? kInStrip : kAnywhere;
  if (t.fetch[0] && where >= kInStrip) where = panel ? kInStripAndPanelFetching : kInStripFetching;
  table.run[where][(rows - 1) * kWideVectors<R> + vectors - 1](t);
}

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
