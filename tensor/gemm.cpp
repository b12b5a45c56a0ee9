// A matrix product in the loops that Goto's paper ("Anatomy of high-performance matrix multiplication", 2008) orders by
// the caches. C is cut into one rectangle a thread, and each of them is made so:
//
//   for columns, 512 at a time             B's block, 512 x 512 floats: packed into strips, 1 MiB of L2
//     for k, at most 512 at a time         C's rectangle is read and written once a round, from L3
//       for rows, a tile's at a time       A's panel, 8 x 512 floats: 16 KiB of L1, of any strides, not packed
//         for strips of B                  B's strip, 512 x 48 floats: streams from L2 while the tile runs
//           tile: for each k               C's tile, 8 x 48 floats: 24 registers
//
// Few rows do not pay for packing B: it is then read where it stands, strip by strip, and all rows pass under a strip
// while it is near.
#include "tensor/gemm.h"

#include <algorithm>

#include "tensor/allocator.h"
#include "tensor/gemm_kernel.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

constexpr int64_t kBlockColumns = 512;
template <class T>
constexpr int64_t kBlockK = static_cast<int64_t>(2048 / sizeof(T));
constexpr int64_t kDirectRows = 96;             // up to so many rows B is read where it stands
constexpr int64_t kWorkOfAThread = 250 * 1024;  // multiply-adds; fewer are done sooner than another thread wakes

template <class T>
struct Problem {
  int64_t M, N, K;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  bool accumulate;
};

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A tile whose rows of C cannot be read and written as whole registers: through a copy of its own.
template <class T>
void run_apart(int64_t rows, int64_t vectors, int64_t width, MatrixView<T> c, Tile<T> t) {
  alignas(64) T copy[kTileRows * kTileVectors * kWidth<T>] = {};
  t.c = copy, t.c_row = vectors * kWidth<T>, t.next_c = copy;
  if (t.from_c)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) copy[i * t.c_row + j] = c.p[i * c.row + j * c.column];
  run_tile(rows, vectors, t);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j) c.p[i * c.row + j * c.column] = copy[i * t.c_row + j];
}

// The rectangle of C with the rows [first, last) and the columns [from, to), counted in registers.
template <class T>
void rectangle(const Problem<T>& p, int64_t first, int64_t last, int64_t from, int64_t to) {
  // Tiles of even size: nine rows are cut 5 + 4 and five registers 3 + 2, since a thin tile cannot keep the adders
  // busy.
  int64_t rows = last - first, tiles = divide_up(rows, kTileRows), strips = divide_up(to - from, kTileVectors);
  auto row_of = [&](int64_t i) { return first + rows * i / tiles; };
  auto column_of = [&](int64_t s) { return (from + (to - from) * s / strips) * kWidth<T>; };
  bool pack_all = p.b.column != 1 || rows > kDirectRows, ragged = column_of(strips) > p.N;
  int64_t first_packed = pack_all ? 0 : strips - ragged;  // strips from here on are packed
  int64_t strips_a_block = pack_all ? std::max<int64_t>(1, kBlockColumns / (kTileVectors * kWidth<T>)) : strips;
  int64_t tiles_a_round = pack_all ? 1 : tiles;
  int64_t rounds = std::max<int64_t>(1, divide_up(p.K, kBlockK<T>));

  int64_t packed_strips = std::min(strips_a_block, strips - first_packed);
  size_t bytes = static_cast<size_t>(divide_up(p.K, rounds) * packed_strips * kTileVectors * kWidth<T>) * sizeof(T);
  T* buffer = bytes > 0 ? static_cast<T*>(allocate(bytes)) : nullptr;
  for (int64_t s0 = 0; s0 < strips; s0 += strips_a_block)
    for (int64_t round = 0; round < rounds; ++round) {
      int64_t s1 = std::min(strips, s0 + strips_a_block);
      int64_t k0 = p.K * round / rounds, depth = p.K * (round + 1) / rounds - k0;
      auto packed = [&](int64_t s) { return buffer + (column_of(s) - column_of(std::max(s0, first_packed))) * depth; };
      auto b_at = [&](int64_t s) { return p.b.p + k0 * p.b.row + column_of(s) * p.b.column; };
      for (int64_t s = std::max(s0, first_packed); s < s1; ++s) {
        int64_t column = column_of(s), padded = column_of(s + 1) - column, width = std::min(p.N - column, padded);
        pack<T>(depth, width, padded, {b_at(s), p.b.row, p.b.column}, packed(s));
      }
      for (int64_t i0 = 0; i0 < tiles; i0 += tiles_a_round)
        for (int64_t s = s0; s < s1; ++s)
          for (int64_t i = i0; i < i0 + tiles_a_round; ++i) {
            int64_t row = row_of(i), column = column_of(s), padded = column_of(s + 1) - column;
            int64_t width = std::min(p.N - column, padded);
            bool in_buffer = s >= first_packed;
            T* c = p.c.p + row * p.c.row + column * p.c.column;
            Tile<T> t = {.K = depth,
                         .a = p.a.p + row * p.a.row + k0 * p.a.column,
                         .a_row = p.a.row,
                         .a_column = p.a.column,
                         .b = in_buffer ? packed(s) : b_at(s),
                         .b_row = in_buffer ? padded : p.b.row,
                         .c = c,
                         .c_row = p.c.row,
                         .from_c = p.accumulate || round > 0,
                         .next_c = c + padded};
            if (p.c.column == 1 && width == padded)
              run_tile(row_of(i + 1) - row, padded / kWidth<T>, t);
            else
              run_apart<T>(row_of(i + 1) - row, padded / kWidth<T>, width, {c, p.c.row, p.c.column}, t);
          }
    }
  if (buffer) deallocate(buffer, bytes);
}

