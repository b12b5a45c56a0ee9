#include <optional>
#include <vector>

#include "tensor/kernels/tiled_attention_tiles.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

using namespace tiles;

// The sums of de (tiled_attention.h) that become the gradient of the bias. Along axes where the bias is broadcast, the
// stride is 0. If that is the axis of keys, one number per query is added up, and the sum over queries comes last.
//
//   bias                      sums                added per tile
//   [B or 1, H or 1, T, S]    as the bias         the tile
//   [B or 1, H or 1, 1, S]    as the bias         the sum over its queries
//   [B or 1, H or 1, ., 1]    [.., .., T, 1]      the sum over its keys
struct BiasSums {
  BiasSums(const Shape& bias, const Sizes& s, DType dtype) {
    Shape whole{1, 1, 1, 1};
    for (int axis = 1; axis <= bias.rank(); ++axis) whole[4 - axis] = bias[bias.rank() - axis];
    per_query = whole[3] == 1;
    if (per_query) whole[2] = s.T;
    over_batch = whole[0] == 1 && s.B > 1, over_heads = whole[1] == 1 && s.H > 1;
    over_queries = whole[2] == 1 && s.T > 1;
    sums = Tensor::zeros(whole, dtype);
    head = whole[1] == 1 ? 0 : whole[2] * whole[3], batch = whole[0] == 1 ? 0 : whole[1] * whole[2] * whole[3];
    query = whole[2] == 1 ? 0 : whole[3];
  }
  Tensor finished(const Shape& bias) const {
    Tensor all = sums;
    if (per_query && element_count(bias) != sums.count()) all = sum(sums, {2}, /*keep=*/true);
    return all.reshape(bias);
  }
  Tensor sums;
  int64_t batch, head, query;
  bool per_query, over_batch, over_heads, over_queries;
};

// What a thread computes of a group (the query heads that share keys and values).
struct Part {
  Span query_blocks, key_blocks;
  bool q, keys_and_values, bias;
};

template <class F, int R>
class Backward : Tiles<F, R> {
 public:
  Backward(const Tensor& qt, const Tensor& kt, const Tensor& vt, const AttentionTiles& options, const Visits& visited,
           const TiledContext& seen, const Tensor& dcontext, const TiledGrads& out, const BiasSums* bias)
      : Tiles<F, R>(qt, kt, vt, options, visited),
        context_(seen.context),
        dcontext_(dcontext),
        top_(seen.top.data<F>()),
        total_(seen.total.data<F>()),
        out_(out),
        bias_(bias),
        turned_values_(this->S_padded() * V),
        keys_(keys * Kp),
        queries_(query_blocks * queries * Kp),
        ups_(query_blocks * queries * Vp),
        dweights_(queries * width),
        de_(bias ? width : 0),
        dq_(query_blocks * queries * Kp),
        dk_(keys * Kp),
        dv_(keys * Vp),
        dots_(T),
        begun_(static_cast<size_t>(query_blocks)) {}

