// Attention with memory that is learned and not read from the sentence: N vectors that every word can attend to besides
// the words.
//
// clang-format off
//   persistent      keys m_k and values m_v [H, N, K] of each head    Sukhbaatar et al.
//                                                                     (all-attention), 2019
//   memory_tokens   N learned inputs [N, D], projected like words     after Burtsev et al.
//                                                                     (memory transformer), 2020
// clang-format on
//
//   w = softmax over [words; memory] of q_t . k / sqrt(K),   c_t = sum over both of w v
//
// What a model knows about all sentences can be kept there. Sukhbaatar et al. show that enough of these vectors can
// replace the feed-forward network, which has the same form: relu in the place of the softmax. In Burtsev et al. the
// memory tokens pass through all layers as words do and are written there; here each layer has tokens of its own,
// which are read and not written. N = 0 is ordinary attention. In a sentence without words, a query reads the memory
// alone. The returned weights are those of the words only, so rows sum to less than 1. B batch, T words, H heads, K
// width of a head.
#pragma once

#include <utility>

#include "nn/attention/mixers/own_heads.h"

namespace heed::nn {

struct PersistentMixer final : OwnHeadsMixer {
  PersistentMixer(const MixerOptions& options, Generator& rng);
  std::pair<Variable, Variable> memory_heads() const;  // keys and values [H, N, K]
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.parameter("keys", keys), v.parameter("values", values), v.parameter("tokens", tokens);
  }
  Variable keys, values;  // [H, N, K], of persistent
  Variable tokens;        // [N, D], of memory_tokens

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
