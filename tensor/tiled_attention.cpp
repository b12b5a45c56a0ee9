#include "tensor/tiled_attention.h"

#include <fmt/format.h>

#include "tensor/allocator.h"
#include "tensor/dropout_words.h"
#include "tensor/elementwise.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"
#include "tensor/tiled_attention_rows.h"

namespace heed {
namespace {

// A tile of scores and one of their gradients stay in L2; rows and columns are whole tiles of the matrix product.
constexpr int64_t kQueryBlock = 96, kKeyBlock = 192;
constexpr int64_t kWorkOfAThread = 250 * 1024;  // multiply-adds, as in gemm.cpp

// [B, T, H, K] with a dense last axis.
template <class F>
struct Heads {
  explicit Heads(const Tensor& x) : p(x.data<F>()), batch(x.strides()[0]), row(x.strides()[1]), head(x.strides()[2]) {}
  F* at(int64_t b, int64_t t, int64_t h) const { return p + b * batch + t * row + h * head; }
  F* p;
  int64_t batch, row, head;
};
Tensor dense_last(const Tensor& x) { return x.size(-1) <= 1 || x.strides()[x.rank() - 1] == 1 ? x : x.contiguous(); }

// What broadcasts to [B, H, T, S], expanded, its last axis dense. Undefined stays undefined.
Tensor laid_over(const Tensor& x, const Shape& scores) {
  if (!x.defined()) return x;
  Tensor whole = x;
  if (int64_t S = scores[3]; x.rank() == 0 || x.size(-1) != S || (S > 1 && x.strides()[x.rank() - 1] != 1)) {
    Shape last = x.shape();
    if (last.rank() == 0) last.push_back(S);
    last[last.rank() - 1] = S;
    whole = x.expand(last).contiguous();
  }
  return whole.expand(scores);
}
// It as threads read it: an address and strides, since handles may not be copied on several threads at once (their
// counts are plain numbers).
template <class X>
struct Overlay {
  explicit Overlay(const Tensor& whole) {
    if (!whole.defined()) return;
    p = whole.data<X>();
    batch = whole.strides()[0], head = whole.strides()[1], line = whole.strides()[2];
  }
  const X* row(int64_t b, int64_t h, int64_t t) const { return p + b * batch + h * head + t * line; }
  const X* p = nullptr;
  int64_t batch = 0, head = 0, line = 0;
};

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

// What forward and backward share: where operands stand, and the scores of a tile. Mask and bias of the options are
// laid over the scores.
template <class F>
class Tiles : protected Sizes {
 protected:
  Tiles(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options)
      : Sizes(qt, kt, vt, options),
        o(options),
        q(qt),
        k(kt),
        v(vt),
        allowed(options.allowed),
        bias(options.bias),
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
  // How many keys of block j the query t may see at most.
  int64_t visible(int64_t t, int64_t j) const {
    int64_t n = keys_in(j);
    return o.causal ? std::clamp<int64_t>(o.first + t - j * keys + 1, 0, n) : n;
  }
  bool hidden(int64_t i, int64_t j) const { return visible(i * queries + queries_in(i) - 1, j) == 0; }

  void turn_keys(int64_t b, int64_t g) {
    for (int64_t j = 0; j < key_blocks; ++j)
      pack_turned<F>(keys_in(j), K, k.at(b, j * keys, g), k.row, turned_keys + j * width * K);
  }
  // Products of queries i with keys j.
  void products(int64_t b, int64_t h, int64_t i, int64_t j) {
    block_product<F>(queries_in(i), padded<F>(keys_in(j)), K, {q.at(b, i * queries, h), q.row, 1},
                     turned_keys + j * width * K, scores + 0, width, /*accumulate=*/false);
  }
  RowRule<F> rule_of(int64_t b, int64_t h, int64_t t, int64_t j) const {
    return {static_cast<F>(o.scale), visible(t, j), allowed.p ? allowed.row(b, h, t) + j * keys : nullptr,
            bias.p ? bias.row(b, h, t) + j * keys : nullptr};
  }
  // The factors of dropout for tile (i, j); factor_row(r) are those of its row r.
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

