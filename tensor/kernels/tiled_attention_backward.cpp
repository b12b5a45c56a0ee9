#include "tensor/kernels/tiled_attention_tiles.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

using namespace tiles;

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

  // All heads of group g, for blocks [i0, i1) of queries and [j0, j1) of keys. Computes all gradients, or only one kind
  // when the thread has only a part of the other axis. The order of each sum is the same in both cases.
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

  // D of each query. Queries and gradients are packed into strips, for the products where they are on the right.
  void open(int64_t b, int64_t h, int64_t i, bool with_kv) {
    int64_t n = this->queries_in(i);
    for (int64_t r = 0; r < n; ++r) {
      const F *up = dcontext_.at(b, i * queries + r, h), *c = context_.at(b, i * queries + r, h);
      Lanes<F> sum = {};
      int64_t x = 0;
      for (; x + kLanes<F> <= V; x += kLanes<F>) sum += load(up + x) * load(c + x);
      if (x < V) sum += load_first(up + x, V - x) * load_first(c + x, V - x);
      dots_[i * queries + r] = add_lanes(sum);
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

  // Stores the finished rows; rows that no tile has touched are zero.
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

}  // namespace

TiledGrads tiled_attention_backward(const Tensor& q_, const Tensor& k_, const Tensor& v_, const TiledContext& seen,
                                    const Tensor& dcontext_, const AttentionTiles& given, const TiledWanted& wanted) {
  check(q_, k_, v_, given);
  Tensor q = dense_last(q_), k = dense_last(k_), v = dense_last(v_), dcontext = dense_last(dcontext_);
  Sizes n(q, k, v, given);
  const AttentionTiles o = laid_out(given, n);
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
    for (int64_t group = 0; group < groups; ++group) {  // fewer groups than threads: each group is cut along both axes
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
