// The spatial gating unit of gMLP ("Pay attention to MLPs", section 2.1). One half of Z [T, 2 E] is gated by the other;
// b is [T]. W starts near 0 and b at 1, so training begins with a feed-forward network without mixing. W has a row for
// each position: sentences may not be longer than `max_source`. Under `causal` its upper triangle is not used. E width
// of the gate, D times the setting `inner`.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct GmlpMixer final : Mixer {
  struct Settings {
    int64_t inner = 2;
    int64_t max_source = 300;
    void fields(OptionFields& f) {
      f("inner", inner, "width of the gate, in widths of the model", {1, 16});
      f("max_source", max_source, "number of positions of the longest sentence", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"G21", "gmlp", "spatial gating unit"},
      .formula = "Z = gelu(X U + b_u),  Y = (Z_1 * (W LN(Z_2) + b)) V + b_v;  W [T, T]",
      .paper = {"Liu, Dai, So and Le, NeurIPS 2021", 2021, 3},
      .idea =
          "A learned matrix says how much each position takes from each other one. It is the same for all sentences, "
          "so it cannot look for a word by its meaning. Its result multiplies the other half of the hidden layer as a "
          "gate.",
      .wrong =
          "The bias of the gate must start at 1 and the matrix near 0. Otherwise the first steps multiply the words by "
          "noise.",
      .cost = "T^2 E + 3 T D E products; 3 D E + N^2 + N parameters, biases and a norm",
      .own = {"without_mixing_it_is_a_feed_forward_network", "the_gate_is_a_sum_over_words"},
  };

  GmlpMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("linear1", linear1);
    v.child("norm", norm);
    v.parameter("spatial_weight", spatial_weight);
    v.parameter("spatial_bias", spatial_bias);
    v.child("linear2", linear2);
  }
  MixerOptions options;
  Settings settings;
  Linear linear1;                         // U [2 E, D]
  LayerNorm norm;                         // of Z_2
  Variable spatial_weight, spatial_bias;  // W [N, N], b [N]; N = max_source
  Linear linear2;                         // V [D, E]
};

}  // namespace heed::nn
