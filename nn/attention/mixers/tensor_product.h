// Tensor product attention, TPA: queries, keys and values of a word are sums of products of two small factors, one over
// heads and one over features, and a cache keeps the factors.
//
//   q_t = A_q(x_t)^T B_q(x_t) / R_q   [H, K]        A_q(x) = x W_aq [R_q, H]      B_q(x) = RoPE(x W_bq) [R_q, K]
//   k_s = A_k(x_s)^T B_k(x_s) / R_k   [H, K]        and v_s likewise, whose B_v is not rotated
//   y_t = [softmax(q_h k_h^T / sqrt(K)) v_h]_h W_o
//
// A rotation of B rotates every head, since it is linear in K. With A = 1 and ranks 1 all heads read one key and one
// value, as in multi-query attention. With R = H and A_rh = (r = h) it is multi-head attention, up to the factors 1/R.
// Pairs of RoPE are halves, as in the authors' program (which turns the other way). In an encoder (not in the paper)
// all words are read. It begins as their program does: W_a [R H, D] uniform within sqrt(6 / (R (H + D))), W_b [R K, D]
// within sqrt(6 / (K (R + D))), W_o at 0. B batch, T words, S words so far, D = H K width, H heads, K width of a head.
#pragma once

#include "nn/attention/mixers/rows_mixer.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

struct TensorProductMixer final : RowsMixer {
  struct Settings {
    int64_t query_rank = 6;
    int64_t key_rank = 2;
    int64_t value_rank = 2;
    int64_t rope = 1;
    void fields(OptionFields& f) {
      f("query_rank", query_rank, "R_q, products whose mean is a query", {1, 1024});
      f("key_rank", key_rank, "R_k, products whose mean is a key", {1, 1024});
      f("value_rank", value_rank, "R_v, products whose mean is a value", {1, 1024});
      f("rope", rope, "1: the features of queries and keys are rotated by their place; 0: they are not", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"L2", "tensor_product", "TPA", "tensor product attention", "T6"},
      .formula =
          "q = A_q(x)^T RoPE(B_q(x)) / R_q, k and v alike: factors [R, H] and [R, K];  softmax(q k^T / sqrt(K)) v",
      .paper = {"Zhang et al., 2025 (arXiv 2501.06425)", 2025, 4},
      .idea =
          "The keys of all heads of a word form a matrix of heads and features, and here it is a sum of a few "
          "products of two vectors that depend on the word. Decoding keeps the vectors and not the matrix. Rotary "
          "positions turn the feature vectors, so they can be kept turned.",
      .wrong =
          "Each sum is divided by its rank. The cache must hold feature factors that were rotated at their own "
          "place, not the rotated keys.",
      .cost =
          "D (R_q + R_k + R_v) (H + K) products and S R K more to write out the keys; a cache of (R_k + R_v) (H + K) "
          "numbers a word",
      .own = {"factors_are_heads_written_out", "one_product_is_multi_query", "one_factor_a_head_is_multi_head",
              "tensor_products_begin_as_published"},
  };

  TensorProductMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query_heads", query_heads), v.child("query_features", query_features);
    v.child("key_heads", key_heads), v.child("key_features", key_features);
    v.child("value_heads", value_heads), v.child("value_features", value_features);
    v.child("output", output);
  }
  Settings settings;
  Linear query_heads, key_heads, value_heads;           // W_a [H R, D]: head by head its R factors
  Linear query_features, key_features, value_features;  // W_b [R K, D]: one vector after the other
  Linear output;

 protected:
  int64_t row_width() const override;
  Variable rows_of(const Variable& x, const Places& places) const override;  // [A_k, B_k rotated, A_v, B_v]
  Variable queries_of(const Variable& x, const Places& places) const override;
  HeadMemory keys_of(const Variable& rows) const override;
  Variable output_of(const Variable& contexts) const override;

 private:
  Variable rotated(const Variable& b, int64_t rank, const Places& places) const;  // [B, n, R K]
};

}  // namespace heed::nn
