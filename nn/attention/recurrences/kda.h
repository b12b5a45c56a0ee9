// Kimi delta attention ("Kimi Linear: an expressive, efficient attention architecture", section 3): the gated delta
// rule with a decay for each feature of the key, where Gated DeltaNet (gated_delta.h) has one for each head.
//
//   a_t = exp(-exp(A_h) softplus(x W_1 W_2 + c))       [H, K], of rank K;  A [H], c [H, K]
//   b_t = sigmoid(x W_b)                               no bias
//   y = (norm_h(q S) sigmoid(x G_1 G_2 + bias)) W_o    norm_h: of each head by its mean square, with a gain [K]
//
// q, k and v are silu of a short convolution without a bias, q and k then have length 1, and q is divided by sqrt(K).
// At the start A is the logarithm of a number from 1 to 16, drawn for each head, and softplus(c) a step from 0.001 to
// 0.1, whose logarithm is drawn for each feature, as in Mamba. The authors' program (fla) has c = 0 in some of its
// versions. Recurrent, parallel and chunkwise: decayed_sums.h. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct KdaMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"J9", "kda", "Kimi delta attention", "Kimi Linear"},
      .formula =
          "S_t = diag(a_t) S_(t-1) + b_t k_t^T (v_t - k_t diag(a_t) S_(t-1)),  y = (norm(q S) sigmoid(x G_1 G_2 + "
          "bias)) W_o",
      .paper = {"Kimi Team, 2025", 2025, 4},
      .idea =
          "The delta rule replaces what a key has, and a decay lets the memory forget. Here every feature of the key "
          "has a decay of its own, so the memory can forget some features and keep others. The correction is computed "
          "after the decay, from what is left.",
      .wrong =
          "The gate of the output is a sigmoid here and a silu in Gated DeltaNet. The memory decays first, and what is "
          "removed is what the decayed memory returns.",
      .cost =
          "4 T D^2 + 4 T D K + 3 T D (C + K + w) products, T D C exponentials; 4 D^2 + 4 D K + D H + 3 D w parameters "
          "and some vectors; decoding keeps D K + 3 D (w - 1) numbers",
      .own = {"three_forms_agree", "removal_has_three_forms", "one_decay_is_gated_delta", "nothing_removed_is_gla",
              "kda_starts_as_published", kLinearCost},
  };

  KdaMixer(const MixerOptions& options, Generator& rng);
  // From the projections after the convolution, [B, T, 3 D], and the inputs.
  DecayedSums words_of(const Variable& projected, const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution), v.child("strength", strength);
    v.child("decay1", decay1), v.child("decay2", decay2);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate);
    v.child("gate1", gate1), v.child("gate2", gate2), v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k; v], 3 D rows
  ShortConvolution convolution;
  Linear strength, decay1, decay2;  // b [H, D]; W_1 [K, D], W_2 [D, K]
  Variable step_bias, log_rate;     // c [D], A [H]
  Linear gate1, gate2;              // G_1 [K, D], G_2 [D, K] with a bias
  Variable norm;                    // [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
