// Learned vectors for distances, multiplied once for each distance and then skewed into place ("Music Transformer",
// section 3.4). Shaw's way gathers a vector for each pair, T S K numbers. Here the products are made first, for the N =
// T + S - 1 distances that occur, and row t of them is then read from column T - 1 - t on:
//
//   P[t, n] = scale q_t . E[distance n - largest]                 bias[t, s] = P[t, T - 1 - t + s]
//
//          n 0 1 2 3 4             s  0 1 2         P flat, from T - 1 on, cut into rows of N - 1 and read to column S:
//   t = 0    . . a b c    skewed      a b c         no number is copied twice
//   t = 1    . d e f .   -------->    d e f
//   t = 2    g h i . .                g h i
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

// The distances, key minus query, that occur in a call: -largest, .., count - 1 - largest. `apart` has them pair by
// pair, [B, T, S], where the places are given one by one.
struct DistanceSpan {
  int64_t largest, count;
  Tensor apart;
};
DistanceSpan span_of(const Places& places);

Variable skewed(const Variable& products, int64_t keys);  // [B, H, T, N] -> [B, H, T, S], places that are counted
Variable picked(const Variable& products, const Tensor& keys_minus_queries, int64_t largest);  // any places

struct SkewPositions final : HeadPosition {
  struct Settings {
    int64_t max_distance = 16;
    void fields(OptionFields& f) { f("max_distance", max_distance, "D: larger distances count as D", {0, 65536}); }
  };
  static constexpr About about{
      .names = {"F4", "skew", "Music Transformer", "relative attention with skewing"},
      .formula = "e_hts = q_t . (k_s + E[h, clip(s - t, -D, D)]) / sqrt(K), by products with N distances, skewed",
      .paper = {"Huang et al. (Music Transformer), ICLR 2019", 2019, 3},
      .idea =
          "Each head has a table of vectors for distances, and a query is multiplied by the vector of the distance to "
          "each key. The products are made once for each distance and then moved into place, so no table with a vector "
          "for each pair is stored. With one table for all heads this is Shaw's scheme for the keys.",
      .wrong =
          "A skew that starts one column too early or too late gives every pair the vector of a neighbouring distance.",
      .shapes = "in heads: q [B, H, T, K], E [H, 2 D + 1, K] -> [B, H, T, S]",
      .cost = "(T + S) T K products per head; H (2 D + 1) K parameters",
      .own = {"skew_is_the_gather", "one_table_for_all_heads_is_shaw", "cache_is_the_parallel_pass"},
  };

  using Options = HeadPositionOptions;
  SkewPositions(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  bool needs_product() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double scale) const override;
  void visit(Visitor& v) override { v.parameter("table", table); }
  Options options;
  Settings settings;
  Variable table;  // E [H, 2 D + 1, K], row r the distance r - D
};

}  // namespace heed::nn