  const AttentionTiles& o;
  Heads<F> q, k, v;
  Overlay<bool> allowed;
  Overlay<F> bias;
  DropoutRule<F> rule;
  int64_t width, Kp, Vp;  // of a block of keys, a key, a value: whole vectors
  Buffer<F> turned_keys, scores, factors;
};

template <class F>
class Forward : Tiles<F> {
 public:
  Forward(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options, const TiledContext& out)
      : Tiles<F>(qt, kt, vt, options),
        values_(key_blocks * keys * Vp),
        sums_(queries * Vp),
        context_(out.context),
        top_(out.top.data<F>()),
        total_(out.total.data<F>()) {}

  // Units are blocks of queries of a head, those of one group of keys behind each other.
  void run(int64_t begin, int64_t end) {
    int64_t packed = -1;
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t i = unit % query_blocks, h = unit / query_blocks % H, b = unit / query_blocks / H, g = h / (H / G);
      if (b * G + g != packed) {
        this->turn_keys(b, g);
        for (int64_t j = 0; j < key_blocks; ++j)
          pack_rows<F>(this->keys_in(j), V, v.at(b, j * keys, g), v.row, values_ + j * keys * Vp);
        packed = b * G + g;
      }
      one(b, h, i);
    }
  }

 private:
  using Tiles<F>::B, Tiles<F>::T, Tiles<F>::H, Tiles<F>::G, Tiles<F>::S, Tiles<F>::K, Tiles<F>::V, Tiles<F>::queries,
      Tiles<F>::keys, Tiles<F>::query_blocks, Tiles<F>::key_blocks, Tiles<F>::scores, Tiles<F>::width, Tiles<F>::Vp,
      Tiles<F>::v;

  void one(int64_t b, int64_t h, int64_t i) {
    int64_t n = this->queries_in(i), at = (b * H + h) * T + i * queries;
    F *top = top_ + at, *total = total_ + at;
    std::fill(top, top + n, -std::numeric_limits<F>::infinity());
    std::fill(total, total + n, F{0});
    bool begun = false;
    for (int64_t j = 0; j < key_blocks; ++j) {
      if (this->hidden(i, j)) break;  // and all behind it
      this->products(b, h, i, j);
      this->draw(b, h, i, j);
      for (int64_t r = 0; r < n; ++r)
        if (F shrink = softmax_row(b, h, i, j, r, top[r], total[r]); begun && shrink != 1)
          scale_row(sums_ + r * Vp, Vp, shrink);
      block_product<F>(n, Vp, this->keys_in(j), {scores + 0, width, 1}, values_ + j * keys * Vp, sums_ + 0, Vp, begun);
      begun = true;
    }
    for (int64_t r = 0; r < n; ++r) {
      F* to = context_.at(b, i * queries + r, h);
      F scale = total[r] == 0 ? F{0} : 1 / total[r];
      for (int64_t c = 0; c < V; ++c) to[c] = begun ? sums_[r * Vp + c] * scale : F{0};
    }
  }

  // Row r of the tile becomes e^(score - m). Returns what was summed before is to be multiplied with.
  F softmax_row(int64_t b, int64_t h, int64_t i, int64_t j, int64_t r, F& top, F& total) {
    F* e = scores + r * width;
    int64_t n = padded<F>(this->keys_in(j));
    F most = scores_of_row(e, n, this->rule_of(b, h, i * queries + r, j)), before = top;
    if (most > top || most != most) top = most;
    if (top == -std::numeric_limits<F>::infinity()) {
      std::fill(e, e + n, F{0});
      return 1;
    }
    F shrink = top == before ? F{1} : std::exp(before - top);
    total = total * shrink + exponentials(e, n, top);
    if (const F* f = this->factor_row(r))
      for (int64_t c = 0; c < n; c += kLanes<F>) store(e + c, load(e + c) * load(f + c));
    return shrink;
  }

