// Positions as a bias that is added to each score and depends on the distance between query and key. Both schemes
// return [1, H, T, S], or [B, H, T, S] if each sentence has its own positions. i is the query's position, j the key's.
//
//   ALiBi   b_hij = -m_h |j - i|                     Press, Smith and Lewis, ICLR 2022: no parameters
//   T5      b_hij = table[bucket(j - i), h]       Raffel et al., JMLR 2020: one table for all layers
//
// ALiBi's slopes m_h are 2^(-8/H), 2^(-16/H), .. if H is a power of two. Otherwise they are the slopes for the next
// smaller power of two, followed by every second slope for the next larger one. The bias is added after the scores were
// scaled. (Some programs add m_h j instead. Under a causal mask this is equivalent, because a softmax does not change
// when all scores of a row are shifted; without one it is not.)
//
// T5's buckets: with N buckets for a direction, the distances below N/2 have one bucket each. The other buckets cover
// ranges that grow by a constant factor up to max_distance. If both directions are allowed, each has half of all
// buckets, and keys after the query use the upper half. T5 does not divide the products by a root: use the score "dot".
#pragma once

#include <vector>

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads);  // ValueError for heads < 1

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
  bool bidirectional = true;  // false: later keys count as distance 0
};
int64_t t5_bucket(int64_t distance, const T5BucketOptions& options = {});  // distance = key's position - query's

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
