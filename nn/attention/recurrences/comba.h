// Comba ("Comba: improving bilinear RNNs with closed-loop control"): the gated delta rule (gated_delta.h) that removes
// a little less than its key returns, and takes a part of the key out of the query.
//
//   p_t = sigmoid(d_h) k_t                              a number for each head: less is removed than is written
//   S_t = a_t S_(t-1) + b_t k_t^T (v_t - p_t S_(t-1))     what is removed is returned by the state before its decay
//   q   = (q' - c_h sigmoid(d_h) k') scaled to length 1, / sqrt(K)    q', k' before they are given length 1
//   y   = (norm_h(q S) sigmoid(x W_g)) W_o              norm_h: mean square, with a gain [K]
//
// q', k' and v are silu of a short convolution of x W, without a bias; k is k' with length 1; a and b are those of
// gated_delta.h. d and c begin at 1; 0.02 is better for c in small models, the authors say. Their program (fla) gives p
// length 1 as well, so that sigmoid(d) acts on the query only; here p stays as the paper has it.
//
// The transition a_t - b_t p_t^T k_t is the paper's "scalar plus low rank", and that of the program's kernels and of
// its plain form in chunks. The program's plain recurrence removes after the decay, as gated_delta.h does: `decayed=1`.
// The gate is a sigmoid as in their program. A and the steps of the decay are drawn as they draw them
// (delta_product.h), and log a_t is at least -40, where the old state is below all rounding. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct CombaMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t taps = 4;
    double correction = 1;
    bool decayed = false;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
      f("correction", correction, "where c begins, the share of the key that leaves the query", {0, 1e3});
      f("decayed", decayed, "the removal reads the state after its decay");
    }
  };
  static constexpr About about{
      .names = {"J11", "comba", "closed-loop control"},
      .formula = "S_t = a_t S_(t-1) + b_t k_t^T (v_t - p_t S_(t-1)),  p = sigmoid(d) k,  q = unit(q - c p) / sqrt(K)",
      .paper = {"Hu et al., NeurIPS 2025", 2025, 4},
      .idea =
          "The delta rule is seen as a controller that feeds back what the memory returns for a key. A learned number "
          "for each head makes the feedback weaker than the write, so the removal is gentler than the update. The "
          "query is corrected by the same key before it reads.",
      .wrong =
          "What is removed is read from the memory before it decays, and not after it as in the gated delta rule. The "
          "key of this reading is p, and the key that is written is k.",
      .cost =
          "5 T D^2 + 3 T D (C + K + w) products; 5 D^2 + 2 D H + 3 D w parameters and some vectors; decoding keeps D K "
          "+ 3 D (w - 1) numbers",
      .own = {"three_forms_agree", "removal_has_three_forms", "removal_precedes_the_decay", kLinearCost},
  };

  CombaMixer(const MixerOptions& options, Generator& rng);
  // From the projections after the convolution, [B, T, 3 D], and the inputs.
  DecayedSums words_of(const Variable& projected, const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("strength", strength), v.child("step", step);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate);
    v.parameter("inner_decay", inner_decay), v.parameter("correction", correction);
    v.child("gate", gate), v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k; v], 3 D rows
  ShortConvolution convolution;
  Linear strength, step;
  Variable step_bias, log_rate;      // of the decay [H]
  Variable inner_decay, correction;  // d, c [H]
  Linear gate;
  Variable norm;  // [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