  Buffer<F> values_, sums_;  // strips of each block of keys; [queries, V padded]
  Heads<F> context_;
  F *top_, *total_;
};

template <class F>
class Backward : Tiles<F> {
 public:
  Backward(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options,
           const TiledContext& seen, const Tensor& dcontext, const TiledGrads& out)
      : Tiles<F>(qt, kt, vt, options),
        context_(seen.context),
        dcontext_(dcontext),
        top_(seen.top.data<F>()),
        total_(seen.total.data<F>()),
        out_(out),
        turned_values_(this->S_padded() * V),
        keys_(keys * Kp),
        queries_(query_blocks * queries * Kp),
        ups_(query_blocks * queries * Vp),
        dweights_(queries * width),
        dq_(query_blocks * queries * Kp),
        dk_(keys * Kp),
        dv_(keys * Vp),
        dots_(T) {}

  // All heads of group g, for the blocks [i0, i1) of queries and [j0, j1) of keys: all gradients, or one sort where a
  // thread has but a part of the other axis. The sums have one order, whoever makes them.
  void run(int64_t b, int64_t g, int64_t i0, int64_t i1, int64_t j0, int64_t j1, bool with_q, bool with_kv) {
    this->turn_keys(b, g);
    for (int64_t j = j0; j < j1; ++j)
      pack_turned<F>(this->keys_in(j), V, v.at(b, j * keys, g), v.row, turned_values_ + j * width * V);
    for (int64_t h = g * (H / G); h < (g + 1) * (H / G); ++h) {
      bool first_head = h == g * (H / G);
      for (int64_t i = i0; i < i1; ++i) open(b, h, i, with_kv);
      for (int64_t j = j0; j < j1; ++j) {
        if (with_q) pack_rows<F>(this->keys_in(j), K, k.at(b, j * keys, g), k.row, keys_ + 0);
        bool begun = false;
        for (int64_t i = i0; i < i1; ++i) {
          if (this->hidden(i, j)) continue;
          tile(b, h, i, j, j == j0, begun, with_q, with_kv);
          begun = true;
        }
        if (with_kv) {
          close<F>(Heads<F>(out_.k), b, j * keys, g, this->keys_in(j), K, dk_ + 0, Kp, begun, !first_head);
          close<F>(Heads<F>(out_.v), b, j * keys, g, this->keys_in(j), V, dv_ + 0, Vp, begun, !first_head);
        }
      }
      if (with_q)
        for (int64_t i = i0; i < i1; ++i)
          close<F>(Heads<F>(out_.q), b, i * queries, h, this->queries_in(i), K, dq_ + i * queries * Kp, Kp,
                   j1 > j0 && !this->hidden(i, j0), /*add=*/false);
    }
  }

 private:
  using Tiles<F>::B, Tiles<F>::T, Tiles<F>::H, Tiles<F>::G, Tiles<F>::S, Tiles<F>::K, Tiles<F>::V, Tiles<F>::queries,
      Tiles<F>::keys, Tiles<F>::query_blocks, Tiles<F>::key_blocks, Tiles<F>::scores, Tiles<F>::width, Tiles<F>::Kp,
      Tiles<F>::Vp, Tiles<F>::q, Tiles<F>::k, Tiles<F>::v;

  // D of each query; queries and gradients as strips, for the products that have them on the right.
  void open(int64_t b, int64_t h, int64_t i, bool with_kv) {
    int64_t n = this->queries_in(i);
    for (int64_t r = 0; r < n; ++r) {
      const F *up = dcontext_.at(b, i * queries + r, h), *c = context_.at(b, i * queries + r, h);
      Vec<F> sum = {};
      int64_t x = 0;
      for (; x + kLanes<F> <= V; x += kLanes<F>) sum += load(up + x) * load(c + x);
      if (x < V) sum += load_first(up + x, V - x) * load_first(c + x, V - x);
      dots_[i * queries + r] = add_lanes<F>(sum);
    }
    if (!with_kv) return;
    pack_rows<F>(n, K, q.at(b, i * queries, h), q.row, queries_ + i * queries * Kp);
    pack_rows<F>(n, V, dcontext_.at(b, i * queries, h), dcontext_.row, ups_ + i * queries * Vp);
  }

