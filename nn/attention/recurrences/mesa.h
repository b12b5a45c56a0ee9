// MesaNet ("MesaNet: sequence modeling by locally optimal test-time training"): the matrix that is read at each word is
// the best one for all words so far, and not the result of one gradient step a word.
//
//   W_t = argmin over W of sum_(s <= t) a_(s+1) .. a_t b_s |v_s - k_s W|^2 + sum_i lambda_i |row i of W|^2
//
//   H_t = a_t H_(t-1) + b_t k_t^T k_t,   G_t = a_t G_(t-1) + b_t k_t^T v_t,   o_t = q_t (H_t + diag(lambda))^-1 G_t
//
// q, k = silu(conv_4(x W)) with length 1, without 1 / sqrt(K); v is not convolved; a, b = sigmoid of x W + c, one
// number a head; lambda = softplus(p) + 1/4, one number a feature, 1 at first; y = norm_h(o) W_o.
//
// The authors solve the system by 30 steps of conjugate gradients, which start at 0 in training and at q / diag in
// decoding, and add 1e-5 to the divisors, which ends them early. Here it is solved exactly, by elimination of halves of
// the matrix, and so the forms agree and gradients of any order are right. H has to be there for each word: T K^2
// numbers a head. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

// x with a x = r, for a symmetric and positive definite: a [.., n, n], r [.., n, m] -> [.., n, m].
//   [A B; B' D] [x; y] = [r; s]:   (D - B' A^-1 B) y = s - B' A^-1 r,   x = A^-1 r - A^-1 B y
Variable solve_positive(const Variable& a, const Variable& r);

struct MesaRead {
  Variable output;        // [B, H, T, V]
  Variable keys, values;  // H [B, H, K, K], G [B, H, K, V] after the last word
};
// Decay of width 1 and strength, ridge lambda [H, K]; in chunks, from the state `keys`, `values` (undefined: 0).
MesaRead mesa_sums(const DecayedSums& words, const Variable& ridge, int64_t chunk, const Variable& keys = {},
                   const Variable& values = {});

struct MesaMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t taps = 4;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 65536});
      f("taps", taps, "w, words that the short convolution reads", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"J27", "mesa", "MesaNet", "mesa layer"},
      .formula =
          "o_t = q_t (H_t + diag(lambda))^-1 G_t,  H_t = a_t H_(t-1) + b_t k_t^T k_t,  G_t = a_t G_(t-1) + b_t "
          "k_t^T v_t",
      .paper = {"von Oswald et al., 2025 (arXiv 2506.05233)", 2025, 4},
      .idea =
          "At each word the linear map from keys to values that fits all words so far best is computed, from two sums "
          "that are kept. The delta rule only makes one step of gradient descent for each word, so its memory lags "
          "behind. That is ridge regression with weights that fade.",
      .wrong =
          "Neither queries nor scores are divided by sqrt(K). With few steps of conjugate gradients the result depends "
          "on where they start, and training and decoding differ.",
      .cost =
          "T (4 D^2 + K^2 D + C K D) products; 4 D^2 + 2 w D + 2 D H + 2 H + D + K parameters; decoding keeps 2 D K + "
          "2 D "
          "(w - 1) numbers",
      .own = {"three_forms_agree", "it_is_ridge_regression", "much_ridge_is_a_gated_sum", kLinearCost},
  };

  MesaMixer(const MixerOptions& options, Generator& rng);
  Variable lambda() const;  // [H, K]
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution);
    v.child("decay", decay), v.child("strength", strength), v.parameter("ridge", ridge), v.parameter("norm", norm);
    v.child("output", output);
  }
  Settings settings;
  Linear projection;             // [q; k; v], 3 D rows
  ShortConvolution convolution;  // of q and k
  Linear decay, strength;        // a, b: [H, D] and a bias
  Variable ridge;                // p [D]
  Variable norm;                 // the gain of norm_h [K]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
