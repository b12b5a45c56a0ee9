// A rectangle of a product C (+)= A B, computed by one thread with the loop order of Goto and van de Geijn ("Anatomy of
// high-performance matrix multiplication", 2008), in which each loop uses one level of the caches. The sizes follow
// from the caches of the processor (caches.h); those here are of f32 with AVX-512, 48 KiB of L1 and 1 MiB of L2:
//
// clang-format off
//   for columns, 528 at a time           B's block, 384 x 528: packed into strips, 3/4 of L2
//     for k, at most 384 at a time       C's rectangle is read and written once per round, from L3
//       for rows, one tile at a time     A's panel, 8 x 384: 12 KiB of L1
//         for strips of B                B's strip, 384 x 48: streams from L2 while the tile runs
//           tile: for each k             C's tile, 8 x 48: 24 registers (gemm_kernel.h)
// clang-format on
//
// A panel of A is copied if its rows are a whole number of pages apart, because such rows share a few places (sets) of
// L1. If A is transposed, eight panels are copied at once, into L2. In a training step A is often not in the caches, so
// each tile prefetches a part of the next panel while it runs; if A is transposed, the next eight panels are prefetched
// by the last tiles before these panels are copied.
//
// Packing B does not pay off for a few rows of A. Then B is read in place, strip by strip, and all rows use a strip
// while it is in the cache. A PackedB is packed already: for a few rows it is read in the same way, for many in blocks.
//
// The sizes change no bit of C: each element is one chain of multiply-adds in the order of k, whatever the tiles are.
#pragma once

#include <algorithm>
#include <cstring>

#include "tensor/allocator.h"
#include "tensor/kernels/caches.h"
#include "tensor/kernels/gemm_kernel.h"

namespace heed {

// B is packed only if it is reused enough. Up to kDirectTiles row tiles packing costs more than it saves, if L2 keeps
// the rows of B until the next tile needs them. Rows that are a page apart share a few sets of L2, which hold one row
// per 4 KiB of L2.
constexpr int64_t kDirectTiles = 12, kPage = 4096;
// From this number of tiles on, a panel of A stays in L1 while it meets strips that are packed already.
constexpr int64_t kTilesOfStrips = 32;
// When A is transposed, each step of k reads another column of A, perhaps on a page of its own. So kPanels panels are
// copied at once, and columns are prefetched kAheadInA steps ahead. The copies are padded by a few cache lines, or they
// would share the same places of L1.
constexpr int64_t kPanels = 8, kAheadInA = 8;

template <class T>
struct Problem {
  int64_t M, N, K;
  MatrixView<const T> a, b;
  MatrixView<T> c;
  bool accumulate;
  const T* strips = nullptr;  // all of B, already packed; then b is not read
  int64_t strip_rows = 0;     // rows of each strip; those from k_first on are used
  int64_t k_first = 0;
};

// Runs a tile on a copy of its part of C, because its rows of C cannot be read and written as whole registers.
template <class T, int R>
void run_apart(int64_t rows, int64_t vectors, int64_t width, MatrixView<T> c, Tile<T> t) {
  alignas(64) T copy[std::max(kTileRows<R> * kTileVectors<R>, kWideRows<R> * kWideVectors<R>) * kWidth<T, R>] = {};
  t.c = copy, t.c_row = vectors * kWidth<T, R>;
  if (t.from_c)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < width; ++j) copy[i * t.c_row + j] = c.p[i * c.row + j * c.column];
  run_tile<R>(rows, vectors, t);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; ++j) c.p[i * c.row + j * c.column] = copy[i * t.c_row + j];
}

// A rectangle of C: its rows are cut into tiles, its columns (counted in registers) into strips.
template <class T, int R>
class Rectangle {
 public:
  // Rows [m0, m1) of C, and its columns in the registers [v0, v1).
  Rectangle(const Problem<T>& problem, int64_t m0, int64_t m1, int64_t v0, int64_t v1)
      : p(problem), shape_(tile_shape<R>(v1 - v0)), rows_(m0, m1, shape_.rows), columns_(v0, v1, shape_.vectors) {}

