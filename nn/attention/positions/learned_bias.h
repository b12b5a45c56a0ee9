// Biases on the scores that are learned functions of the distance. d = |s - t|, t place of the query, s of the key.
// Positive numbers are exp of what is learned (r1, r2, c, L / its setting), r2 of the power is 2 sigmoid of it, below
// 2.
//
// KERPLE's kernels are shift-invariant and conditionally positive definite; ALiBi is the power with r2 = 1. FIRE: in
// the first L words a distance counts as a share of L; f has one hidden layer of N ReLUs, from 1 number to H. The
// logarithm of the dynamic bias is Swin's. H heads, N hidden units.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/layers.h"

namespace heed::nn {

struct KerpleBias final : HeadPosition {
  static constexpr About about{
      .names = {"F11", "kerple", "KERPLE", "kerple_power: a power in place of the logarithm"},
      .formula = "e_hts = q_t . k_s / sqrt(K) - r1_h ln(1 + r2_h |s - t|);  power: - r1_h |s - t|^(r2_h)",
      .paper = {"Chi et al., NeurIPS 2022", 2022, 4},
      .idea =
          "A penalty for the distance is subtracted from the score, and each head learns its strength and its shape. "
          "The penalty is a logarithm, or a power of the distance. A power of one is ALiBi with learned slopes.",
      .wrong = "Both numbers of a head have to stay positive, so it is their logarithm that is learned.",
      .shapes = "r1, r2 [H] -> [1, H, T, S]",
      .cost = "H T S logarithms; 2 H parameters",
      .own = {"kernel_values", "cache_is_the_parallel_pass"},
      .variants = {"kerple_power"},
  };

  using Options = HeadPositionOptions;
  KerpleBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.parameter("r1", r1);
    v.parameter("r2", r2);
  }
  Options options;
  Variable r1, r2;  // [H]
};

struct FireBias final : HeadPosition, ReadsPlaces {
  struct Settings {
    double threshold = 512;
    int64_t hidden = 32;
    void fields(OptionFields& f) {
      f("threshold", threshold, "L at the begin: below it distances are not shares of the text", {1, 1e9});
      f("hidden", hidden, "N, hidden units", {1, 65536});
    }
  };
  static constexpr About about{
      .names = {"F11b", "fire", "functional interpolation for relative positions"},
      .formula = "e_hts = q_t . k_s / sqrt(K) + f_h(psi(|s - t|) / psi(max(L, t))),  psi(x) = ln(1 + c x)",
      .paper = {"Li et al., ICLR 2024", 2024, 4},
      .idea =
          "A small network turns the distance into a bias for each head. Its input is not the distance itself but the "
          "distance divided by the position of the query. In a longer text this ratio stays in the range that was seen "
          "in training.",
      .wrong =
          "The distance is divided by the position of the query and not by the length of the text, which a decoder "
          "does not know.",
      .shapes = "f: 1 -> N -> H -> [1, H, T, S]",
      .cost = "T S N (H + 1) products; N (H + 2) + 2 parameters",
      .own = {"network_of_a_share", "cache_is_the_parallel_pass"},
  };

  using Options = HeadPositionOptions;
  FireBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.parameter("c", c);
    v.parameter("threshold", threshold);
    v.parameter("hidden.weight", weight_in);
    v.parameter("hidden.bias", bias_in);
    v.parameter("output.weight", weight_out);
  }
  Options options;
  Settings settings;
  Variable c, threshold;                    // [1] each
  Variable weight_in, bias_in, weight_out;  // [N, 1], [N], [H, N]
};

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
