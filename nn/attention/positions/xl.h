// Relative positions of Transformer-XL (section 3.3 of the paper): of the four terms of the product of two words that
// carry sines and cosines of their positions, only the distance remains; u and v replace the query's own position.
//
//   q_t . k_s    content with content                     q_t . W_R r    content of the query with the distance
//   u . k_s      content of the key, for every query      v . W_R r      the distance alone
//
// r_d is the row d of the sinusoids, [H K] numbers, all sines before all cosines as in the authors' code; a key after
// its query has a negative d, and its sines change their sign. W_R has no bias, its rows h K .. (h + 1) K - 1 are head
// h's. u = v = 0 and W_R = 0 is no position. Each layer has its own (the authors may share u and v between layers).
//
// u enters with the query (turn_query), so that (q + u) . k is the score itself: no evaluator has to hand keys to a
// position, and keys in a memory stay as they were projected. `bias` then gets q + u, and adds v - u to it.
//
// The second product is made once for each of the N = T + S - 1 distances, from the largest to the smallest, and row t
// of the products P is read from column T - 1 - t on ("rel-shift"), a view of the flat P at t (N - 1) + (T - 1) + s:
//
//   P[t, n] = scale (q_t + v) . W_R r_(largest - n)        bias[t, s] = P[t, T - 1 - t + s]
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

struct XLPositions final : HeadPosition {
  static constexpr About about{
      .names = {"F5", "xl", "Transformer-XL", "relative positional encodings"},
      .formula = "e_ts = ((q_t + u) . k_s + (q_t + v) . W_R r_(t - s)) / sqrt(K),  r the sinusoids",
      .paper = {"Dai et al., ACL 2019", 2019, 3},
      .idea =
          "The score is a sum of four parts: how well the query fits the key, how well it fits the distance, a "
          "preference for certain keys, and a preference for certain distances. Distances enter as sinusoids, "
          "multiplied by a matrix of their own. It was made for models that read a text in segments.",
      .wrong =
          "The two bias vectors take the place of the absolute position of the query. The usual bug is a table of "
          "distances that is shifted by one position too many or too few.",
      .shapes = "in heads: q [B, H, T, K], u and v [H, K], W_R [H K, H K] -> [B, H, T, S]",
      .cost = "(T + S) (H^2 K^2 + H T K) products; H^2 K^2 + 2 H K parameters",
      .own = {"shift_is_the_loop", "nothing_learned_is_no_position", "cache_is_the_parallel_pass"},
      .cases = "XLPositions",
  };

  using Options = HeadPositionOptions;
  XLPositions(const Options& options, Generator& rng);
  bool turns() const override { return true; }
  bool has_bias() const override { return true; }
  bool needs_product() const override { return true; }
  Variable turn_query(const Variable& q, const Places&) const override;  // [B, T, H, K]: q + u
  Variable bias(const Variable& turned, const Places& places, double scale) const override;
  void visit(Visitor& v) override {
    v.parameter("content_bias", content);
    v.parameter("position_bias", position);
    v.parameter("weight", weight);
  }
  Options options;
  Variable content, position, weight;  // u [H, K], v [H, K], W_R [H K, H K]
};

// Rows largest, largest - 1, .., largest - count + 1 of r: [count, width].
Tensor distance_sinusoids(int64_t largest, int64_t count, int64_t width, DType dtype);

}  // namespace heed::nn
