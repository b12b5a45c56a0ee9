// RWKV, version 4: its time mixing ("RWKV: reinventing RNNs for the transformer era", section 3.1).
//
//   r_t, k_t, v_t = (m x_t + (1 - m) x_(t-1)) W      each with its own m [D]: token shift;  w = exp(decay) > 0
//
// Decays, bonuses and shifts begin spread over features and layers (rwkv_parts.h), as in the authors' code: log w at
// -5 + 8 (n / (D - 1))^(0.7 + 1.3 l / (L - 1)), u at log 0.3 and half less, as it is, or half more by turns, m of k, v
// and r at (n / D)^a, (n / D)^a + 0.3 l / (L - 1) and (n / D)^(a / 2) with a = 1 - l / L. The channel mixing of RWKV
// takes the place of the feed-forward network and is not part of this mixer. Stabilised recurrence and chunks:
// running_means.h.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/running_means.h"
#include "nn/layers.h"

namespace heed::nn {

struct RwkvMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one softmax", {1, 1048576}); }
  };
  static constexpr About about{
      .names = {"G18d", "rwkv", "RWKV-4", "WKV"},
      .formula =
          "o_t = (sum_(s < t) e^(k_s - (t-1-s) w) v_s + e^(u + k_t) v_t) / (the sum of the weights),  y = (sigmoid(r) "
          "o) W_o",
      .paper = {"Peng et al., EMNLP Findings 2023", 2023, 4},
      .idea =
          "Each feature is a running mean of the values, whose weights come from the keys and decay with the distance. "
          "The present word gets a learned bonus, and a gate decides how much of the mean passes. There is no query, "
          "so what is read is the same whichever word reads it.",
      .wrong =
          "The sums of exponentials overflow if they are kept as they are. The state must be scaled by the largest "
          "exponent so far, or kept as a logarithm.",
      .cost = "4 T D^2 products and T C D exponentials; 4 D^2 + 5 D parameters; decoding keeps 3 D numbers",
      .own = {"weights_are_the_formula", "means_have_three_forms", "large_keys_stay_finite", "rwkv_begins_spread",
              kLinearCost},
  };

  RwkvMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.parameter("mix_r", mix_r), v.parameter("mix_k", mix_k), v.parameter("mix_v", mix_v);
    v.parameter("decay", decay), v.parameter("bonus", bonus);
    v.child("receptance", receptance), v.child("key", key), v.child("value", value), v.child("output", output);
  }
  Settings settings;
  Variable mix_r, mix_k, mix_v;  // [D]
  Variable decay, bonus;         // log w, u [D]
  Linear receptance, key, value, output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
