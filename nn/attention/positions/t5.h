// T5's relative positions. A bias on each score that depends on the distance between query and key: [1, H, T, S], or
// [B, H, T, S] if each sentence has its own positions. With N buckets for a direction, the distances below N/2 have one
// bucket each. The other buckets cover ranges that grow by a constant factor up to max_distance. Keys after the query
// use the upper half. Use the score "dot".
#pragma once

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

struct T5BucketOptions {
  int64_t buckets = 32, max_distance = 128;
  bool bidirectional = true;  // false: later keys count as distance 0
};
int64_t t5_bucket(int64_t distance, const T5BucketOptions& options = {});  // distance = key's position - query's

struct T5Bias final : HeadPosition {
  struct Settings {
    int64_t max_distance = 128;
    int64_t buckets = 32;
    void fields(OptionFields& f) {
      f("max_distance", max_distance, "larger distances share the last bucket", {2, 65536});
      f("buckets", buckets, "number of buckets", {4, 65536});
    }
  };
  static constexpr About about{
      .names = {"F6", "t5", "relative position buckets", "t5_bias"},
      .formula = "e_hts = q_t . k_s + W[bucket(s - t), h]",
      .paper = {"Raffel et al. (T5), JMLR 2020", 2020, 1},
      .idea =
          "A learned number for each bucket of distances and each head is added to the score. Short distances have a "
          "bucket each, and the buckets of long distances get wider with the distance. One table serves all layers.",
      .wrong =
          "In an encoder half of the buckets are for earlier words and half for later ones; in a decoder all are for "
          "earlier words. T5 does not divide the scores by the root of the width.",
      .shapes = "W [N, H] -> [1, H, T, S]",
      .cost = "T S look-ups; N H parameters for all layers",
      .own = {"golden_buckets", "buckets_that_occur_learn", "cache_is_the_parallel_pass"},
      .cases = "T5Bias",
  };

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
  Settings settings;
  Variable weight;  // [buckets, H]
};

}  // namespace heed::nn
