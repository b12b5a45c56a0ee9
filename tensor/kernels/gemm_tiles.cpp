// The tile of C that stays in registers, in every size: several hundred functions, compiled here once for the product
// and for tiled attention.
//
//   tile:  c [m, n registers] += a [m, K] b [K, n registers]; the sums stay in m x n registers for all k
//
//   k ->   b   [ v v v ]   one row of b per step: n loads
//   a  x       [ s s s ]   each x of the column of a is broadcast: m loads, with any stride
//      x       [ s s s ]   m x n multiply-adds; at two per cycle they hide both kinds of loads
//
// Each step adds one fused multiply-add to the chain of every element, so the order of k is the order of the chain.
#include <cstdint>
#include <utility>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_kernel.h"
#include "tensor/kernels/machine.h"

namespace heed {
namespace {

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

}  // namespace

template <int R, class T>
void run_tile(int64_t rows, int64_t vectors, const Tile<T>& t) {
  static constexpr auto table = table_of_tiles<T, R>(std::make_integer_sequence<int, kTileRows<R> * kWideVectors<R>>{});
  bool strip = t.b_row == vectors * kWidth<T, R>, panel = strip && t.a_row == 1 && t.a_column == rows;
  Where where = t.b_copy ? kCopied : panel ? kInStripAndPanel : strip && t.a_column == 1 ? kInStrip : kAnywhere;
  if (t.fetch[0] && where >= kInStrip) where = panel ? kInStripAndPanelFetching : kInStripFetching;
  table.run[where][(rows - 1) * kWideVectors<R> + vectors - 1](t);
}

#if defined(__x86_64__) && !defined(__AVX__) && !defined(__clang__)  // a portable build (machine.h)
template void run_tile<16>(int64_t, int64_t, const Tile<float>&);
template void run_tile<16>(int64_t, int64_t, const Tile<double>&);
template void run_tile<32>(int64_t, int64_t, const Tile<float>&);
template void run_tile<32>(int64_t, int64_t, const Tile<double>&);
template void run_tile<64>(int64_t, int64_t, const Tile<float>&);
template void run_tile<64>(int64_t, int64_t, const Tile<double>&);
#else
template void run_tile<kRegisterBytes>(int64_t, int64_t, const Tile<float>&);
template void run_tile<kRegisterBytes>(int64_t, int64_t, const Tile<double>&);
#endif

}  // namespace heed