  void tile(int64_t b, int64_t h, int64_t i, int64_t j, bool first_of_q, bool begun, bool with_q, bool with_kv) {
    int64_t n = this->queries_in(i), m = this->keys_in(j), row = (b * H + h) * T + i * queries;
    this->products(b, h, i, j);
    this->draw(b, h, i, j);
    block_product<F>(n, padded<F>(m), V, {dcontext_.at(b, i * queries, h), dcontext_.row, 1},
                     turned_values_ + j * width * V, dweights_ + 0, width, /*accumulate=*/false);
    for (int64_t r = 0; r < n; ++r) {
      F *e = scores + r * width, *dw = dweights_ + r * width;
      if (top_[row + r] == -std::numeric_limits<F>::infinity()) {
        std::fill(e, e + padded<F>(m), F{0});
        std::fill(dw, dw + padded<F>(m), F{0});
        continue;
      }
      gradients_of_row<F>(e, dw, padded<F>(m), this->rule_of(b, h, i * queries + r, j),
                          {top_[row + r], 1 / total_[row + r], dots_[i * queries + r], this->factor_row(r)});
    }
    if (with_q)
      block_product<F>(n, Kp, m, {dweights_ + 0, width, 1}, keys_ + 0, dq_ + i * queries * Kp, Kp, !first_of_q);
    if (!with_kv) return;
    block_product<F>(m, Kp, n, {dweights_ + 0, 1, width}, queries_ + i * queries * Kp, dk_ + 0, Kp, begun);
    block_product<F>(m, Vp, n, {scores + 0, 1, width}, ups_ + i * queries * Vp, dv_ + 0, Vp, begun);
  }

  // Finished rows go to their place; where no tile touched them they are zero.
  template <class X>
  static void close(const Heads<X>& to, int64_t b, int64_t row, int64_t h, int64_t n, int64_t columns, const X* from,
                    int64_t from_row, bool touched, bool add) {
    for (int64_t r = 0; r < n; ++r) {
      X* y = to.at(b, row + r, h);
      const X* x = from + r * from_row;
      for (int64_t c = 0; c < columns; ++c) y[c] = (add ? y[c] : X{0}) + (touched ? x[c] : X{0});
    }
  }

  Heads<F> context_, dcontext_;
  const F *top_, *total_;
  const TiledGrads& out_;
  Buffer<F> turned_values_, keys_;  // strips
  Buffer<F> queries_, ups_;         // strips of each block of queries
  Buffer<F> dweights_, dq_, dk_, dv_, dots_;
};

bool broadcasts_to(const Shape& shape, const Shape& whole) {
  if (shape.rank() > whole.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[shape.rank() - axis] != 1 && shape[shape.rank() - axis] != whole[whole.rank() - axis]) return false;
  return true;
}

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionTiles& o) {
  bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  fits = fits && q.size(0) == k.size(0) && q.size(3) == k.size(3) && k.size(2) >= 1 && q.size(2) % k.size(2) == 0;
  for (int axis = 0; fits && axis < 3; ++axis) fits = k.size(axis) == v.size(axis);
  if (!fits)
    throw ShapeError(
        fmt::format("tiled_attention: needs q [B, T, H, K], k [B, S, G, K] and v [B, S, G, V], H a multiple of G; got "
                    "{}, {} and {}",
                    to_string(q.shape()), to_string(k.shape()), to_string(v.shape())));
  require_same_dtype("tiled_attention", q, k);
  require_same_dtype("tiled_attention", q, v);
  Shape scores{q.size(0), q.size(2), q.size(1), k.size(1)};
  for (const Tensor* x : {&o.allowed, &o.bias})
    if (x->defined() && !broadcasts_to(x->shape(), scores))
      throw ShapeError(fmt::format("tiled_attention: the {} must broadcast to the scores {}; got {}",
                                   x == &o.bias ? "bias" : "mask", to_string(scores), to_string(x->shape())));
  if (o.bias.defined()) require_same_dtype("tiled_attention", q, o.bias);
  if (o.query_block < 0 || o.key_block < 0)
    throw ValueError(fmt::format("tiled_attention: blocks must be positive, or 0; got {} queries and {} keys",
                                 o.query_block, o.key_block));
  if (!(o.dropout >= 0 && o.dropout <= 1))
    throw ValueError(fmt::format("tiled_attention: dropout must lie in [0, 1]; got {}", o.dropout));
}