  // All heads of group g, for the blocks of queries and of keys in `part`. A thread with all blocks computes all
  // gradients. A thread with a part of one axis computes only those whose sums are complete within these blocks. The
  // order of each sum is the same in both cases.
  void run(int64_t b, int64_t g, const Part& part) {
    this->prefetch_next(k, b, g, G, S, K), this->prefetch_next(v, b, g, G, S, V);
    this->turn_keys(b, g, part.key_blocks);
    for (int64_t j = part.key_blocks.begin; j < part.key_blocks.end; ++j)
      pack_turned<F, R>(this->keys_in(j), V, v.at(b, j * keys, g), v.row, turned_values_ + j * width * V);
    for (int64_t h = g * (H / G); h < (g + 1) * (H / G); ++h) {
      bool first_head = h == g * (H / G);
      this->prefetch_next(q, b, h, H, T, K), this->prefetch_next(dcontext_, b, h, H, T, V);
      this->prefetch_next(context_, b, h, H, T, V);
      for (int64_t i = part.query_blocks.begin; i < part.query_blocks.end; ++i) open(b, h, i, part.keys_and_values);
      std::fill(begun_.begin(), begun_.end(), 0);
      for (int64_t j = part.key_blocks.begin; j < part.key_blocks.end; ++j) {
        Span within = visits.query_blocks_of(j);
        bool begun = false;
        for (int64_t i = std::max(part.query_blocks.begin, within.begin);
             i < std::min(part.query_blocks.end, within.end); ++i) {
          Span columns = this->vectors_of(i, j);
          if (columns.empty()) continue;
          if (!begun) begin(b, g, j, part, columns);
          tile(b, h, i, j, columns, part, begun_[static_cast<size_t>(i)], begun || columns.size() < this->keys_in(j));
          begun = true, begun_[static_cast<size_t>(i)] = 1;
        }
        if (part.keys_and_values) {
          close(out_.k, b, j * keys, g, this->keys_in(j), dk_ + 0, Kp, begun, !first_head);
          close(out_.v, b, j * keys, g, this->keys_in(j), dv_ + 0, Vp, begun, !first_head);
        }
      }
      if (part.q)
        for (int64_t i = part.query_blocks.begin; i < part.query_blocks.end; ++i)
          close(out_.q, b, i * queries, h, this->queries_in(i), dq_ + i * queries * Kp, Kp,
                begun_[static_cast<size_t>(i)], /*add=*/false);
    }
  }

 private:
  using Tiles<F, R>::B, Tiles<F, R>::T, Tiles<F, R>::H, Tiles<F, R>::G, Tiles<F, R>::S, Tiles<F, R>::K, Tiles<F, R>::V,
      Tiles<F, R>::queries, Tiles<F, R>::keys, Tiles<F, R>::query_blocks, Tiles<F, R>::key_blocks, Tiles<F, R>::scores,
      Tiles<F, R>::width, Tiles<F, R>::Kp, Tiles<F, R>::Vp, Tiles<F, R>::q, Tiles<F, R>::k, Tiles<F, R>::v,
      Tiles<F, R>::visits;

  // Computes D of each query, and packs queries and gradients into strips for products whose right operand they are.
  void open(int64_t b, int64_t h, int64_t i, bool with_kv) {
    int64_t n = this->queries_in(i);
    for (int64_t r = 0; r < n; ++r) {
      const F *up = dcontext_.at(b, i * queries + r, h), *c = context_.at(b, i * queries + r, h);
      Lanes<F, R> sum = {};
      int64_t x = 0;
      for (; x + kLanes<F> <= V; x += kLanes<F>) sum += load<R>(up + x) * load<R>(c + x);
      if (x < V) sum += load_first<R>(up + x, V - x) * load_first<R>(c + x, V - x);
      dots_[i * queries + r] = add_lanes(sum);
    }
    if (!with_kv) return;
    this->pack(q, b, i * queries, h, n, K, queries_ + i * queries * Kp);
    this->pack(dcontext_, b, i * queries, h, n, V, ups_ + i * queries * Vp);
  }

  // Before the first tile of key block j.
  void begin(int64_t b, int64_t g, int64_t j, const Part& part, Span columns) {
    int64_t m = this->keys_in(j);
    if (part.q) this->pack(k, b, j * keys, g, m, K, keys_ + 0);
    if (!part.keys_and_values || columns.size() >= m) return;
    Rows dk = target(out_.k, b, j * keys, g, dk_ + 0, Kp), dv = target(out_.v, b, j * keys, g, dv_ + 0, Vp);
    for (int64_t r = 0; r < m; ++r) {  // the tile does not write all rows
      std::fill(dk.p + r * dk.row, dk.p + r * dk.row + Kp, F{0});
      std::fill(dv.p + r * dv.row, dv.p + r * dv.row + Vp, F{0});
    }
  }

