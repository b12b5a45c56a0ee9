// Relative positions as vectors: a learned vector for the distance r = clip(s - t, -D, D) between query and key is
// added to the key, and another one to the value. -1 is the previous word. With D = 0 all distances share one vector,
// so the order of the words has no effect. The variant "shaw_keys" omits the values', which made no difference in the
// paper's table 3. Each table is [2 D + 1, K], with row r + D for distance r; all heads of a layer share it. [T, S, K]
// numbers in memory.
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

struct ShawPositions final : HeadPosition {
  struct Settings {
    int64_t max_distance = 16;
    void fields(OptionFields& f) { f("max_distance", max_distance, "D: larger distances count as D", {0, 65536}); }
  };
  static constexpr About about{
      .names = {"F3", "shaw", "relative position representations", "shaw_keys: without the value term"},
      .formula =
          "e_ts = q_t . (k_s + A[clip(s - t, -D, D)]) / sqrt(K),  c_t = sum_s w_ts (v_s + U[clip(s - t, -D, D)])",
      .paper = {"Shaw, Uszkoreit and Vaswani, NAACL 2018", 2018, 1},
      .idea =
          "Each distance between two words has a learned vector, which is added to the key before the score. So the "
          "score can prefer the previous word at every position. All distances beyond a limit share one vector per "
          "direction.",
      .wrong =
          "The sign of the distance matters: the previous and the next word need different vectors. The values may "
          "have relative vectors too, which many programs leave out.",
      .shapes = "in heads: q [B, H, T, K], A and U [2 D + 1, K] -> [B, H, T, S]",
      .cost = "T S K products per head and table; 2 (2 D + 1) K parameters",
      .own = {"distances_are_clipped_with_their_sign", "no_distance_is_no_order", "cache_is_the_parallel_pass"},
      .variants = {"shaw_keys"},
  };

  using Options = HeadPositionOptions;
  ShawPositions(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  bool has_read() const override { return values.defined(); }
  bool needs_product() const override { return true; }
  Variable bias(const Variable& query, const Places& places, double scale) const override;
  Variable read(const Variable& weights, const Places& places) const override;
  void visit(Visitor& v) override {
    v.parameter("keys", keys);
    v.parameter("values", values);
  }
  Options options;
  Settings settings;
  Variable keys, values;  // [2 D + 1, K]; `values` is undefined for shaw_keys

 private:
  Tensor rows(const Places& places) const;  // table rows of all pairs: [T, S] i64, or [B, T, S]
};

}  // namespace heed::nn
