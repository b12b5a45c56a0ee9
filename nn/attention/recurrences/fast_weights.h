// Fast weights ("Linear transformers are secretly fast weight programmers", section 4): linear attention whose matrix
// is written with the delta rule, key by key.
//
//   S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  o_t = q_t S_t / sqrt(K),  y = o W_o        no norm after the heads
//
// b_t = sigmoid(x W_b), without a bias, is 1 to replace and 0 to leave what is there. It is one step of gradient
// descent on |v - k S|^2 / 2 with the step width b. Keys whose entries sum to 1 have |k| <= 1, so 1 - b k^T k is a
// contraction and S stays bounded, but the value is replaced only in part; delta_rule.h gives keys the length 1. The
// paper also proposes DPFP features (its code has both). Sequential, or by chunks with matrix products: decayed_sums.h.
// K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct FastWeightsMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
  };
  static constexpr About about{
      .names = {"G12d", "fast_weights", "fast weight programmer", "linear transformer with delta rule"},
      .formula =
          "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  q, k = f(x W) / sum f(x W), f = elu + 1,  y = (q S / "
          "sqrt(K)) W_o",
      .paper = {"Schlag, Irie and Schmidhuber, ICML 2021", 2021, 4},
      .idea =
          "The matrix of linear attention is seen as the weights of a small network that each word rewrites. A word "
          "first reads what its key already has and then writes only the difference to its own value. Keys and queries "
          "are made positive and divided by their sum, so that the memory stays bounded.",
      .wrong = "Keys that are not normalised make the update overshoot, and the memory grows without bound.",
      .cost = "4 T D^2 + 3 T D (C + K) products; 4 D^2 + D H parameters; decoding keeps D K numbers",
      .own = {"three_forms_agree", "keys_sum_to_one", "same_key_replaces_the_value", "output_is_linear_in_values",
              kLinearCost},
  };

  FastWeightsMixer(const MixerOptions& options, Generator& rng);
  DecayedSums words_of(const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("strength", strength), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear strength;  // [H, D]: b of each head
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