  // `add_q` and `add_kv`: does this tile add to earlier sums of dq, or of dk and dv?
  void tile(int64_t b, int64_t h, int64_t i, int64_t j, Span columns, const Part& part, bool add_q, bool add_kv) {
    int64_t n = this->queries_in(i), m = this->keys_in(j), row = (b * H + h) * T + i * queries;
    this->products(b, h, i, j, columns);
    this->draw(b, h, i, j);
    block_product<F, R>(n, padded<F>(m), V, {dcontext_.at(b, i * queries, h), dcontext_.row, 1},
                        {turned_values_ + j * width * V}, dweights_ + 0, width, /*accumulate=*/false, columns, {0, V});
    auto rules = this->rules_of(b, h, i, j);
    for (int64_t r = 0; r < n; ++r) {
      F *e = scores + r * width, *dw = dweights_ + r * width;
      if (top_[row + r] == -std::numeric_limits<F>::infinity()) {
        std::fill(e + columns.begin, e + columns.end, F{0});
        std::fill(dw + columns.begin, dw + columns.end, F{0});
        continue;
      }
      const RowRule<F>& rule_of_row = this->rule_of(rules, i, r, j);
      const BackwardRow<F> of_row{top_[row + r],       1 / total_[row + r], dots_[i * queries + r],
                                  this->factor_row(r), rules.row.scale,     part.bias ? de_ + 0 : nullptr};
      if (of_row.top == std::numeric_limits<F>::infinity())
        gradients_of_overflow<R>(e, dw, columns, rule_of_row, of_row);
      else
        gradients_of_row<R>(e, dw, columns, rule_of_row, of_row);
      if (part.bias) add_to_bias(b, h, i * queries + r, j, de_ + 0, columns);
    }
    Span some = this->keys_of(columns, j);
    int64_t g = h / (H / G);
    if (part.q) {
      Rows dq = target(out_.q, b, i * queries, h, dq_ + i * queries * Kp, Kp);
      block_product<F, R>(n, Kp, m, {dweights_ + 0, width, 1}, this->right(k, b, j * keys, g, K, keys_ + 0), dq.p,
                          dq.row, add_q, {0, Kp}, some);
    }
    if (!part.keys_and_values) return;
    Rows dk = target(out_.k, b, j * keys, g, dk_ + 0, Kp), dv = target(out_.v, b, j * keys, g, dv_ + 0, Vp);
    block_product<F, R>(some.size(), Kp, n, {dweights_ + some.begin, 1, width},
                        this->right(q, b, i * queries, h, K, queries_ + i * queries * Kp), dk.p + some.begin * dk.row,
                        dk.row, add_kv, {0, Kp}, {0, n});
    block_product<F, R>(some.size(), Vp, n, {scores + some.begin, 1, width},
                        this->right(dcontext_, b, i * queries, h, V, ups_ + i * queries * Vp),
                        dv.p + some.begin * dv.row, dv.row, add_kv, {0, Vp}, {0, n});
  }

  // Where a product writes rows of a gradient: the gradient itself, or a buffer from which close() copies them.
  struct Rows {
    F* p;
    int64_t row;
  };
  Rows target(const Tensor& gradient, int64_t b, int64_t t, int64_t h, F* buffer, int64_t row) const {
    if (!this->in_place(gradient.size(3)) || H > G) return {buffer, row};
    Heads<F> to(gradient);
    return {to.at(b, t, h), to.row};
  }

  void add_to_bias(int64_t b, int64_t h, int64_t t, int64_t j, const F* de, Span columns) {
    F* to = bias_sums_ + b * bias_->batch + h * bias_->head + t * bias_->query;
    if (bias_->per_query) {
      *to += sum_of_row<R>(de, columns);
      return;
    }
    Span some = this->keys_of(columns, j);
    to += j * keys;
    for (int64_t c = some.begin; c < some.end; ++c) to[c] += de[c];
  }

  // Stores the finished rows, where target() was a buffer; rows that no tile has touched are zero.
  void close(const Tensor& gradient, int64_t b, int64_t t, int64_t h, int64_t n, F* buffer, int64_t row, bool touched,
             bool add) const {
    Rows from = target(gradient, b, t, h, buffer, row);
    if (touched && from.p != buffer) return;
    Heads<F> to(gradient);
    int64_t columns = gradient.size(3);
    for (int64_t r = 0; r < n; ++r) {
      F* y = to.at(b, t + r, h);
      const F* x = buffer + r * row;
      for (int64_t c = 0; c < columns; ++c) y[c] = (add ? y[c] : F{0}) + (touched ? x[c] : F{0});
    }
  }

