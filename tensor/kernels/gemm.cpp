// A matrix product with the loop order of Goto and van de Geijn ("Anatomy of high-performance matrix multiplication",
// 2008), in which each loop uses one level of the caches. C is cut into one rectangle per thread. Each rectangle is
// computed like this (sizes for f32 and AVX-512):
//
// clang-format off
//   for columns, 528 at a time           B's block, 512 x 528: packed into strips, 1 MiB of L2
//     for k, at most 512 at a time       C's rectangle is read and written once per round, from L3
//       for rows, one tile at a time     A's panel, 8 x 512: 16 KiB of L1. It is copied (see below)
//         for strips of B                B's strip, 512 x 48: streams from L2 while the tile runs
//           tile: for each k             C's tile, 8 x 48: 24 registers (gemm_kernel.h)
// clang-format on
//
// A panel of A is copied because rows at a distance of a power of two share the same few places (sets) of L1. If A is
// transposed, eight panels are copied at once, into L2.
//
// Packing B does not pay off for a few rows of A. Then B is read in place, strip by strip, and all rows use a strip
// while it is in the cache. A PackedB is packed already and is read in the same way.
#include "tensor/kernels/gemm.h"

#include <algorithm>
#include <cstring>

#include "tensor/allocator.h"
#include "tensor/kernels/gemm_kernel.h"
#include "tensor/storage.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// A block of B: about 512 columns, and 2 KiB of each column.
template <class T>
constexpr int64_t kBlockStrips = (512 + kTileVectors * kWidth<T> / 2) / (kTileVectors * kWidth<T>);
template <class T>
constexpr int64_t kBlockK = static_cast<int64_t>(2048 / sizeof(T));
// B is packed only if it is reused enough. Up to this many row tiles, and this many rows of B, packing costs more than
// it saves. With more rows of B, at distances of a power of two, they leave L2 before the next tile needs them.
constexpr int64_t kDirectTiles = 12, kDirectK = 256;
// When A is transposed, each step of k reads another column of A, perhaps on a page of its own. So kPanels panels are
// copied at once, and columns are prefetched kAheadInA steps ahead. The copies are padded by a few cache lines, or they
// would share the same places of L1.
constexpr int64_t kPanels = 8, kAheadInA = 8;
template <class T>
constexpr int64_t kPanelSize = (kBlockK<T> + kWidth<T>)*kTileRows;
constexpr int64_t kWorkOfAThread = 250 * 1024;  // multiply-adds; fewer are done before another thread has woken up
constexpr int64_t kPackOfAThread = 64 * 1024;   // elements to copy into strips, for the same reason

template <class T>
struct Problem {
  int64_t M, N, K;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  bool accumulate;
  const T* strips = nullptr;  // all of B, already packed; then b is not read
  int64_t strip_rows = 0;     // of each strip, of which those from k_first on are used
  int64_t k_first = 0;
};

// Runs a tile on a copy of its part of C, because its rows of C cannot be read and written as whole registers.
template <class T>
void run_apart(int64_t rows, int64_t vectors, int64_t width, MatrixView<T> c, Tile<T> t) {
  alignas(64) T copy[std::max(kTileRows * kTileVectors, kWideRows * kWideVectors) * kWidth<T>] = {};
  t.c = copy, t.c_row = vectors * kWidth<T>;
  if (t.from_c)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) copy[i * t.c_row + j] = c.p[i * c.row + j * c.column];
  run_tile(rows, vectors, t);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j) c.p[i * c.row + j * c.column] = copy[i * t.c_row + j];
}

// A rectangle of C: its rows are cut into tiles, its columns (counted in registers) into strips.
template <class T>
class Rectangle {
 public:
  // Rows [m0, m1) of C, and its columns in the registers [v0, v1).
  Rectangle(const Problem<T>& problem, int64_t m0, int64_t m1, int64_t v0, int64_t v1)
      : p(problem), shape_(tile_shape(v1 - v0)), rows_(m0, m1, shape_.rows), columns_(v0, v1, shape_.vectors) {}

  void run() {
    Parts blocks(0, strips_, pack_b_ ? kBlockStrips<T> : strips_), rounds(0, p.K, kBlockK<T>);
    int64_t panels = pack_a_ ? std::min(kPanels, tiles_) * kPanelSize<T> : 0;
    int64_t widest = std::min(blocks.largest(), strips_ - first_packed_) * shape_.vectors * kWidth<T>;
    size_t bytes = static_cast<size_t>(rounds.largest() * widest + panels + kWidth<T>) * sizeof(T);
    buffer_ = static_cast<T*>(widest > 0 ? allocate(bytes) : nullptr);
    panel_ = buffer_ + rounds.largest() * widest;
    for (int64_t b = 0; b < blocks.count; ++b)
      for (int64_t round = 0; round < rounds.count; ++round) {
        s0_ = blocks.at(b), s1_ = blocks.at(b + 1);
        k0_ = rounds.at(round), depth_ = rounds.at(round + 1) - k0_;
        block();
      }
    if (buffer_) deallocate(buffer_, bytes);
  }

