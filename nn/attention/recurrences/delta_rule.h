// DeltaNet ("Parallelizing linear transformers with the delta rule over sequence length", section 3): a matrix that is
// written like a memory, key by key.
//
//   q, k, v = silu(convolution(x W)),  q, k of length 1,  q / sqrt(K)       short_convolution.h, without a bias
//   S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  b_t = sigmoid(x W_b)    no bias; twice as much with `doubled`
//   y   = norm_h(q S) W_o                                                   norm_h: mean square, with a gain [K]
//
// It is one step of gradient descent on |v - k S|^2 / 2 with the step width b: 1 replaces, 0 leaves as it is. With |k|
// = 1 the matrix 1 - b k^T k is a contraction, so S stays bounded; that holds for b up to 2, where the eigenvalue along
// k is -1 and the memory can count by two ("Unlocking state-tracking in linear RNNs through negative eigenvalues",
// 2024). Sequential, or by chunks with matrix products: decayed_sums.h. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

Variable unit_length(const Variable& x);  // x / sqrt(|x|^2 + 1e-6), over the last axis

struct DeltaRuleMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t taps = 4;
    bool doubled = false;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
      f("doubled", doubled, "b up to 2, so that a step can be a reflection");
    }
  };
  static constexpr About about{
      .names = {"G18b", "delta_rule", "DeltaNet"},
      .formula = "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  |k| = 1,  b = sigmoid(x W_b)",
      .paper = {"Yang et al., NeurIPS 2024", 2024, 4},
      .idea =
          "Writing a second value under the same key replaces the first one, where linear attention would return the "
          "sum of both. A learned number between 0 and 1 decides for each word how much is replaced. Keys have length "
          "1, so the update never overshoots.",
      .wrong =
          "With the delta rule the order of the words of a chunk matters. Adding all of a chunk at once is another "
          "function; the triangular system of the chunk has to be solved.",
      .cost =
          "4 T D^2 + 3 T D (C + K + w) products; 4 D^2 + D H + 3 D w + K parameters; decoding keeps D K + 3 D (w - 1) "
          "numbers",
      .own = {"three_forms_agree", "same_key_replaces_the_value", "a_repeated_word_changes_nothing",
              "two_reflections_are_none", kLinearCost},
  };

  DeltaRuleMixer(const MixerOptions& options, Generator& rng);
  // From the projections after the convolution, [B, T, 3 D], and the inputs.
  DecayedSums words_of(const Variable& projected, const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution), v.child("strength", strength);
    v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k; v], 3 D rows
  ShortConvolution convolution;
  Linear strength;  // [H, D]: b of each head
  Variable norm;    // [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