// What a product costs, in lanes of multiply-adds: the arithmetic with its padding, packing B where it cannot be read
// in vectors, and scattering C where it cannot be written in them.
template <class T>
double cost(int64_t M, int64_t N, int64_t K, const MatrixView<const T>& b, const MatrixView<T>& c) {
  int64_t padded = divide_up(N, kWidth<T>) * kWidth<T>;
  double packing = b.column == 1 ? (padded == N ? 0 : 8) : (b.row == 1 ? 16 : 48);
  double scattering = c.column != 1 ? 48 : (padded == N ? 0 : 8);
  auto m = static_cast<double>(M), n = static_cast<double>(N), k = static_cast<double>(K);
  return m * static_cast<double>(padded) * k + packing * k * n + scattering * m * n;
}

// How many threads stand side by side along N; the others stand along M. The largest rectangle sets the time.
int64_t threads_along_columns(int64_t M, int64_t vectors, int64_t threads) {
  int64_t best = 1, least = -1;
  for (int64_t columns = 1; columns <= std::min(threads, vectors); ++columns) {
    int64_t largest = divide_up(vectors, columns) * divide_up(M, threads / columns);
    if (least < 0 || largest <= least) best = columns, least = largest;
  }
  return best;
}

}  // namespace

template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate) {
  if (M == 0 || N == 0 || (K == 0 && accumulate)) return;
  // C^T = B^T A^T has the same chains. Whichever way round is cheaper: a narrow C wastes lanes, and of x W^T it may be
  // better to pack the small x than the large W.
  if (MatrixView<const T> at{a.p, a.column, a.row};
      cost<T>(N, M, K, at, {c.p, c.column, c.row}) < cost<T>(M, N, K, b, c)) {
    a = {b.p, b.column, b.row};
    b = at;
    c = {c.p, c.column, c.row};
    std::swap(M, N);
  }
  Problem<T> p{M, N, K, a, b, c, accumulate};
  int64_t vectors = divide_up(N, kWidth<T>);
  int64_t threads = std::clamp<int64_t>(M * N * K / kWorkOfAThread, 1, thread_count());
  if (threads == 1) return rectangle(p, 0, M, 0, vectors);
  int64_t columns = threads_along_columns(M, vectors, threads), rows = std::min(M, threads / columns);
  parallel_for(0, rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t r = i / columns, s = i % columns;
      rectangle(p, M * r / rows, M * (r + 1) / rows, vectors * s / columns, vectors * (s + 1) / columns);
    }
  });
}

template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                          MatrixView<float>, bool);
template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                           MatrixView<double>, bool);

}  // namespace heed