 private:
  void block() {
    behind_ = 0;
    for (int64_t s = std::max(s0_, first_apart_); s < s1_; ++s)
      pack<T>(depth_, std::min(p.N - column(s), padded(s)), padded(s), b_at(s), packed(s));
    if (pack_b_)
      for (int64_t i = 0; i < tiles_; ++i) {
        MatrixView<const T> a = a_at(i);
        if (pack_a_) a = copy_panel(i);
        for (int64_t s = s0_; s < s1_; ++s) one(i, s, a);
      }
    else
      for (int64_t s = s0_; s < s1_; ++s)
        for (int64_t i = 0; i < tiles_; ++i) one(i, s, a_at(i));
  }

  void one(int64_t i, int64_t s, MatrixView<const T> a) {
    bool copies = s >= first_packed_ && s < first_apart_ && i == 0, in_buffer = s >= first_packed_ && !copies;
    MatrixView<const T> b = in_buffer ? MatrixView<const T>{packed(s), padded(s), 1} : b_at(s);
    MatrixView<T> c = {p.c.p + row(i) * p.c.row + column(s) * p.c.column, p.c.row, p.c.column};
    int64_t rows = row(i + 1) - row(i), vectors = padded(s) / kWidth<T>, width = std::min(p.N - column(s), padded(s));
    Tile<T> t = {.K = depth_,
                 .a = a.p,
                 .a_row = a.row,
                 .a_column = a.column,
                 .b = b.p,
                 .b_row = b.row,
                 .b_copy = copies ? packed(s) : nullptr,
                 .c = c.p,
                 .c_row = c.row,
                 .from_c = p.accumulate || k0_ > 0};
    // In the gradient of a weight, where A is transposed, C is often larger than L2: fetch the next strip of C early.
    if (pack_a_ && p.a.column != 1 && c.column == 1 && s + 1 < s1_)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < padded(s + 1); j += kWidth<T>) __builtin_prefetch(c.p + r * c.row + width + j, 1);
    if (c.column == 1 && width == padded(s))
      run_tile(rows, vectors, t);
    else
      run_apart<T>(rows, vectors, width, c, t);
  }

  MatrixView<const T> copy_panel(int64_t i) {  // contiguous, so that its lines do not evict each other from L1
    MatrixView<const T> a = a_at(i);
    int64_t n = row(i + 1) - row(i);
    if (a.column == 1) {  // row after row, with a cache line between them
      int64_t apart = depth_ + kWidth<T>;
      for (int64_t r = 0; r < n; ++r) std::copy_n(a.p + r * a.row, depth_, panel_ + r * apart);
      return {panel_, apart, 1};
    }
    if (i < behind_) return {panel_ + (i - first_) * kPanelSize<T>, 1, n};
    if (a.row == 1 && n == kTileRows) {
      first_ = i, behind_ = i + 1;
      while (behind_ < std::min(tiles_, first_ + kPanels) && row(behind_ + 1) - row(behind_) == n) ++behind_;
      int64_t panels = behind_ - first_;
      for (int64_t k = 0; k < depth_; ++k) {
        const T* from = a.p + k * a.column;
        T* to = panel_ + k * kTileRows;
        for (int64_t j = 0; j < panels; ++j, from += kTileRows, to += kPanelSize<T>) {
          __builtin_prefetch(from + kAheadInA * a.column);
          std::memcpy(to, from, kTileRows * sizeof(T));
        }
      }
      return {panel_, 1, n};
    }
    // Copies whole registers where A has enough rows; the lanes beyond n are overwritten by the next column.
    bool whole = a.row == 1 && row(i) + divide_up(n, kWidth<T>) * kWidth<T> <= p.M;
    for (int64_t k = 0; k < depth_; ++k)
      if (whole)
        for (int64_t r = 0; r < n; r += kWidth<T>) put(panel_ + k * n + r, get(a.p + k * a.column + r));
      else
        for (int64_t r = 0; r < n; ++r) panel_[k * n + r] = a.p[r * a.row + k * a.column];
    return {panel_, 1, n};
  }

  int64_t row(int64_t i) const { return rows_.at(i); }
  int64_t column(int64_t s) const { return columns_.at(s) * kWidth<T>; }
  int64_t padded(int64_t s) const { return column(s + 1) - column(s); }
  MatrixView<const T> a_at(int64_t i) const {
    return {p.a.p + row(i) * p.a.row + k0_ * p.a.column, p.a.row, p.a.column};
  }
  MatrixView<const T> b_at(int64_t s) const {
    if (p.strips) return {p.strips + column(s) * p.strip_rows + (p.k_first + k0_) * padded(s), padded(s), 1};
    return {p.b.p + k0_ * p.b.row + column(s) * p.b.column, p.b.row, p.b.column};
  }
  T* packed(int64_t s) const { return buffer_ + (column(s) - column(std::max(s0_, first_packed_))) * depth_; }

  const Problem<T>& p;
  TileShape shape_;
  Parts rows_, columns_;
  int64_t tiles_ = rows_.count, strips_ = columns_.count;
  // B is packed in blocks if many row tiles read it; three are enough if its rows do not all begin at cache lines.
  // Strips that can be read as whole registers are packed by the first tile while it uses them; the other strips are
  // packed beforehand.
  bool crosses_lines_ = (reinterpret_cast<uintptr_t>(p.b.p) | static_cast<uintptr_t>(p.b.row) * sizeof(T)) % 64 != 0;
  bool few_tiles_ = tiles_ <= 2 || (tiles_ <= kDirectTiles && p.K <= kDirectK && !crosses_lines_);
  bool pack_b_ = !p.strips && (p.b.column != 1 || !few_tiles_);
  bool pack_a_ = pack_b_ && strips_ > 1;
  int64_t whole_strips_ = column(strips_) > p.N && !p.strips ? strips_ - 1 : strips_;
  int64_t first_packed_ = pack_b_ ? 0 : whole_strips_;                      // strips from this one on are packed
  int64_t first_apart_ = p.b.column != 1 && !p.strips ? 0 : whole_strips_;  // and from this one on, beforehand
  T *buffer_ = nullptr, *panel_ = nullptr;
  int64_t s0_ = 0, s1_ = 0, k0_ = 0, depth_ = 0;  // the current block
  int64_t first_ = 0, behind_ = 0;                // the panels that are in the buffer
};

