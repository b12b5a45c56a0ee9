// External attention ("Beyond self-attention: external attention using two linear layers for visual tasks"), in the
// form with heads: the features are widened by c = 4 first, so there are c H heads of width K = D/H, and one pair of
// learned memories serves all of them.
//
//   q = x W_in + b_in  [B, T, c D]      a = softmax over the words of (q_h W_k + b_k)  [B, c H, T, M]
//   w = a / (1e-9 + sum over the memories of a)     head_h = w W_v + b_v     y = [heads] W_out + b_out
//
// Because of the double normalisation, a memory with a long key does not get the largest weight of every word: the more
// weight the other words give to a memory, the less of it a word receives. That sum is over all words: it cannot be
// causal. As in the authors' multi_head_attention_torch.py, where M = 64.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct ExternalMixer final : Mixer {
  struct Settings {
    int64_t memories = 64;
    int64_t widening = 4;
    void fields(OptionFields& f) {
      f("memories", memories, "M, learned keys and values, which all heads share", {1, 4096});
      f("widening", widening, "c, how many times as wide the heads together are as the model", {1, 64});
    }
  };
  static constexpr About about{
      .names = {"E26k", "external", "external attention"},
      .formula = "a = softmax over the words of Q_h M_k^T,  w = a divided by the sums of its rows,  head_h = w M_v",
      .paper = {"Guo, Liu, Mu and Hu, 2021 (arXiv 2105.02358)", 2021, 4},
      .idea =
          "The keys and values are learned and the same for all sentences, as a memory of what is common to the whole "
          "data. Each word attends to them, in several heads that share one memory. Words influence each other only "
          "through the normalisation over all words.",
      .wrong =
          "The softmax is over the words and comes first. Only then each word's weights are divided by their sum. The "
          "memories are not split by heads.",
      .cost = "8 T D^2 + 8 T M D products; 8 D^2 + 2 M D/H parameters (c = 4)",
      .own = {"weights_are_normalised_twice", "heads_share_one_memory", "words_may_be_permuted", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "its weights are normalised over all words"}},
  };

  ExternalMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable memory_weights(const Variable& x, const Tensor& words) const;  // w [B, c H, T, M]
  void visit(Visitor& v) override {
    v.child("in_proj", in_proj);
    v.child("memory_keys", memory_keys);
    v.child("memory_values", memory_values);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  int64_t heads;  // c H
  Linear in_proj, memory_keys, memory_values, out_proj;
};

}  // namespace heed::nn
