// A register-tiled matrix product.
//
//      k ->            B: K x NR strip, one or more vectors wide          for each strip of NR columns      (B strip:
//      L1/L2)
//   A [.......]          [vvvv]                                            for each block of MR rows         (A rows:
//   L2) A [.......]    x     [vvvv]    =  C tile MR x NR, held in registers      for each k (registers) A [.......]
//   [vvvv]                                                tile += column of A x row of B
//
// The tile stays in registers while K rank-1 updates stream by; each adds one fused multiply-add to the chain of every
// element, so the order of k is the order of the chain. A is read by broadcasting single elements: any strides are
// free. B is read in vectors: when its columns are not adjacent, or a strip is narrower than the tile, the strip is
// packed first.
#include "tensor/gemm.h"

#include <algorithm>
#include <utility>

#include "tensor/allocator.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
constexpr int kTileRows = 6, kTileVectors = 4;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 32;
constexpr int kTileRows = 6, kTileVectors = 2;
#else
constexpr int kRegisterBytes = 16;
constexpr int kTileRows = 4, kTileVectors = 2;
#endif

template <class T>
struct Register;
template <>
struct Register<float> {
  typedef float V __attribute__((vector_size(kRegisterBytes)));
};
template <>
struct Register<double> {
  typedef double V __attribute__((vector_size(kRegisterBytes)));
};
template <class T>
using V = typename Register<T>::V;

// A register's worth of memory at any alignment. (Copying with memcpy would leave GCC's accumulators on the stack.)
template <class T>
struct __attribute__((packed, may_alias)) Anywhere {
  V<T> v;
};
template <class T>
inline V<T> get(const T* p) {
  return reinterpret_cast<const Anywhere<T>*>(p)->v;
}
template <class T>
inline void put(T* p, V<T> v) {
  reinterpret_cast<Anywhere<T>*>(p)->v = v;
}

template <class T>
constexpr int64_t kWidth = static_cast<int64_t>(kRegisterBytes / sizeof(T));
template <class T>
constexpr int64_t kStrip = kTileVectors* kWidth<T>;

constexpr int64_t kBlockK = 256;  // rows of a packed strip: 256 x 64 floats = 64 KiB, well inside L2

template <class T>
struct Problem {
  int64_t M, N, K;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  bool accumulate;
};

// One tile: ROWS x (VECTORS registers). b points at the strip's first element, `b_row` apart. c may be a scratch tile.
template <class T, int ROWS, int VECTORS>
inline void tile(int64_t K, const T* a, int64_t a_row, int64_t a_column, const T* b, int64_t b_row, T* c, int64_t c_row,
                 bool from_c) {
  V<T> acc[ROWS][VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; ++v) acc[i][v] = from_c ? get(c + i * c_row + v * kWidth<T>) : V<T>{};
  for (int64_t k = 0; k < K; ++k) {
    V<T> row[VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; ++v) row[v] = get(b + k * b_row + v * kWidth<T>);
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
    for (int v = 0; v < VECTORS; ++v) put(c + i * c_row + v * kWidth<T>, acc[i][v]);
}

template <class T, int VECTORS>
void rows_of_tiles(int64_t rows, int64_t K, const T* a, int64_t a_row, int64_t a_column, const T* b, int64_t b_row,
                   T* c, int64_t c_row, bool from_c) {
  int64_t i = 0;
  for (; i + kTileRows <= rows; i += kTileRows)
    tile<T, kTileRows, VECTORS>(K, a + i * a_row, a_row, a_column, b, b_row, c + i * c_row, c_row, from_c);
  for (; i + 2 <= rows; i += 2)
    tile<T, 2, VECTORS>(K, a + i * a_row, a_row, a_column, b, b_row, c + i * c_row, c_row, from_c);
  for (; i < rows; ++i) tile<T, 1, VECTORS>(K, a + i * a_row, a_row, a_column, b, b_row, c + i * c_row, c_row, from_c);
}

// One strip of at most kStrip columns, [column, end), rows [first, last), all of K in blocks.
template <class T>
void strip(const Problem<T>& p, int64_t column, int64_t end, int64_t first, int64_t last, T* packed, T* scratch) {
  int64_t width = end - column, rows = last - first;
  int64_t vectors = (width + kWidth<T> - 1) / kWidth<T>, padded = vectors * kWidth<T>;
  // Unpacked B is best while it is read few times; reading many row tiles from a wide B wastes cache lines and TLB
  // entries.
  bool direct_b = p.b.column == 1 && padded == width && (rows <= 8 * kTileRows || p.b.row <= 1024);
  bool direct_c = p.c.column == 1 && padded == width;
  for (int64_t k0 = 0; k0 == 0 || k0 < p.K; k0 += kBlockK) {
    int64_t depth = std::min(kBlockK, p.K - k0);
    const T* b = p.b.p + k0 * p.b.row + column * p.b.column;
    int64_t b_row = p.b.row;
    if (!direct_b) {
      for (int64_t k = 0; k < depth; ++k) {
        T* to = packed + k * padded;
        const T* from = b + k * p.b.row;
        for (int64_t j = 0; j < width; ++j) to[j] = from[j * p.b.column];
        for (int64_t j = width; j < padded; ++j) to[j] = T{0};
      }
      b = packed, b_row = padded;
    }
    bool from_c = p.accumulate || k0 > 0;
    const T* a = p.a.p + first * p.a.row + k0 * p.a.column;
    T* c = p.c.p + first * p.c.row + column * p.c.column;
    auto run = [&](const T* rows_a, int64_t n, T* to, int64_t to_row) {
      if (vectors == 4) return rows_of_tiles<T, 4>(n, depth, rows_a, p.a.row, p.a.column, b, b_row, to, to_row, from_c);
      if (vectors == 3) return rows_of_tiles<T, 3>(n, depth, rows_a, p.a.row, p.a.column, b, b_row, to, to_row, from_c);
      if (vectors == 2) return rows_of_tiles<T, 2>(n, depth, rows_a, p.a.row, p.a.column, b, b_row, to, to_row, from_c);
      rows_of_tiles<T, 1>(n, depth, rows_a, p.a.row, p.a.column, b, b_row, to, to_row, from_c);
    };
    if (direct_c) {
      run(a, rows, c, p.c.row);
      continue;
    }
    for (int64_t i = 0; i < rows; i += kTileRows) {  // through a scratch tile, so that nothing is written beside C
      int64_t n = std::min<int64_t>(kTileRows, rows - i);
      if (from_c)
        for (int64_t r = 0; r < n; ++r)
          for (int64_t j = 0; j < padded; ++j)
            scratch[r * padded + j] = j < width ? c[(i + r) * p.c.row + j * p.c.column] : T{0};
      run(a + i * p.a.row, n, scratch, padded);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t j = 0; j < width; ++j) c[(i + r) * p.c.row + j * p.c.column] = scratch[r * padded + j];
    }
  }
}

