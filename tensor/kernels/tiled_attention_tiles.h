// What the forward and the backward pass of tiled_attention.h share: addressing the operands, and the scores of a tile.
#pragma once

#include "tensor/allocator.h"
#include "tensor/kernels/dropout_words.h"
#include "tensor/kernels/tiled_attention_visits.h"

namespace heed::tiles {

inline constexpr int64_t kWorkOfAThread = 250 * 1024;  // multiply-adds, as in gemm.cpp

// [B, T, H, K] with a dense last axis.
template <class F>
struct Heads {
  explicit Heads(const Tensor& x) : p(x.data<F>()), batch(x.strides()[0]), row(x.strides()[1]), head(x.strides()[2]) {}
  F* at(int64_t b, int64_t t, int64_t h) const { return p + b * batch + t * row + h * head; }
  F* p;
  int64_t batch, row, head;
};
inline Tensor dense_last(const Tensor& x) {
  return x.size(-1) <= 1 || x.strides()[x.rank() - 1] == 1 ? x : x.contiguous();
}

template <class X>
const X* row_of(const Tensor& over, int64_t b, int64_t h, int64_t t) {  // null if `over` is undefined
  if (!over.defined()) return nullptr;
  const Strides& s = over.strides();
  return over.data<X>() + b * s[0] + h * s[1] + t * s[2];
}

template <class F>
class Buffer {
 public:
  explicit Buffer(int64_t count)
      : bytes_(static_cast<size_t>(count) * sizeof(F)), p_(static_cast<F*>(allocate(bytes_))) {}
  ~Buffer() { deallocate(p_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  F* operator+(int64_t i) const { return p_ + i; }
  F& operator[](int64_t i) const { return p_[i]; }

 private:
  size_t bytes_;
  F* p_;
};

// The base class of the forward and the backward pass.
template <class F, int R>
class Tiles : protected Sizes {
 protected:
  Tiles(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options, const Visits& visited)
      : Sizes(qt, kt, vt, options),
        o(options),
        visits(visited),
        q(qt),
        k(kt),
        v(vt),
        rule(options.dropout),
        width(padded<F>(keys)),
        Kp(padded<F>(K)),
        Vp(padded<F>(V)),
        turned_keys(S_padded() * K),
        scores(queries * width),
        factors(options.dropout > 0 ? queries * width + kLanes<F> : 1),
        kept(options.blocks.keep.defined() ? width : 1) {
    // A row is whole vectors, and its last vector may extend past the factors that are drawn. The weights there are 0,
    // but 0 times a NaN in uninitialised memory would make the sum over the row NaN.
    if (options.dropout > 0) std::fill_n(factors + 0, queries * width + kLanes<F>, F{0});
  }

  int64_t S_padded() const { return key_blocks * width; }
  // The columns of a tile that are computed: whole vectors. keys_of() cuts off the padding after the block's last key.
  Span vectors_of(int64_t i, int64_t j) const {
    Span some = visits.columns(i, j);
    return some.empty() ? Span{} : Span{some.begin / kLanes<F> * kLanes<F>, padded<F>(some.end)};
  }
  Span keys_of(Span vectors, int64_t j) const { return {vectors.begin, std::min(vectors.end, keys_in(j))}; }

  // If a sentence is one tile, a packed operand is read by one product only, so packing does not pay off: rows of whole
  // vectors are read, and gradients are written, in place. Other rows are packed, and gradients go through buffers.
  bool in_place(int64_t columns) const { return query_blocks == 1 && key_blocks == 1 && columns % kLanes<F> == 0; }
  void pack(const Heads<F>& x, int64_t b, int64_t t, int64_t h, int64_t n, int64_t columns, F* strips) const {
    if (!in_place(columns)) pack_rows<F, R>(n, columns, x.at(b, t, h), x.row, strips);
  }
  Right<F> right(const Heads<F>& x, int64_t b, int64_t t, int64_t h, int64_t columns, const F* strips) const {
    return in_place(columns) ? Right<F>{x.at(b, t, h), x.row} : Right<F>{strips};
  }

  // The heads of a word are side by side in memory, so the rows of one head are too far apart for the processor to
  // prefetch them by itself. Prefetches the rows of the next head, before the current one is computed.
  void prefetch_next(const Heads<F>& x, int64_t b, int64_t h, int64_t heads, int64_t n, int64_t columns) const {
    if (!in_place(columns)) return;
    const F* next = h + 1 < heads ? x.at(b, 0, h + 1) : x.at(b + 1, 0, 0);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < columns; c += kLanes<F>) __builtin_prefetch(next + r * x.row + c);
  }

  void turn_keys(int64_t b, int64_t g, Span blocks) {
    for (int64_t j = blocks.begin; j < blocks.end; ++j)
      pack_turned<F, R>(keys_in(j), K, k.at(b, j * keys, g), k.row, turned_keys + j * width * K);
  }
  // The products of query block i with the keys `columns` of block j.
  void products(int64_t b, int64_t h, int64_t i, int64_t j, Span columns) {
    block_product<F, R>(queries_in(i), padded<F>(keys_in(j)), K, {q.at(b, i * queries, h), q.row, 1},
                        {turned_keys + j * width * K}, scores + 0, width, /*accumulate=*/false, columns, {0, K});
  }
  // The rules of the rows of tile (i, j). What all rows have in common is looked up once.
  struct Rules {
    RowRule<F> row;       // the row at hand
    const bool* allowed;  // for row 0 of the tile, or null
    const F* bias;        // for row 0 of the tile, or null
    bool whole;           // do window and block list leave all keys of the tile to all its queries?
  };
  Rules rules_of(int64_t b, int64_t h, int64_t i, int64_t j) {
    int64_t t = i * queries, n = keys_in(j);
    const bool* allowed = row_of<bool>(o.allowed, b, h, t);
    const F* bias = row_of<F>(o.bias, b, h, t);
    Rules rules{{static_cast<F>(o.scale), {0, n}, nullptr, nullptr, nullptr},
                allowed ? allowed + j * keys : nullptr,
                bias ? bias + j * keys : nullptr,
                true};
    if (visits.everything()) return rules;
    kept_row_ = -1;
    rules.whole =
        visits.visible(t + queries_in(i) - 1, j).begin == 0 && visits.visible(t, j).end == n && !visits.broken(i, j);
    return rules;
  }
  const RowRule<F>& rule_of(Rules& rules, int64_t i, int64_t r, int64_t j) {
    if (rules.allowed) rules.row.allowed = rules.allowed + r * o.allowed.strides()[2];
    if (rules.bias) rules.row.bias = rules.bias + r * o.bias.strides()[2];
    if (!rules.whole) narrow(rules.row, i * queries + r, i, j);
    return rules.row;
  }
  void narrow(RowRule<F>& row, int64_t t, int64_t i, int64_t j) {
    row.visible = visits.visible(t, j);
    if (!visits.broken(i, j)) return;
    if (int64_t listed = visits.list_row(t); listed != kept_row_) visits.kept_keys(kept_row_ = listed, j, kept + 0);
    row.kept = kept + 0;
  }
  // Draws the dropout factors of tile (i, j); factor_row(r) gives those of its row r.
  void draw(int64_t b, int64_t h, int64_t i, int64_t j) {
    if (o.dropout == 0) return;
    int64_t begin = ((visits.place_of(b) * H + h) * T + i * queries) * S;
    if (key_blocks == 1) return dropout_factors<R>(rule, o.seed, o.offset, begin, queries_in(i) * S, factors + 0);
    for (int64_t r = 0; r < queries_in(i); ++r)
      dropout_factors<R>(rule, o.seed, o.offset, begin + r * S + j * keys, keys_in(j), factors + r * width);
  }
  const F* factor_row(int64_t r) const {
    return o.dropout == 0 ? nullptr : factors + r * (key_blocks == 1 ? S : width);
  }

  const AttentionTiles& o;  // with mask and bias expanded to the scores
  const Visits& visits;
  Heads<F> q, k, v;
  DropoutRule<F> rule;
  int64_t width, Kp, Vp;  // width of a block of keys, of a key, of a value, padded to whole vectors
  Buffer<F> turned_keys, scores, factors;
  Buffer<bool> kept;  // which keys of a tile the row kept_row_ of the block list keeps

 private:
  int64_t kept_row_ = -1;  // -1: `kept` holds no row yet
};

// The same options, with mask and bias expanded to the scores, and `causal` expressed by left and right. Called before
// the work is divided among threads, so that they read tensors through references: copying handles in every thread
// would contend for the atomic owner counts.
AttentionTiles laid_out(const AttentionTiles& o, const Sizes& s);

}  // namespace heed::tiles