AttentionTiles laid_over(AttentionTiles o, const Sizes& n) {
  o.allowed = laid_over(o.allowed, {n.B, n.H, n.T, n.S});
  o.bias = laid_over(o.bias, {n.B, n.H, n.T, n.S});
  return o;
}

double multiply_adds(const Sizes& s) {
  return static_cast<double>(s.B * s.H * s.T) * static_cast<double>(s.S * (s.K + s.V));
}

}  // namespace

TiledContext tiled_attention(const Tensor& q_, const Tensor& k_, const Tensor& v_, const AttentionTiles& options) {
  check(q_, k_, v_, options);
  Tensor q = dense_last(q_), k = dense_last(k_), v = dense_last(v_);
  Sizes n(q, k, v, options);
  const AttentionTiles o = laid_over(options, n);
  Kernel kernel("tiled_attention", Kernel::Product{}, multiply_adds(n));
  TiledContext out{Tensor::empty({n.B, n.T, n.H, n.V}, q.dtype()), Tensor::empty({n.B, n.H, n.T}, q.dtype()),
                   Tensor::empty({n.B, n.H, n.T}, q.dtype())};
  int64_t a_unit = n.queries * n.S * (n.K + n.V), units = n.B * n.H * n.query_blocks;
  dispatch_float(q.dtype(), "tiled_attention", [&](auto zero) {
    using F = decltype(zero);
    parallel_for(0, units, std::max<int64_t>(1, kWorkOfAThread / std::max<int64_t>(a_unit, 1)),
                 [&](int64_t begin, int64_t end) { Forward<F>(q, k, v, o, out).run(begin, end); });
  });
  return out;
}

TiledGrads tiled_attention_backward(const Tensor& q_, const Tensor& k_, const Tensor& v_, const TiledContext& seen,
                                    const Tensor& dcontext_, const AttentionTiles& options, const TiledWanted& wanted) {
  check(q_, k_, v_, options);
  Tensor q = dense_last(q_), k = dense_last(k_), v = dense_last(v_), dcontext = dense_last(dcontext_);
  Sizes n(q, k, v, options);
  const AttentionTiles o = laid_over(options, n);
  Kernel kernel("tiled_attention_backward", Kernel::Product{}, 2.5 * multiply_adds(n));
  TiledGrads out;
  if (wanted.q) out.q = Tensor::empty(q.shape(), q.dtype());
  if (wanted.keys_and_values) out.k = Tensor::empty(k.shape(), k.dtype()), out.v = Tensor::empty(v.shape(), v.dtype());
  dispatch_float(q.dtype(), "tiled_attention", [&](auto zero) {
    using F = decltype(zero);
    int64_t groups = n.B * n.G, a_group = n.H / n.G * n.T * n.S * (n.K + n.V);
    int64_t grain = std::max<int64_t>(1, kWorkOfAThread / std::max<int64_t>(2 * a_group, 1));
    auto part = [&](int64_t group, int64_t i0, int64_t i1, int64_t j0, int64_t j1, bool with_q, bool with_kv) {
      Backward<F>(q, k, v, o, seen, dcontext, out).run(group / n.G, group % n.G, i0, i1, j0, j1, with_q, with_kv);
    };
    if (groups >= thread_count() || groups * a_group < kWorkOfAThread) {
      parallel_for(0, groups, grain, [&](int64_t begin, int64_t end) {
        Backward<F> all(q, k, v, o, seen, dcontext, out);
        for (int64_t group = begin; group < end; ++group)
          all.run(group / n.G, group % n.G, 0, n.query_blocks, 0, n.key_blocks, wanted.q, wanted.keys_and_values);
      });
      return;
    }
    for (int64_t group = 0; group < groups; ++group) {  // fewer groups than threads: each is cut along both axes
      if (wanted.q)
        parallel_for(0, n.query_blocks, 1, [&](int64_t begin, int64_t end) {
          part(group, begin, end, 0, n.key_blocks, /*with_q=*/true, /*with_kv=*/false);
        });
      if (wanted.keys_and_values)
        parallel_for(0, n.key_blocks, 1, [&](int64_t begin, int64_t end) {
          part(group, 0, n.query_blocks, begin, end, /*with_q=*/false, /*with_kv=*/true);
        });
    }
  });
  return out;
}

}  // namespace heed
