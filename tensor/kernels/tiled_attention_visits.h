// Which parts of which tiles tiled_attention.h multiplies, from the window and the block list. A tile is a block of
// `queries` queries and `keys` keys; these blocks are chosen here, and need not be those of the block list.
//
//     tile (i, j)    keys of block j ->
//     queries        . . x x x x . .      columns(i, j): from the first to the last key that some query of the tile
//     of             . . . x x x x .      may attend to; empty if there is none, and the tile is skipped
//     block i        . . . . x x x x
//
// The columns of a window are computed when they are needed, so that the cost of a window grows with T and not with
// T S / (queries keys). Those of a block list are stored, a few numbers per tile.
#pragma once

#include <vector>

#include "tensor/kernels/tiled_attention.h"
#include "tensor/kernels/tiled_attention_rows.h"
#include "tensor/row_places.h"

namespace heed::tiles {

struct Sizes {
  Sizes(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o);
  int64_t keys_in(int64_t j) const { return std::min(keys, S - j * keys); }
  int64_t queries_in(int64_t i) const { return std::min(queries, T - i * queries); }

  int64_t B, T, H, K, S, G, V;
  int64_t queries, keys;  // of a block
  int64_t query_blocks, key_blocks;
};

class Visits {
 public:
  Visits(const Sizes& sizes, const AttentionTiles& laid_out);

  bool everything() const { return everything_; }  // no window and no list
  Span columns(int64_t i, int64_t j) const { return everything_ ? Span{0, s_.keys_in(j)} : some_columns(i, j); }
  // Columns of key block j inside the window of query t.
  Span visible(int64_t t, int64_t j) const {
    int64_t n = s_.keys_in(j), at = first_ + t - j * s_.keys;
    return {std::clamp<int64_t>(at - left_, 0, n), std::clamp<int64_t>(at + right_ + 1, 0, n)};
  }
  // Outside these blocks the window leaves nothing.
  Span key_blocks_of(int64_t i) const { return key_blocks_[static_cast<size_t>(i)]; }
  Span query_blocks_of(int64_t j) const { return query_blocks_[static_cast<size_t>(j)]; }
  // Has tile (i, j) pairs of blocks that are not kept?
  bool broken(int64_t i, int64_t j) const {
    return size_ > 0 && listed_[static_cast<size_t>(i * s_.key_blocks + j)].broken;
  }
  // The row of the block list to which query t belongs, and its flags for the keys of block j.
  int64_t list_row(int64_t t) const { return t / size_; }
  void kept_keys(int64_t row, int64_t j, bool* to) const;
  // Of all heads, forward: a product with the keys and one with the values, for each query and column of each tile.
  double multiply_adds() const { return multiply_adds_; }
  // Of row b of the batch, where several machines share it: its dropout is drawn by place.
  int64_t place_of(int64_t b) const {
    return places_.rows > 0 && s_.B % places_.rows == 0 ? places_.place(b, s_.B) : b;
  }

 private:
  struct Listed {
    int32_t begin, end;  // columns, from the first kept block to the last
    bool broken;
  };
  Listed look_up(int64_t i, int64_t j) const;
  Span some_columns(int64_t i, int64_t j) const;

  const Sizes s_;
  int64_t first_, left_, right_;
  int64_t size_ = 0;  // 0: no list
  const bool* keep_ = nullptr;
  int64_t list_columns_ = 0;
  bool everything_;
  std::vector<Span> key_blocks_, query_blocks_;
  std::vector<Listed> listed_;  // [query_blocks, key_blocks]
  double multiply_adds_ = 0;
  const RowPlaces places_ = row_places();
};

}  // namespace heed::tiles
