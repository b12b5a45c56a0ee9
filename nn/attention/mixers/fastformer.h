// Additive attention of Fastformer ("Fastformer: additive attention can be all you need"): one query for the whole
// sentence, then one key, in place of all pairs. Both sums read all words: it cannot be causal. v_t = q_t.
//
//   alpha = softmax over t of w_q . q_t / sqrt(K)          beta = softmax over t of w_k . p_t / sqrt(K)
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct FastformerMixer final : Mixer {
  static constexpr About about{
      .names = {"E26l", "fastformer", "additive attention of Fastformer"},
      .formula = "q~ = sum alpha_t q_t,  p_t = q~ * k_t,  k~ = sum beta_t p_t,  y_t = W_o (k~ * v_t) + q_t",
      .paper = {"Wu, Wu, Qi, Huang and Xie, 2021 (arXiv 2108.09084)", 2021, 4},
      .idea =
          "All queries are pooled into one, which multiplies every key. The results are pooled into one vector again, "
          "which multiplies every value. So each word is combined with a summary of the sentence and never with "
          "another word directly.",
      .wrong = "The queries are also used as the values, and they are added to the output.",
      .cost = "4 T D products beside the projections; 3 D^2 + 2 D parameters",
      .own = {"one_query_and_one_key", "words_may_be_permuted", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "its one query is a sum over all words"}},
  };

  FastformerMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("q_proj", q_proj);
    v.child("k_proj", k_proj);
    v.parameter("query_scores", query_scores);
    v.parameter("key_scores", key_scores);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  Linear q_proj, k_proj;
  Variable query_scores, key_scores;  // w_q, w_k [H, K, 1]
  Linear out_proj;
};

}  // namespace heed::nn
