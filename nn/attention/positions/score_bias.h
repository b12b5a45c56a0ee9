// Positions as a number added to each score: the further, the less. Both give [1, H, T, S], to be HeadMasks::bias;
// query i stands at first + i, key j at j.
//
//   ALiBi   b_hij = -m_h |j - (first + i)|            Press, Smith and Lewis, ICLR 2022: nothing to learn
//   T5      b_hij = table[bucket(j - (first + i)), h]       Raffel et al., JMLR 2020: one table for all layers
//
// ALiBi's slopes are 2^(-8/H), 2^(-16/H), .. where H is a power of two; else those of the power below, and then every
// second of those of the power above. It is added after the scores were scaled. (Others add m_h j: the same under a
// causal mask only, by the softmax's indifference to a shift.)
//
// T5's buckets: half of them, for distances below that, one each; the rest grow by a constant factor up to
// max_distance. Where both directions are seen, later keys have the upper half of all. T5 does not divide the products
// by a root: use the score "dot".
#pragma once

#include "nn/module.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads);  // ValueError below 1

struct AlibiBias : Module {
  struct Options {
    int64_t heads;
  };
  AlibiBias(const Options& options, Generator& unused);
  Variable operator()(int64_t queries, int64_t keys, int64_t first = 0, DType dtype = DType::f32) const;
  void visit(Visitor&) {}
  Options options;
};

struct T5BucketOptions {
  int64_t buckets = 32, max_distance = 128;
  bool bidirectional = true;  // false: later keys count as the query's own place
};
int64_t t5_bucket(int64_t distance, const T5BucketOptions& options = {});  // of key - query

struct T5Bias : Module {
  struct Options {
    int64_t heads;
    T5BucketOptions buckets = {};
  };
  T5Bias(const Options& options, Generator& rng);
  Variable operator()(int64_t queries, int64_t keys, int64_t first = 0) const;
  void visit(Visitor& v) { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [buckets, H]
};

}  // namespace heed::nn
