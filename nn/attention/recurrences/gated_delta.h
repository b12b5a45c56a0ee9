// Gated DeltaNet ("Gated delta networks: improving Mamba2 with delta rule", section 3): the delta rule replaces what
// one key has, and a decay clears the whole memory.
//
//   b_t = sigmoid(x W_b)      y = (silu(x W_g) norm_h(q S)) W_o        q, k of length 1, q / sqrt(K)
//
// q, k and v pass a short convolution without a bias and a silu first (short_convolution.h); norm_h is by the mean
// square, with a gain [K]. a = 1 is the delta rule, and writing b v in place of b times the difference would make it
// Mamba-2. Recurrent, parallel and chunkwise: decayed_sums.h. A and the steps of the decay are drawn as the authors
// draw them: exp(A) from 0 to 16, softplus(d) from 0.001 to 0.1 (initial_steps.h). K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

// A = exp(log A), at most e^80: such a rate leaves nothing of the state, and A times a step of 0 is still 0.
Variable rates_of(const Variable& log_rate);

struct GatedDeltaMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"G18c", "gated_delta", "Gated DeltaNet"},
      .formula = "S_t = a_t S_(t-1) + b_t k_t^T (v_t - k_t a_t S_(t-1)),  a_t = exp(-exp(A) softplus(x W_a + d))",
      .paper = {"Yang, Kautz and Hatamizadeh, ICLR 2025", 2025, 4},
      .idea =
          "The delta rule replaces the value of one key, and a decay for each head and word clears the whole memory "
          "when the topic changes. Alone, the delta rule cannot forget many keys at once. Both together need one "
          "triangular system per chunk, as the delta rule alone does.",
      .wrong =
          "The decay is applied before the memory is read. What is written is the value minus what the decayed memory "
          "returns for the key.",
      .cost =
          "5 T D^2 + 3 T D (C + K + w) products; 5 D^2 + 2 D H + 3 D w parameters and some vectors; decoding keeps D K "
          "+ 3 D (w - "
          "1) numbers",
      .own = {"three_forms_agree", "without_decay_is_the_delta_rule", "strong_decay_keeps_one_word",
              "steps_begin_small", kLinearCost},
  };

  GatedDeltaMixer(const MixerOptions& options, Generator& rng);
  // From the projections after the convolution, [B, T, 3 D], and the inputs.
  DecayedSums words_of(const Variable& projected, const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("strength", strength), v.child("step", step);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate);
    v.child("gate", gate), v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k; v], 3 D rows
  ShortConvolution convolution;
  Linear strength, step;
  Variable step_bias, log_rate;  // d, A [H]
  Linear gate;
  Variable norm;  // [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
