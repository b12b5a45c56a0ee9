// Positions as a bias that is added to each score and depends on the distance between query and key. Both schemes
// return [1, H, T, S], or [B, H, T, S] if each sentence has its own positions.
//
// ALiBi's slopes are 2^(-8/H), 2^(-16/H), .. if H is a power of two. Otherwise they are the slopes for the next smaller
// power of two, followed by every second slope for the next larger one. The bias is added after the scores were scaled.
// (Some programs add m_h s instead. Under a causal mask this is equivalent, because a softmax does not change when all
// scores of a row are shifted; without one it is not.)
//
// T5's buckets: with N buckets for a direction, the distances below N/2 have one bucket each. The other buckets cover
// ranges that grow by a constant factor up to max_distance. Keys after the query use the upper half. Use the score
// "dot".
#pragma once

#include <vector>

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads);  // ValueError for heads < 1

struct AlibiBias final : HeadPosition {
  static constexpr About about{
      .names = {"F7", "alibi", "linear biases"},
      .formula = "e_hts = q_t . k_s / sqrt(K) - m_h |s - t|,  m_h = 2^(-8 h / H)",
      .paper = {"Press, Smith and Lewis, ICLR 2022", 2022, 1},
      .idea =
          "A penalty that grows with the distance is subtracted from the score. Each head has another slope, so some "
          "heads look near and some look far. Nothing is learned, and every distance has a penalty, however long the "
          "sentence is.",
      .wrong = "The first slope is 2 to the power -8 / H. If H is not a power of two, the slopes follow another rule.",
      .shapes = "-> [1, H, T, S]",
      .cost = "H T S products; no parameters",
      .own = {"golden_slopes", "bias_is_the_distance", "cache_is_the_parallel_pass"},
      .exempt = {{"gradient", "the bias is a constant, so it has no gradient"}},
  };

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
