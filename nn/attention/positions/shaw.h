// Relative positions as vectors (Shaw, Uszkoreit and Vaswani, NAACL 2018): a learned vector for the distance between
// query and key is added to the key, and another one to the value.
//
//   r_ts = clip(s - t, -D, D)                                   2 D + 1 distances; larger ones count as D
//   e_ts = q_t . (k_s + a^K_(r_ts)) / sqrt(K)                   c_t = sum_s w_ts (v_s + a^V_(r_ts))
//
// The sign matters: -1 is the previous word. With D = 0 all distances share one vector, so the order of the words has
// no effect. The variant "shaw_keys" omits a^V, which made no difference in the paper's table 3. Each table is
// [2 D + 1, K], with row r + D for distance r; all heads of a layer share it. Cost in addition to plain attention: T S
// K products per table, and [T, S, K] numbers in memory.
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

struct ShawPositions final : HeadPosition {
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
  Variable keys, values;  // [2 D + 1, K]; `values` is undefined for shaw_keys

 private:
  Tensor rows(const Places& places) const;  // table rows of all pairs: [T, S] i64, or [B, T, S]
};

}  // namespace heed::nn