  void run() {
    Parts blocks(0, strips_, in_blocks_ ? block_.strips : strips_), rounds(0, p.K, block_.depth);
    int64_t panels = pack_a_ ? std::min(kPanels, tiles_) * panel_size_ : 0;
    int64_t widest = std::min(blocks.largest(), strips_ - first_packed_) * shape_.vectors * kWidth<T, R>;
    size_t bytes = static_cast<size_t>(rounds.largest() * widest + panels + kWidth<T, R>) * sizeof(T);
    buffer_ = static_cast<T*>(widest > 0 || panels > 0 ? allocate(bytes) : nullptr);
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
      pack<T, R>(depth_, std::min(p.N - column(s), padded(s)), padded(s), b_at(s), packed(s));
    if (in_blocks_)
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
    int64_t rows = row(i + 1) - row(i), vectors = padded(s) / kWidth<T, R>,
            width = std::min(p.N - column(s), padded(s));
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
    if (in_blocks_) fetch_part(i, s, t);
    // C is often larger than L2: its next tile is fetched early.
    if (in_blocks_ && c.column == 1 && s + 1 < s1_)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < padded(s + 1); j += kWidth<T, R>) __builtin_prefetch(c.p + r * c.row + width + j, 1);
    if (c.column == 1 && width == padded(s))
      run_tile<R>(rows, vectors, t);
    else
      run_apart<T, R>(rows, vectors, width, c, t);
  }

  // What the tile of panel i and strip s prefetches. Strip n prefetches row n of the next panel, and row n + strips if
  // there is one; further rows are not prefetched. If A is transposed, each of the last tiles of a group of panels
  // prefetches one cache line of every column of the next group.
  void fetch_part(int64_t i, int64_t s, Tile<T>& t) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    int64_t strips = s1_ - s0_, at = s - s0_;
    if (p.a.column == 1 && i + 1 < tiles_) {
      const T* next = a_at(i + 1).p;
      int64_t rows = row(i + 2) - row(i + 1);
      if (at >= rows) return;
      t.fetch[0] = next + at * p.a.row, t.fetch[1] = next + (at + strips < rows ? at + strips : at) * p.a.row;
      t.fetch_step = 1;
    } else if (i < behind_ && behind_ < tiles_) {
      int64_t rows = row(std::min(tiles_, behind_ + kPanels)) - row(behind_);
      int64_t line = divide_up(rows, kLine) - ((behind_ - i) * strips - at);
      if (line < 0) return;
      t.fetch[0] = t.fetch[1] = a_at(behind_).p + line * kLine;
      t.fetch_step = p.a.column;
    }
  }

  MatrixView<const T> copy_panel(int64_t i) {  // close together, so that its lines do not evict each other from L1
    MatrixView<const T> a = a_at(i);
    int64_t n = row(i + 1) - row(i);
    if (a.column == 1) {  // row after row, one register apart (AVX-512: a cache line)
      int64_t apart = depth_ + kWidth<T, R>;
      for (int64_t r = 0; r < n; ++r) std::copy_n(a.p + r * a.row, depth_, panel_ + r * apart);
      return {panel_, apart, 1};
    }
    if (i < behind_) return {panel_ + (i - first_) * panel_size_, 1, n};
    if (a.row == 1 && n == kTileRows<R>) {
      first_ = i, behind_ = i + 1;
      while (behind_ < std::min(tiles_, first_ + kPanels) && row(behind_ + 1) - row(behind_) == n) ++behind_;
      int64_t panels = behind_ - first_;
      for (int64_t k = 0; k < depth_; ++k) {
        const T* from = a.p + k * a.column;
        T* to = panel_ + k * kTileRows<R>;
        for (int64_t j = 0; j < panels; ++j, from += kTileRows<R>, to += panel_size_) {
          __builtin_prefetch(from + kAheadInA * a.column);
          std::memcpy(to, from, kTileRows<R> * sizeof(T));
        }
      }
      return {panel_, 1, n};
    }
    // Copies whole registers where A has enough rows; the lanes beyond n are overwritten by the next column.
    bool whole = a.row == 1 && row(i) + divide_up(n, kWidth<T, R>) * kWidth<T, R> <= p.M;
    for (int64_t k = 0; k < depth_; ++k)
      if (whole)
        for (int64_t r = 0; r < n; r += kWidth<T, R>) put<R>(panel_ + k * n + r, get<R>(a.p + k * a.column + r));
      else
        for (int64_t r = 0; r < n; ++r) panel_[k * n + r] = a.p[r * a.row + k * a.column];
    return {panel_, 1, n};
  }

  int64_t row(int64_t i) const { return rows_.at(i); }
  int64_t column(int64_t s) const { return columns_.at(s) * kWidth<T, R>; }
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
  const ProductBlock& block_ = product_block<T>();
  int64_t panel_size_ = (block_.depth + kWidth<T, R>)*kTileRows<R>;
  TileShape shape_;
  Parts rows_, columns_;
  int64_t tiles_ = rows_.count, strips_ = columns_.count;
  // B is packed in blocks if many row tiles read it; three are enough if some rows do not begin at a cache line, or if
  // L2 cannot keep them (kDirectTiles). Strips that can be read as whole registers are packed by the first tile while
  // it uses them; the other strips are packed beforehand.
  bool crosses_lines_ = (reinterpret_cast<uintptr_t>(p.b.p) | static_cast<uintptr_t>(p.b.row) * sizeof(T)) % 64 != 0;
  bool few_tiles_ = tiles_ <= 2 || (tiles_ <= kDirectTiles && p.K <= caches().l2 / kPage && !crosses_lines_);
  bool pack_b_ = !p.strips && (p.b.column != 1 || !few_tiles_);
  bool in_blocks_ = pack_b_ || (p.strips && tiles_ > kTilesOfStrips);
  bool far_apart_ = p.a.column != 1 || p.a.row * static_cast<int64_t>(sizeof(T)) % kPage == 0;
  bool pack_a_ = in_blocks_ && strips_ > 1 && far_apart_;
  int64_t whole_strips_ = column(strips_) > p.N && !p.strips ? strips_ - 1 : strips_;
  int64_t first_packed_ = pack_b_ ? 0 : whole_strips_;                      // strips from this one on are packed
  int64_t first_apart_ = p.b.column != 1 && !p.strips ? 0 : whole_strips_;  // and from this one on, beforehand
  T *buffer_ = nullptr, *panel_ = nullptr;
  int64_t s0_ = 0, s1_ = 0, k0_ = 0, depth_ = 0;  // the current block
  int64_t first_ = 0, behind_ = 0;                // panels first_, ..., behind_ - 1 are in the buffer
};

template <class T>
struct RectangleOf {
  template <int R>
  static void run(const Problem<T>& problem, int64_t m0, int64_t m1, int64_t v0, int64_t v1) {
    Rectangle<T, R>(problem, m0, m1, v0, v1).run();
  }
};
template <class T, int R>
constexpr auto compute_rectangle =
    Compiled<RectangleOf<T>, R, const Problem<T>&, int64_t, int64_t, int64_t, int64_t>::call;

}  // namespace heed