// What a product costs, in lanes of multiply-adds: the arithmetic with its padding, packing B where it cannot be read
// in vectors, and scattering C where it cannot be written in them.
template <class T>
double cost(int64_t M, int64_t N, int64_t K, const MatrixView<const T>& b, const MatrixView<T>& c) {
  int64_t padded = (N + kWidth<T> - 1) / kWidth<T> * kWidth<T>;
  double packing = b.column != 1 ? 48 : (padded == N ? 0 : 8), scattering = c.column != 1 ? 48 : (padded == N ? 0 : 8);
  auto m = static_cast<double>(M), n = static_cast<double>(N), k = static_cast<double>(K);
  return m * static_cast<double>(padded) * k + packing * k * n + scattering * m * n;
}

}  // namespace

template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate) {
  if (M == 0 || N == 0 || (K == 0 && accumulate)) return;
  // C^T = B^T A^T has the same chains. Whichever way round is cheaper: a narrow C wastes lanes, and of x W^T it is
  // better to pack the small x than the large W.
  if (MatrixView<const T> at{a.p, a.column, a.row};
      cost<T>(N, M, K, at, {c.p, c.column, c.row}) < cost<T>(M, N, K, b, c)) {
    a = {b.p, b.column, b.row};
    b = at;
    c = {c.p, c.column, c.row};
    std::swap(M, N);
  }
  Problem<T> p{M, N, K, a, b, c, accumulate};
  // Strips of even width: five vectors are cut 3 + 2, since a strip of one vector keeps the adders half idle.
  int64_t vectors = (N + kWidth<T> - 1) / kWidth<T>, strips = (vectors + kTileVectors - 1) / kTileVectors;
  auto edge = [&](int64_t s) { return std::min(N, vectors * s / strips * kWidth<T>); };
  // Work is cut into strips x groups of rows; each piece computes its outputs wholly.
  int64_t row_groups =
      strips >= 2 * thread_count() || M < 4 * kTileRows ? 1 : std::min<int64_t>(thread_count(), M / (2 * kTileRows));
  int64_t pieces = strips * row_groups;
  int64_t work = M * N * K / std::max<int64_t>(pieces, 1);
  int64_t grain = std::max<int64_t>(1, (250 * 1024) / std::max<int64_t>(work, 1));
  parallel_for(0, pieces, grain, [&](int64_t begin, int64_t end) {
    size_t bytes = static_cast<size_t>((kBlockK + kTileRows) * kStrip<T>) * sizeof(T);
    T* buffer = static_cast<T*>(allocate(bytes));
    T* scratch = buffer + kBlockK * kStrip<T>;
    for (int64_t i = begin; i < end; ++i) {
      int64_t group = i / strips, rows = (M + row_groups - 1) / row_groups;
      rows = (rows + kTileRows - 1) / kTileRows * kTileRows;
      int64_t first = group * rows, last = std::min(M, first + rows);
      if (first < last) strip(p, edge(i % strips), edge(i % strips + 1), first, last, buffer, scratch);
    }
    deallocate(buffer, bytes);
  });
}

template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                          MatrixView<float>, bool);
template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                           MatrixView<double>, bool);

}  // namespace heed