// The estimated cost of a product, in units of one lane's multiply-add: the arithmetic with its padding, packing B if
// it cannot be read as vectors, and scattering C if it cannot be written as vectors.
template <class T>
double cost(int64_t M, int64_t N, int64_t K, const MatrixView<const T>& b, const MatrixView<T>& c) {
  int64_t padded = divide_up(N, kWidth<T>) * kWidth<T>;
  double packing = b.column == 1 ? (padded == N ? 0 : 8) : (b.row == 1 ? 14 : 48);
  double scattering = c.column != 1 ? 400 : (padded == N ? 0 : 8);
  auto m = static_cast<double>(M), n = static_cast<double>(N), k = static_cast<double>(K);
  return m * static_cast<double>(padded) * k + packing * k * n + scattering * m * n;
}

// How many threads divide the columns (N) among them; the rows (M) are divided among threads / that number. The largest
// rectangle determines the time. Among equal ones the most nearly square is best: its rows of A and columns of B, which
// the thread has to copy, are the fewest.
int64_t threads_along_columns(int64_t M, int64_t vectors, int64_t width, int64_t threads) {
  int64_t best = 1, least = -1, edge = 0;
  for (int64_t columns = 1; columns <= std::min(threads, vectors); ++columns) {
    int64_t high = divide_up(M, threads / columns), wide = divide_up(vectors, columns) * width;
    if (least < 0 || high * wide < least || (high * wide == least && high + wide < edge))
      best = columns, least = high * wide, edge = high + wide;
  }
  return best;
}

// The first register of section i of a packed B. For i = sections it is the total number of registers.
template <class T>
int64_t section(const PackedB<T>& b, int64_t i) {
  return divide_up(b.N, kWidth<T>) * i / b.sections;
}

// C (+)= A B in chains of kChain multiply-adds, where product(k, depth, C, accumulate) is the product of `depth`
// columns of A and rows of B, from k on.
template <class T, class Product>
void in_chains(int64_t M, int64_t N, int64_t K, MatrixView<T> c, bool accumulate, const Product& product) {
  product(0, std::min(K, kChain), c, accumulate);
  if (K <= kChain) return;
  const Ref<Storage> memory = Storage::make(static_cast<size_t>(2 * M * N) * sizeof(T));
  T *chain = static_cast<T*>(memory->data()), *lost = chain + M * N;  // [M, N] each
  std::fill_n(lost, M * N, T{0});
  for (int64_t k = kChain; k < K; k += kChain) {
    product(k, std::min(kChain, K - k), {chain, N, 1}, false);
    parallel_for(0, M, divide_up(kPackOfAThread, N), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < N; ++j)
          add_accurately(c.p[i * c.row + j * c.column], lost[i * N + j], chain[i * N + j]);
    });
  }
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      T& total = c.p[i * c.row + j * c.column];
      total = rounded(total, lost[i * N + j]);
    }
}

