// External attention ("Beyond self-attention: external attention using two linear layers for visual tasks"): keys and
// values M_k, M_v [M, K] are learned memories of each head. Because of the double normalisation, a memory with a long
// key does not get the largest weight of every word: the more weight the other words give to a memory, the less of it a
// word receives. That sum is over all words: it cannot be causal.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct ExternalMixer final : Mixer {
  struct Settings {
    int64_t memories = 16;
    void fields(OptionFields& f) { f("memories", memories, "M, learned keys and values of each head", {1, 4096}); }
  };
  static constexpr About about{
      .names = {"E26k", "external", "external attention"},
      .formula = "a = softmax over the words of Q M_k^T,  w = a divided by the sums of its rows,  head = W M_v",
      .paper = {"Guo, Liu, Mu and Hu, 2021 (arXiv 2105.02358)", 2021, 4},
      .idea =
          "The keys and values are learned and the same for all sentences, as a memory of what is common to the whole "
          "data. Each word attends to them. Words influence each other only through the normalisation over all words.",
      .wrong = "The softmax is over the words and comes first. Only then each word's weights are divided by their sum.",
      .cost = "2 T M D products beside the projections; 2 D^2 + 2 M D parameters",
      .own = {"weights_are_normalised_twice", "words_may_be_permuted", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "its weights are normalised over all words"}},
  };

  ExternalMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  Variable memory_weights(const Variable& x, const Tensor& words) const;  // W [B, H, T, M]
  void visit(Visitor& v) override {
    v.child("q_proj", q_proj);
    v.parameter("memory_keys", memory_keys);
    v.parameter("memory_values", memory_values);
    v.child("out_proj", out_proj);
  }
  MixerOptions options;
  Linear q_proj;
  Variable memory_keys, memory_values;  // M_k, M_v [H, M, K]
  Linear out_proj;
};

}  // namespace heed::nn
