// What the forward and the backward pass of tiled_attention.h share: addressing the operands, and the scores of a tile.
#pragma once

#include "tensor/allocator.h"
#include "tensor/kernels/dropout_words.h"
#include "tensor/kernels/tiled_attention.h"
#include "tensor/kernels/tiled_attention_rows.h"

namespace heed::tiles {

// A tile of scores and one of their gradients fit into L2. Rows and columns are multiples of the matrix product's tile.
inline constexpr int64_t kQueryBlock = 96, kKeyBlock = 192;
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

struct Sizes {
  Sizes(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o)
      : B(q.size(0)),
        T(q.size(1)),
        H(q.size(2)),
        K(q.size(3)),
        S(k.size(1)),
        G(k.size(2)),
        V(v.size(3)),
        queries(std::min(o.query_block ? o.query_block : kQueryBlock, std::max<int64_t>(T, 1))),
        keys(std::min(o.key_block ? o.key_block : kKeyBlock, std::max<int64_t>(S, 1))),
        query_blocks((T + queries - 1) / queries),
        key_blocks((S + keys - 1) / keys) {}
  int64_t B, T, H, K, S, G, V;
  int64_t queries, keys;  // of a block
  int64_t query_blocks, key_blocks;
};

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
template <class F>
class Tiles : protected Sizes {
 protected:
  Tiles(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options)
      : Sizes(qt, kt, vt, options),
        o(options),
        q(qt),
        k(kt),
        v(vt),
        rule(options.dropout),
        width(padded<F>(keys)),
        Kp(padded<F>(K)),
        Vp(padded<F>(V)),
        turned_keys(S_padded() * K),
        scores(queries * width),
        factors(options.dropout > 0 ? queries * width + kLanes<F> : 1) {}

  int64_t keys_in(int64_t j) const { return std::min(keys, S - j * keys); }
  int64_t queries_in(int64_t i) const { return std::min(queries, T - i * queries); }
  int64_t S_padded() const { return key_blocks * width; }
  // How many keys of block j the causal mask leaves for query t.
  int64_t visible(int64_t t, int64_t j) const {
    int64_t n = keys_in(j);
    return o.causal ? std::clamp<int64_t>(o.first + t - j * keys + 1, 0, n) : n;
  }
  bool hidden(int64_t i, int64_t j) const { return visible(i * queries + queries_in(i) - 1, j) == 0; }

  void turn_keys(int64_t b, int64_t g) {
    for (int64_t j = 0; j < key_blocks; ++j)
      pack_turned<F>(keys_in(j), K, k.at(b, j * keys, g), k.row, turned_keys + j * width * K);
  }
  // The products of query block i with key block j.
  void products(int64_t b, int64_t h, int64_t i, int64_t j) {
    block_product<F>(queries_in(i), padded<F>(keys_in(j)), K, {q.at(b, i * queries, h), q.row, 1},
                     turned_keys + j * width * K, scores + 0, width, /*accumulate=*/false);
  }
  RowRule<F> rule_of(int64_t b, int64_t h, int64_t t, int64_t j) const {
    const bool* allowed = row_of<bool>(o.allowed, b, h, t);
    const F* bias = row_of<F>(o.bias, b, h, t);
    return {static_cast<F>(o.scale), visible(t, j), allowed ? allowed + j * keys : nullptr,
            bias ? bias + j * keys : nullptr};
  }
  // Draws the dropout factors of tile (i, j); factor_row(r) gives those of its row r.
  void draw(int64_t b, int64_t h, int64_t i, int64_t j) {
    if (o.dropout == 0) return;
    int64_t begin = ((b * H + h) * T + i * queries) * S;
    if (key_blocks == 1) return dropout_factors(rule, o.seed, o.offset, begin, queries_in(i) * S, factors + 0);
    for (int64_t r = 0; r < queries_in(i); ++r)
      dropout_factors(rule, o.seed, o.offset, begin + r * S + j * keys, keys_in(j), factors + r * width);
  }
  const F* factor_row(int64_t r) const {
    return o.dropout == 0 ? nullptr : factors + r * (key_blocks == 1 ? S : width);
  }

  const AttentionTiles& o;  // with mask and bias expanded to the scores
  Heads<F> q, k, v;
  DropoutRule<F> rule;
  int64_t width, Kp, Vp;  // width of a block of keys, of a key, of a value, padded to whole vectors
  Buffer<F> turned_keys, scores, factors;
};

// Throws ShapeError, DTypeError or ValueError if the arguments do not fit together.
void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o);

// The same options, with mask and bias expanded to the scores. Called before the work is divided among threads, so that
// they read tensors through references: copying handles in every thread would contend for the atomic owner counts.
AttentionTiles laid_out(const AttentionTiles& o, const Sizes& s);

inline double multiply_adds(const Sizes& s) {
  return static_cast<double>(s.B * s.H * s.T) * static_cast<double>(s.S * (s.K + s.V));
}

}  // namespace heed::tiles
