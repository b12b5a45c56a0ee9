// Retention ("Retentive network", eqs. 5 to 8): attention without a softmax; h = 0, 1, .. R_t rotates pairs of features
// by t theta_i, as RoPE does; theta_i = 10000^(-i / (K/2 - 1)), i = 0 .. K/2 - 1, so that the last is 1e-4. RoPE's
// angles, 10000^(-i / (K/2)), end before that.
//
//   o_t = sum_(s <= t) gamma^(t - s) (R_t q_t) . (R_s k_s) v_s / sqrt(K)      norm_h: of each head by its mean square
//
// Rotation and decay together are the xPos of the paper's matrix A = gamma e^(i theta). The scale of o does not matter
// up to the eps of the norm, 1e-6 (the paper: GroupNorm; its program, torchscale: as here). So two divisions of that
// program, by the root of the sum of a row's decays and by the sum of its weights where that is above 1, cancel, and
// are left out. Decays and angles are constants. Values are as wide as the heads; the paper makes them twice as wide.
// Parallel, recurrent and chunkwise: decayed_sums.h. K = D / H.
#pragma once

#include <vector>

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

std::vector<double> retention_decays(int64_t heads);  // gamma_h
std::vector<double> retention_angles(int64_t pairs);  // theta_i

struct RetentionMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 64;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
  };
  static constexpr About about{
      .names = {"G17", "retention", "RetNet", "retentive network"},
      .formula =
          "S_t = gamma_h S_(t-1) + k_t^T v_t,  o_t = q_t S_t,  gamma_h = 1 - 2^(-5-h),  y = (swish(x W_g) norm(o)) "
          "W_o; q and k rotated",
      .paper = {"Sun et al., 2023", 2023, 3},
      .idea =
          "The weight of an earlier word is the product of query and key times a decay that shrinks with the distance, "
          "at a fixed rate for each head. Because there is no softmax, the sum over all earlier words fits into one "
          "matrix, which is updated word by word. So a step of decoding costs the same however long the text is, and "
          "training still uses matrix products.",
      .wrong =
          "Without a softmax nothing bounds the sum of the weights, so each head needs a norm after it. Queries and "
          "keys are rotated by their positions; the values are not rotated.",
      .cost = "5 T D^2 + 2 T D (C + K) products; 5 D^2 parameters; decoding keeps D K numbers",
      .own = {"three_forms_agree", "golden_decays", "angles_include_the_end", "weights_are_powers_of_the_decay",
              kLinearCost},
  };

  RetentionMixer(const MixerOptions& options, Generator& rng);
  // q, k (rotated), v and the decays of words whose first is at this place.
  DecayedSums words_of(const Variable& x, int64_t first) const;
  Variable finished(const Variable& x, const Variable& output) const;  // o [B, H, T, K] -> y [B, T, D]
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("gate", gate);
    v.child("output", output);
  }
  Settings settings;
  Linear query, key, value, gate, output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