  Heads<F> context_, dcontext_;
  const F *top_, *total_;
  const TiledGrads& out_;
  const BiasSums* bias_;  // null if not wanted
  F* bias_sums_ = bias_ ? bias_->sums.template data<F>() : nullptr;
  Buffer<F> turned_values_, keys_;  // strips
  Buffer<F> queries_, ups_;         // strips of each block of queries
  Buffer<F> dweights_, de_, dq_, dk_, dv_, dots_;
  std::vector<char> begun_;  // of each block of queries: has a tile written its dq?
};

}  // namespace

TiledGrads tiled_attention_backward(const Tensor& q_, const Tensor& k_, const Tensor& v_, const TiledContext& seen,
                                    const Tensor& dcontext_, const AttentionTiles& given, const TiledWanted& wanted) {
  check(q_, k_, v_, given);
  Tensor q = dense_last(q_), k = dense_last(k_), v = dense_last(v_), dcontext = dense_last(dcontext_);
  Sizes n(q, k, v, given);
  const AttentionTiles o = laid_out(given, n);
  const Visits visits(n, o);
  Kernel kernel("tiled_attention_backward", Kernel::Product{}, 2.5 * visits.multiply_adds());
  TiledGrads out;
  Tensor (*made)(const Shape&, DType) = n.H > 0 ? Tensor::empty : Tensor::zeros;  // without heads nothing is written
  if (wanted.q) out.q = made(q.shape(), q.dtype());
  if (wanted.keys_and_values) out.k = made(k.shape(), k.dtype()), out.v = made(v.shape(), v.dtype());
  std::optional<BiasSums> bias;
  if (wanted.bias && given.bias.defined()) bias.emplace(given.bias.shape(), n, q.dtype());
  const BiasSums* sums = bias ? &*bias : nullptr;
  dispatch_float(q.dtype(), "tiled_attention", [&](auto zero) {
    using F = decltype(zero);
    // Groups that add to the same numbers of dbias form a family, which one thread computes in order.
    int64_t batches = bias && bias->over_batch ? 1 : n.B, of_heads = bias && bias->over_heads ? 1 : n.G;
    int64_t families = batches * of_heads, work = static_cast<int64_t>(visits.multiply_adds());
    int64_t grain =
        std::max<int64_t>(1, kWorkOfAThread / std::max<int64_t>(2 * work / std::max<int64_t>(families, 1), 1));
    Span all_queries{0, n.query_blocks}, all_keys{0, n.key_blocks};
    if (families >= thread_count() || work < kWorkOfAThread) {
      vectorised_for(0, families, grain, [&]<int R>(int64_t begin, int64_t end) {
        Backward<F, R> all(q, k, v, o, visits, seen, dcontext, out, sums);
        for (int64_t family = begin; family < end; ++family) {
          int64_t b0 = family / of_heads, g0 = family % of_heads;
          for (int64_t b = b0; b < n.B; b += batches)
            for (int64_t g = g0; g < n.G; g += of_heads)
              all.run(b, g, {all_queries, all_keys, wanted.q, wanted.keys_and_values, sums != nullptr});
        }
      });
      return;
    }
    // Fewer families than threads: each group is cut along both axes. The gradient of a bias that has no axis of
    // queries is a sum over all of them, and belongs to the threads that have some keys.
    bool by_keys = sums && sums->over_queries;
    auto run = [&](int64_t group, const Part& part) {
      vectorised([&]<int R>() {
        Backward<F, R>(q, k, v, o, visits, seen, dcontext, out, sums).run(group / n.G, group % n.G, part);
      });
    };
    for (int64_t group = 0; group < n.B * n.G; ++group) {
      if (wanted.q || (sums && !by_keys))
        parallel_for(0, n.query_blocks, 1, [&](int64_t begin, int64_t end) {
          run(group, {{begin, end}, all_keys, wanted.q, /*keys_and_values=*/false, sums && !by_keys});
        });
      if (wanted.keys_and_values || by_keys)
        parallel_for(0, n.key_blocks, 1, [&](int64_t begin, int64_t end) {
          run(group, {all_queries, {begin, end}, /*q=*/false, wanted.keys_and_values, by_keys});
        });
    }
  });
  if (bias) out.bias = bias->finished(given.bias.shape());
  return out;
}

}  // namespace heed
