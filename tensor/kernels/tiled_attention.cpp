#include "tensor/kernels/tiled_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/kernels/elementwise_detail.h"
#include "tensor/kernels/tiled_attention_tiles.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace tiles {
namespace {

bool broadcasts_to(const Shape& shape, const Shape& whole) {
  if (shape.rank() > whole.rank()) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis)
    if (shape[shape.rank() - axis] != 1 && shape[shape.rank() - axis] != whole[whole.rank() - axis]) return false;
  return true;
}

// Expands a mask or bias to the scores [B, H, T, S], with a dense last axis. An undefined one stays undefined.
Tensor over_scores(const Tensor& x, const Shape& scores) {
  if (!x.defined()) return {};
  Tensor whole = x;
  if (int64_t S = scores[3]; x.rank() == 0 || x.size(-1) != S || (S > 1 && x.strides()[x.rank() - 1] != 1)) {
    Shape last = x.shape();
    if (last.rank() == 0) last.push_back(S);
    last[last.rank() - 1] = S;
    whole = x.expand(last).contiguous();
  }
  return whole.expand(scores);
}

void check(const BlockList& blocks, int64_t T, int64_t S) {
  if (!blocks.keep.defined()) return;
  if (blocks.size < 1)
    throw ValueError(
        fmt::format("tiled_attention: the blocks of a list must have a size of 1 or more; got {}", blocks.size));
  detail::require_bool("tiled_attention", blocks.keep);
  if (Shape whole{divide_up(T, blocks.size), divide_up(S, blocks.size)}; !(blocks.keep.shape() == whole))
    throw ShapeError(
        fmt::format("tiled_attention: a list of blocks of {} must be {}, one entry per pair of blocks; got "
                    "{}",
                    blocks.size, to_string(whole), to_string(blocks.keep.shape())));
}

}  // namespace

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
  if (o.allowed.defined()) detail::require_bool("tiled_attention", o.allowed);
  if (o.query_block < 0 || o.key_block < 0)
    throw ValueError(fmt::format("tiled_attention: blocks must be positive, or 0; got {} queries and {} keys",
                                 o.query_block, o.key_block));
  if (o.left < 0 || o.right < 0)
    throw ValueError(
        fmt::format("tiled_attention: a window must reach 0 or more keys to each side; got left {} and "
                    "right {}",
                    o.left, o.right));
  check(o.blocks, q.size(1), k.size(1));
  if (!(o.dropout >= 0 && o.dropout <= 1))
    throw ValueError(fmt::format("tiled_attention: dropout must lie in [0, 1]; got {}", o.dropout));
}

AttentionTiles laid_out(const AttentionTiles& o, const Sizes& s) {
  AttentionTiles laid = o;
  laid.allowed = over_scores(o.allowed, {s.B, s.H, s.T, s.S}), laid.bias = over_scores(o.bias, {s.B, s.H, s.T, s.S});
  laid.left = std::min(o.left, kAllKeys), laid.right = o.causal ? 0 : std::min(o.right, kAllKeys);
  if (o.blocks.keep.defined()) laid.blocks.keep = o.blocks.keep.contiguous();
  return laid;
}

}  // namespace tiles

namespace {

using namespace tiles;

template <class F, int R>
class Forward : Tiles<F, R> {
 public:
  Forward(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options, const Visits& visited,
          const TiledContext& out)
      : Tiles<F, R>(qt, kt, vt, options, visited),
        values_(key_blocks * keys * Vp),
        sums_(queries * Vp),
        context_(out.context),
        top_(out.top.data<F>()),
        total_(out.total.data<F>()) {}

  // A unit of work is a block of queries of one head. Units that share a group of keys follow each other.
  void run(int64_t begin, int64_t end) {
    int64_t packed = -1;
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t i = unit % query_blocks, h = unit / query_blocks % H, b = unit / query_blocks / H, g = h / (H / G);
      if (b * G + g != packed) {
        this->prefetch_next(k, b, g, G, S, K), this->prefetch_next(v, b, g, G, S, V);
        this->turn_keys(b, g, {0, key_blocks});
        for (int64_t j = 0; j < key_blocks; ++j)
          this->pack(v, b, j * keys, g, this->keys_in(j), V, values_ + j * keys * Vp);
        packed = b * G + g;
      }
      this->prefetch_next(q, b, h, H, T, K);
      one(b, h, i);
    }
  }

 private:
  using typename Tiles<F, R>::Rules;
  using Tiles<F, R>::B, Tiles<F, R>::T, Tiles<F, R>::H, Tiles<F, R>::G, Tiles<F, R>::S, Tiles<F, R>::K, Tiles<F, R>::V,
      Tiles<F, R>::queries, Tiles<F, R>::keys, Tiles<F, R>::query_blocks, Tiles<F, R>::key_blocks, Tiles<F, R>::scores,
      Tiles<F, R>::width, Tiles<F, R>::Vp, Tiles<F, R>::q, Tiles<F, R>::k, Tiles<F, R>::v, Tiles<F, R>::visits;

  void one(int64_t b, int64_t h, int64_t i) {
    int64_t n = this->queries_in(i), at = (b * H + h) * T + i * queries;
    F *top = top_ + at, *total = total_ + at;
    std::fill(top, top + n, -std::numeric_limits<F>::infinity());
    std::fill(total, total + n, F{0});
    bool begun = each_tile(b, h, i, [&](int64_t r, Span columns, const auto& rule, bool later) {
      if (F shrink = softmax_row(r, columns, rule, top[r], total[r]); later && shrink != 1)
        scale_row<R>(sums_ + r * Vp, Vp, shrink);
    });
    for (int64_t r = 0; r < n; ++r) {
      F* to = context_.at(b, i * queries + r, h);
      F scale = total[r] == 0 ? F{0} : 1 / total[r];
      for (int64_t c = 0; c < V; ++c) to[c] = begun ? sums_[r * Vp + c] * scale : F{0};
    }
    if (begun && !finite_sums(n)) divided_first(b, h, i);
  }