template <class T>
void one_chain(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
               bool accumulate) {
  // C^T = B^T A^T has the same chains of multiply-adds, so the cheaper form is computed: a narrow C wastes lanes, and
  // for x W^T it may be better to pack the small x than the large W.
  bool bare = N % kWidth<T> == 0 && b.column == 1 && c.column == 1;  // nothing is wasted
  if (MatrixView<const T> at{a.p, a.column, a.row};
      !bare && cost<T>(N, M, K, at, {c.p, c.column, c.row}) < cost<T>(M, N, K, b, c)) {
    a = {b.p, b.column, b.row};
    b = at;
    c = {c.p, c.column, c.row};
    std::swap(M, N);
  }
  Problem<T> p{M, N, K, a, b, c, accumulate};
  int64_t vectors = divide_up(N, kWidth<T>);
  int64_t threads = std::clamp<int64_t>(M * N * K / kWorkOfAThread, 1, thread_count());
  if (threads == 1) return Rectangle<T>(p, 0, M, 0, vectors).run();
  int64_t columns = threads_along_columns(M, vectors, kWidth<T>, threads), rows = std::min(M, threads / columns);
  parallel_for(0, rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = M * (i / columns) / rows, last = M * (i / columns + 1) / rows;
      int64_t from = vectors * (i % columns) / columns, to = vectors * (i % columns + 1) / columns;
      Rectangle<T>(p, first, last, from, to).run();
    }
  });
}

}  // namespace

template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate) {
  if (M == 0 || N == 0 || (K == 0 && accumulate)) return;
  in_chains(M, N, K, c, accumulate, [&](int64_t k, int64_t depth, MatrixView<T> to, bool add) {
    one_chain<T>(M, N, depth, {a.p + k * a.column, a.row, a.column}, {b.p + k * b.row, b.row, b.column}, to, add);
  });
}

template <class T>
int64_t packed_size(int64_t N, int64_t K) {
  return divide_up(N, kWidth<T>) * kWidth<T> * K;
}

template <class T>
PackedB<T> pack_b(int64_t N, int64_t K, MatrixView<const T> b, T* to) {
  int64_t vectors = divide_up(N, kWidth<T>);
  PackedB<T> packed{to, N, K, std::clamp<int64_t>(vectors / kTileVectors, 1, thread_count())};
  parallel_for(0, packed.sections, N * K < kPackOfAThread ? packed.sections : 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t from = section(packed, i), behind = section(packed, i + 1);
      Parts strips(from, behind, tile_shape(behind - from).vectors);
      for (int64_t s = 0; s < strips.count; ++s) {
        int64_t column = strips.at(s) * kWidth<T>, padded = strips.at(s + 1) * kWidth<T> - column;
        MatrixView<const T> strip{b.p + column * b.column, b.row, b.column};
        pack<T>(K, std::min(N - column, padded), padded, strip, to + column * K);
      }
    }
  });
  return packed;
}

template <class T>
void gemm(int64_t M, MatrixView<const T> a, const PackedB<T>& b, MatrixView<T> c, bool accumulate) {
  if (M == 0 || b.N == 0 || (b.K == 0 && accumulate)) return;
  in_chains(M, b.N, b.K, c, accumulate, [&](int64_t k, int64_t depth, MatrixView<T> to, bool add) {
    MatrixView<const T> columns{a.p + k * a.column, a.row, a.column};
    Problem<T> p{M, b.N, depth, columns, {nullptr, 0, 1}, to, add, b.strips, b.K, k};
    int64_t work = M * b.N * depth / b.sections;
    parallel_for(0, b.sections, kWorkOfAThread / std::max<int64_t>(work, 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Rectangle<T>(p, 0, M, section(b, i), section(b, i + 1)).run();
    });
  });
}

template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                          MatrixView<float>, bool);
template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                           MatrixView<double>, bool);

template int64_t packed_size<float>(int64_t, int64_t);
template int64_t packed_size<double>(int64_t, int64_t);
template PackedB<float> pack_b<float>(int64_t, int64_t, MatrixView<const float>, float*);
template PackedB<double> pack_b<double>(int64_t, int64_t, MatrixView<const double>, double*);
template void gemm<float>(int64_t, MatrixView<const float>, const PackedB<float>&, MatrixView<float>, bool);
template void gemm<double>(int64_t, MatrixView<const double>, const PackedB<double>&, MatrixView<double>, bool);

}  // namespace heed
