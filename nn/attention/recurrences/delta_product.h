// DeltaProduct ("DeltaProduct: improving state-tracking in linear RNNs via Householder products"): n steps of the delta
// rule for each word, each with its own key, value and strength.
//
//   S_t0 = a_t S_(t-1)                                         once a word; a as in gated_delta.h
//   S_tj = S_t(j-1) + b_tj k_tj^T (v_tj - k_tj S_t(j-1))       j = 1 .. n,  b_tj = 2 sigmoid(x W_bj)
//   o_t  = q_t S_tn,   y = (norm_h(o) silu(x W_g)) W_o         norm_h: mean square, with a gain [K]
//
// One step multiplies the state by 1 - b k^T k, whose eigenvalue along k lies in (-1, 1) because b is below 2: a
// reflection is possible, and a product of n reflections is any rotation of n dimensions. That is what tracking a
// state, such as a parity or a permutation, needs. q, k and v pass a short convolution and silu, without a bias; q and
// k have length 1, q / sqrt(K). The n steps are n words of decayed_sums.h of which the last is read. A and the steps of
// the decay are drawn as the authors draw them: exp(A) from 0 to 16, softplus(d) from 0.001 to 0.1. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct DeltaProductMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t steps = 2;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("steps", steps, "n, steps of the delta rule for each word", {1, 64});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"J10", "delta_product", "Gated DeltaProduct"},
      .formula = "S <- a_t S, then n times S <- S + b_j k_j^T (v_j - k_j S),  b_j = 2 sigmoid(x W_bj),  o_t = q_t S",
      .paper = {"Siems et al., NeurIPS 2025", 2025, 4},
      .idea =
          "One step of the delta rule changes the memory along one key. Several steps for each word, with keys of "
          "their own, can rotate it, so that a few words can be counted or put in another order. The strength goes up "
          "to 2, where a step is a reflection.",
      .wrong =
          "The memory decays once for each word and not once for each step. With a strength below 1 no eigenvalue is "
          "negative, and parity cannot be tracked.",
      .cost =
          "(2 n + 3) T D^2 + n T D (4 n C + 3 K) + (2 n + 1) T D w products; (2 n + 3) D^2 + (n + 1) D H parameters "
          "and some vectors; decoding keeps D K + (2 n + 1) D (w - 1) numbers",
      .own = {"three_forms_agree", "one_step_is_gated_delta", "two_reflections_are_none", kLinearCost},
  };

  DeltaProductMixer(const MixerOptions& options, Generator& rng);
  // From the projections after the convolution, [B, T, (2 n + 1) D], and the inputs: n words for each word.
  DecayedSums words_of(const Variable& projected, const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("strength", strength), v.child("step", step);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate);
    v.child("gate", gate), v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k_1 .. k_n; v_1 .. v_n], (2 n + 1) D rows
  ShortConvolution convolution;
  Linear strength, step;         // [n H, D], [H, D]
  Variable step_bias, log_rate;  // d, A [H]
  Linear gate;
  Variable norm;  // [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
