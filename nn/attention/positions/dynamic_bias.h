// Dynamic bias (CrossFormer; its logarithm is Swin V2's): a bias that is a learned function of the distance and its
// direction. t place of the query, s of the key, N hidden units.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/layers.h"

namespace heed::nn {

// A network of the distance, computed once for each distance that occurs. It knows the direction, and any length.
struct DynamicBias final : HeadPosition {
  struct Settings {
    int64_t hidden = 16;
    void fields(OptionFields& f) { f("hidden", hidden, "N, hidden units of each layer", {1, 65536}); }
  };
  static constexpr About about{
      .names = {"F11c", "dynamic_bias", "dynamic position bias", "log-spaced continuous position bias"},
      .formula = "e_hts = q_t . k_s / sqrt(K) + f_h(sign(s - t) ln(1 + |s - t|)),  f: two hidden layers",
      .paper = {"Wang et al. (CrossFormer), ICLR 2022; Liu et al. (Swin V2), CVPR 2022", 2022, 4},
      .idea =
          "A small network maps the distance of two words, with its direction, to a number for each head. The number "
          "is added to their score. Since the network is a function, it has a value for distances that training never "
          "had.",
      .wrong =
          "The network must be computed once for each distance, and not for each pair of words. Without the logarithm, "
          "its input in a longer text is far outside of the range of training.",
      .shapes = "f: 1 -> N -> N -> H -> [1, H, T, S]",
      .cost = "(T + S) N (N + H) products; N (N + H + 3) + H parameters",
      .own = {"a_network_of_the_distance", "cache_is_the_parallel_pass"},
  };

  using Options = HeadPositionOptions;
  DynamicBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.child("linear1", linear1);
    v.child("linear2", linear2);
    v.child("linear3", linear3);
  }
  Options options;
  Settings settings;
  Linear linear1, linear2, linear3;
};

}  // namespace heed::nn