  bool finite_sums(int64_t n) const {  // 0 times infinity, or NaN, is NaN
    constexpr int64_t kChains = 4;     // sums that do not wait for each other
    Lanes<F, R> zero[kChains] = {};
    int64_t c = 0, end = n * Vp;
    for (; c + kChains * kLanes<F> <= end; c += kChains * kLanes<F>)
      for (int64_t i = 0; i < kChains; ++i) zero[i] += load<R>(sums_ + c + i * kLanes<F>) * F{0};
    for (; c < end; c += kLanes<F>) zero[0] += load<R>(sums_ + c) * F{0};
    return add_lanes(zero[0] + zero[1] + (zero[2] + zero[3])) == 0;
  }

  // sum e^(score - m) v can overflow where the mean of the values does not. Such rows are computed again with weights
  // that are divided by l before they meet the values; m and l are known now.
  [[gnu::cold, gnu::noinline]] void divided_first(int64_t b, int64_t h, int64_t i) {
    int64_t n = this->queries_in(i), at = (b * H + h) * T + i * queries;
    each_tile(b, h, i, [&](int64_t r, Span columns, const auto& rule, bool) {
      F top = top_[at + r], total = total_[at + r];
      softmax_row(r, columns, rule, top, total);
      scale_row<R>(scores + r * width + columns.begin, columns.size(), total_[at + r] == 0 ? F{0} : 1 / total_[at + r]);
    });
    for (int64_t r = 0; r < n; ++r) {
      F* to = context_.at(b, i * queries + r, h);
      if (!std::all_of(to, to + V, [](F x) { return std::isfinite(x); })) std::copy_n(sums_ + r * Vp, V, to);
    }
  }

  // The tiles of query block i, one key block after another: computes the scores, hands each row to
  // row(r, columns, rule, later), which makes weights of it, and adds weights times values to the sums. `later`: this
  // is not the first tile. Returns false if there is no tile.
  template <class Row>
  bool each_tile(int64_t b, int64_t h, int64_t i, const Row& row) {
    int64_t n = this->queries_in(i);
    bool begun = false;
    Span blocks = visits.key_blocks_of(i);
    for (int64_t j = blocks.begin; j < blocks.end; ++j) {
      Span columns = this->vectors_of(i, j);
      if (columns.empty()) continue;
      this->products(b, h, i, j, columns);
      this->draw(b, h, i, j);
      Rules rules = this->rules_of(b, h, i, j);
      for (int64_t r = 0; r < n; ++r) row(r, columns, this->rule_of(rules, i, r, j), begun);
      block_product<F, R>(n, Vp, this->keys_in(j), {scores + 0, width, 1},
                          this->right(v, b, j * keys, h / (H / G), V, values_ + j * keys * Vp), sums_ + 0, Vp, begun,
                          {0, Vp}, this->keys_of(columns, j));
      begun = true;
    }
    return begun;
  }

  // Replaces row r of the tile by e^(score - m). Returns the factor by which the earlier sums must be multiplied.
  F softmax_row(int64_t r, Span columns, const RowRule<F>& rule_of_row, F& top, F& total) {
    F* e = scores + r * width;
    F most = scores_of_row<R>(e, columns, rule_of_row), before = top;
    if (most > top || most != most) top = most;
    if (top == -std::numeric_limits<F>::infinity()) {
      std::fill(e + columns.begin, e + columns.end, F{0});
      return 1;
    }
    F shrink = top == before || total == 0 ? F{1} : std::exp(before - top), subtracted = top;
    if (top == std::numeric_limits<F>::infinity()) subtracted = without_overflow(e + columns.begin, columns.size());
    total = total * shrink + exponentials<R>(e + columns.begin, columns.size(), subtracted);
    if (const F* f = this->factor_row(r))
      for (int64_t c = columns.begin; c < columns.end; c += kLanes<F>) store(e + c, load<R>(e + c) * load<R>(f + c));
    return shrink;
  }

  Buffer<F> values_, sums_;  // strips of each block of keys; [queries, V padded]
  Heads<F> context_;
  F *top_, *total_;
};

}  // namespace

TiledContext tiled_attention(const Tensor& q_, const Tensor& k_, const Tensor& v_, const AttentionTiles& given) {
  check(q_, k_, v_, given);
  Tensor q = dense_last(q_), k = dense_last(k_), v = dense_last(v_);
  Sizes n(q, k, v, given);
  const AttentionTiles o = laid_out(given, n);
  const Visits visits(n, o);
  Kernel kernel("tiled_attention", Kernel::Product{}, visits.multiply_adds());
  TiledContext out{Tensor::empty({n.B, n.T, n.H, n.V}, q.dtype()), Tensor::empty({n.B, n.H, n.T}, q.dtype()),
                   Tensor::empty({n.B, n.H, n.T}, q.dtype())};
  int64_t units = n.B * n.H * n.query_blocks;
  int64_t a_unit = static_cast<int64_t>(visits.multiply_adds()) / std::max<int64_t>(units, 1);
  dispatch_float(q.dtype(), "tiled_attention", [&](auto zero) {
    using F = decltype(zero);
    vectorised_for(0, units, std::max<int64_t>(1, kWorkOfAThread / std::max<int64_t>(a_unit, 1)),
                   [&]<int R>(int64_t begin, int64_t end) { Forward<F, R>(q, k, v, o, visits, out).run(begin, end); });
  });
  return out;
}

}  // namespace heed
