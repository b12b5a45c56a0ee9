// Fast weights with the delta rule: a matrix that is written like a memory, key by key.
//
//   o_t = q_t S_t,  y = norm_h(o) W_o                             b_t in (0, 1): 1 replaces, 0 leaves as it is
//   fast_weights    section 4; the paper also proposes DPFP features (its code has both)
//   delta_rule      q, k = silu(x W) / |silu(x W)|, q / sqrt(K)
//
// It is one step of gradient descent on |v - k S|^2 / 2 with the step width b. With |k| = 1 the matrix 1 - b k^T k is a
// contraction, so S stays bounded; keys whose entries sum to 1 have |k| <= 1 and are safe too, but replace the value
// only in part. Sequential, or by chunks with matrix products: decayed_sums.h. K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

inline constexpr About kAboutFastWeights{
    .names = {"G12d", "fast_weights", "fast weight programmer", "linear transformer with delta rule"},
    .formula = "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  q, k = f(x W) / sum f(x W), f = elu + 1",
    .paper = {"Schlag, Irie and Schmidhuber, ICML 2021", 2021, 4},
    .idea =
        "The matrix of linear attention is seen as the weights of a small network that each word rewrites. A word "
        "first reads what its key already has and then writes only the difference to its own value. Keys and queries "
        "are made positive and divided by their sum, so that the memory stays bounded.",
    .wrong = "Keys that are not normalised make the update overshoot, and the memory grows without bound.",
    .cost = "4 T D^2 + 3 T D (C + K) products; 4 D^2 + D H parameters; decoding keeps D K numbers",
    .own = {"three_forms_agree", "keys_sum_to_one", "same_key_replaces_the_value", kLinearCost},
};

inline constexpr About kAboutDeltaRule{
    .names = {"G18b", "delta_rule", "DeltaNet"},
    .formula = "S_t = S_(t-1) + b_t k_t^T (v_t - k_t S_(t-1)),  |k| = 1,  b = sigmoid(x W_b)",
    .paper = {"Yang et al., NeurIPS 2024", 2024, 4},
    .idea =
        "Writing a second value under the same key replaces the first one, where linear attention would return the sum "
        "of both. A learned number between 0 and 1 decides for each word how much is replaced. Keys have length 1, so "
        "the update never overshoots.",
    .wrong =
        "With the delta rule the order of the words of a chunk matters. Adding all of a chunk at once is another "
        "function; the triangular system of the chunk has to be solved.",
    .cost = "4 T D^2 + 3 T D (C + K) products; 4 D^2 + D H parameters; decoding keeps D K numbers",
    .own = {"three_forms_agree", "same_key_replaces_the_value", "a_repeated_word_changes_nothing", kLinearCost},
};

Variable unit_length(const Variable& x);  // x / sqrt(|x|^2 + 1e-6), over the last axis

struct DeltaRuleMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
  };

  DeltaRuleMixer(const MixerOptions& options, Generator& rng);
  DecayedSums words_of(const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("strength", strength), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear strength;  // [H, D] with a bias: b of each head
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
