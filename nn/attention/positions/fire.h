// FIRE: in the first L words a distance counts as a share of L. f has one hidden layer of N ReLUs, from 1 number to H.
// c and L / its setting are exp of what is learned. t place of the query, s of the key.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_places.h"

namespace heed::nn {

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

}  // namespace heed::nn
