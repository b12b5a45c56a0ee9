// External attention (Guo, Liu, Mu and Hu, "Beyond self-attention: external attention using two linear layers for
// visual tasks", 2021): keys and values are learned memories, the same for all sentences.
//
//   e = Q M_k^T                              [T, M]; M_k, M_v [M, K] in each head
//   a_tm = exp(e_tm) / sum_t exp(e_tm)       first a softmax over the words,
//   w_tm = a_tm / sum_m a_tm                 then each row divided by its sum
//   head = W M_v
//
// Because of the double normalisation, a memory with a long key does not get the largest weight of every word. Words
// influence each other through the first sum only: the more weight the other words give to a memory, the less of it a
// word receives. That sum is over all words: it cannot be causal. Cost: 2 T M D products. B batch, T words, D width of
// the model, H heads, K width of a head, M memories.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct ExternalMixer final : Mixer {
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
