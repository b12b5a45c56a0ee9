#include "tensor/kernels/tiled_attention_visits.h"

namespace heed::tiles {
namespace {

// A tile of scores, one of their gradients, and its keys and values fit into any L2 (256 KiB for keys of 64 numbers).
// Their size decides in which order exponentials are added, so it is the same on every processor, and it matters
// little: on a Zen 5 (1 MiB of L2) tiles of 24 x 96 to 384 x 768 take 0.99 to 1.06 times as long (T 1024, forward and
// backward). Rows and columns are multiples of the matrix product's tile.
constexpr int64_t kQueryBlock = 96, kKeyBlock = 192;

// The first query of a block reads the keys of its window, and each further query one key more. So for a narrow window
// a block should have few queries.
int64_t usual_queries(const AttentionTiles& o) {
  int64_t right = o.causal ? 0 : o.right;
  return o.left < 4 * kQueryBlock && right < 4 * kQueryBlock ? kQueryBlock / 2 : kQueryBlock;
}

// A tile that divides the blocks of a list, or is made of whole ones, if its size can be near the usual one.
int64_t block_size(int64_t given, int64_t usual, const BlockList& list, int64_t all) {
  if (given > 0) return std::min(given, std::max<int64_t>(all, 1));
  int64_t best = usual;
  if (list.keep.defined() && list.size <= usual) best = usual / list.size * list.size;
  if (list.keep.defined() && list.size > usual)
    for (int64_t parts = 2; parts <= 2 * list.size / usual; ++parts)
      if (int64_t part = list.size / parts; list.size % parts == 0 && part <= usual) {
        best = part;
        break;
      }
  return std::min(best, std::max<int64_t>(all, 1));
}

}  // namespace

Sizes::Sizes(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o)
    : B(q.size(0)),
      T(q.size(1)),
      H(q.size(2)),
      K(q.size(3)),
      S(k.size(1)),
      G(k.size(2)),
      V(v.size(3)),
      queries(block_size(o.query_block, usual_queries(o), o.blocks, T)),
      keys(block_size(o.key_block, kKeyBlock, o.blocks, S)),
      query_blocks(divide_up(T, queries)),
      key_blocks(divide_up(S, keys)) {}

Visits::Visits(const Sizes& sizes, const AttentionTiles& o)
    : s_(sizes),
      first_(o.first),
      left_(o.left),
      right_(o.right),
      everything_(o.left == kAllKeys && o.right == kAllKeys && !o.blocks.keep.defined()) {
  auto blocks = [](int64_t begin, int64_t end, int64_t all, int64_t size) {
    return Span{std::clamp<int64_t>(begin, 0, all) / size, divide_up(std::clamp<int64_t>(end, 0, all), size)};
  };
  for (int64_t i = 0; i < s_.query_blocks; ++i) {
    int64_t at = first_ + i * s_.queries;
    key_blocks_.push_back(blocks(at - left_, at + s_.queries_in(i) + right_, s_.S, s_.keys));
  }
  for (int64_t j = 0; j < s_.key_blocks; ++j) {
    int64_t at = j * s_.keys - first_;
    query_blocks_.push_back(blocks(at - right_, at + s_.keys_in(j) + left_, s_.T, s_.queries));
  }
  if (o.blocks.keep.defined()) {
    size_ = o.blocks.size, keep_ = o.blocks.keep.data<bool>(), list_columns_ = o.blocks.keep.size(1);
    listed_.reserve(static_cast<size_t>(s_.query_blocks * s_.key_blocks));
    for (int64_t i = 0; i < s_.query_blocks; ++i)
      for (int64_t j = 0; j < s_.key_blocks; ++j) listed_.push_back(look_up(i, j));
  }
  int64_t pairs = 0;
  for (int64_t i = 0; i < s_.query_blocks; ++i) {
    Span within = key_blocks_of(i);
    for (int64_t j = within.begin; j < within.end; ++j)
      pairs += s_.queries_in(i) * std::max<int64_t>(columns(i, j).size(), 0);
  }
  multiply_adds_ = static_cast<double>(pairs) * static_cast<double>(s_.B * s_.H * (s_.K + s_.V));
}

Visits::Listed Visits::look_up(int64_t i, int64_t j) const {
  int64_t begin = j * s_.keys, n = s_.keys_in(j);
  Listed out{static_cast<int32_t>(n), 0, false};
  for (int64_t row = list_row(i * s_.queries); row <= list_row(i * s_.queries + s_.queries_in(i) - 1); ++row)
    for (int64_t column = begin / size_; column <= (begin + n - 1) / size_; ++column) {
      if (!keep_[row * list_columns_ + column]) {
        out.broken = true;
        continue;
      }
      int64_t from = std::max<int64_t>(column * size_ - begin, 0), to = std::min((column + 1) * size_ - begin, n);
      out.begin = std::min(out.begin, static_cast<int32_t>(from)),
      out.end = std::max(out.end, static_cast<int32_t>(to));
    }
  return out;
}

Span Visits::some_columns(int64_t i, int64_t j) const {
  int64_t t = i * s_.queries;
  Span out{visible(t, j).begin, visible(t + s_.queries_in(i) - 1, j).end};
  if (size_ == 0) return out;
  const Listed& kept = listed_[static_cast<size_t>(i * s_.key_blocks + j)];
  return {std::max<int64_t>(out.begin, kept.begin), std::min<int64_t>(out.end, kept.end)};
}

void Visits::kept_keys(int64_t row, int64_t j, bool* to) const {
  const bool* from = keep_ + row * list_columns_;
  int64_t n = s_.keys_in(j);
  for (int64_t column = j * s_.keys / size_, c = 0; c < n; ++column) {
    int64_t end = std::min((column + 1) * size_ - j * s_.keys, n);
    std::fill(to + c, to + end, from[column]);
    c = end;
  }
}

}  // namespace heed::tiles
