// The attention-free transformer, AFT (Zhai et al., "An attention free transformer", 2021): a weighted mean of the
// values for each feature by itself, whose weights are exponentials of the key plus a learned bias for the pair of
// positions. The query is a gate.
//
//   y_t = (sigmoid(q_t) * sum_s exp(k_s + w_ts) v_s / sum_s exp(k_s + w_ts)) W_o
//
//   aft_full     w = U V^T, U and V [max_source, r]                   a bias for each pair of places
//   aft_local    the same where |t - s| < window, else 0              far words: weights of their keys alone
//   aft_conv     w_ts = table_h[t - s] where |t - s| < window, else 0   one for each of H groups of features
//   aft_simple   w = 0                                                a mean, the same for all words unless causal
//
// Since k_s does not depend on t and w_ts not on the feature, both sums are one matrix product with exp(w): no [T, T]
// matrix for each feature. The largest k_s and w_ts are subtracted first; only where keys differ by more than 60 is
// there a softmax for each feature. aft_full and aft_local are limited to sentences of max_source words. A causal
// aft_simple is a running sum: its state has 2 D numbers (running_means.h); the others compute all words again. (The
// conv form of the paper has normalised kernels; here they are used as they are.) B batch, T words, D width, H groups,
// r rank.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct AftMixer final : Mixer {
  AftMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  Variable bias(int64_t T) const;  // w [1, T, T] or [H, T, T]
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("output", output);
    v.parameter("of_query", of_query), v.parameter("of_key", of_key), v.parameter("table", table);
  }
  MixerOptions options;
  Linear query, key, value, output;
  Variable of_query, of_key;  // U, V [max_source, r]
  Variable table;             // [H, 2 window - 1]: of the distances t - s from -(window - 1) on

 private:
  Variable seen_bias(int64_t T) const;  // -inf for later words if causal
  Mixed far_apart(const Variable& x, const Variable& k) const;
  bool running() const { return options.causal && options.name == "aft_simple"; }
};

}  // namespace heed::nn
