// Positions as a number added to each score: the further, the less. Both give [1, H, T, S], or [B, H, T, S] where each
// sentence has places of its own. i is the place of the query, j that of the key.
//
//   ALiBi   b_hij = -m_h |j - i|                     Press, Smith and Lewis, ICLR 2022: nothing to learn
//   T5      b_hij = table[bucket(j - i), h]       Raffel et al., JMLR 2020: one table for all layers
//
// ALiBi's slopes are 2^(-8/H), 2^(-16/H), .. where H is a power of two; else those of the power below, and then every
// second of those of the power above. It is added after the scores were scaled. (Others add m_h j: the same under a
// causal mask only, by the softmax's indifference to a shift.)
//
// T5's buckets: half of them, for distances below that, one each; the rest grow by a constant factor up to
// max_distance. Where both directions are seen, later keys have the upper half of all. T5 does not divide the products
// by a root: use the score "dot".
#pragma once

#include <vector>

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads);  // ValueError below 1

struct AlibiBias final : HeadPosition {
  using Options = HeadPositionOptions;
  AlibiBias(const Options& options, Generator& unused);
  Variable operator()(const Places& places, DType dtype = DType::f32) const;
  Variable bias(const Variable& q, const Places& places, double) const override { return (*this)(places, q.dtype()); }
  bool has_bias() const override { return true; }
  bool shared() const override { return true; }
  Options options;
};

struct T5BucketOptions {
  int64_t buckets = 32, max_distance = 128;
  bool bidirectional = true;  // false: later keys count as the query's own place
};
int64_t t5_bucket(int64_t distance, const T5BucketOptions& options = {});  // of key - query

struct T5Bias final : HeadPosition {
  using Options = HeadPositionOptions;
  T5Bias(const Options& options, Generator& rng);
  Variable operator()(const Places& places) const;
  Variable bias(const Variable&, const Places& places, double) const override { return (*this)(places); }
  bool has_bias() const override { return true; }
  bool shared() const override { return true; }
  bool unscaled() const override { return true; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  T5BucketOptions buckets() const;
  Options options;
  Variable weight;  // [buckets, H]
};

}  // namespace heed::nn
