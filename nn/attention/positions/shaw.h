// Relative positions as vectors (Shaw, Uszkoreit and Vaswani, NAACL 2018): a key, and a value, is what it is plus where
// it stands as seen from the query.
//
//   r_ts = clip(s - t, -D, D)                                   2 D + 1 distances; those further count as D
//   e_ts = q_t . (k_s + a^K_(r_ts)) / sqrt(K)                   c_t = sum_s w_ts (v_s + a^V_(r_ts))
//
// The sign counts: -1 is the word before. D = 0 leaves one vector for all and so no order. "shaw_keys" leaves out a^V,
// which in the paper's table 3 changed nothing. Tables [2 D + 1, K], row r + D for distance r; all heads of a layer
// share them. Beyond plain attention: T S K products, for each table, and [T, S, K] numbers.
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
  Variable keys, values;  // [2 D + 1, K]; values undefined for shaw_keys

 private:
  Tensor rows(const Places& places) const;  // of the tables: [T, S] i64, or [B, T, S]
};

}  // namespace heed::nn
