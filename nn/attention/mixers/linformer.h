// Linformer (Wang, Li, Khabsa, Fang and Ma, "Linformer: self-attention with linear complexity", 2020, section 4):
// attention to r learned mixtures of the words in place of the S words themselves.
//
//   K~ = E K     V~ = F V                 E, F [r, S]: each of the r rows is a weighted sum over all words
//   head = softmax(Q K~^T / sqrt(K)) V~   [T, r] scores in place of [T, S]
//
// The paper found that the matrix of weights of trained models has a low rank, so that few mixtures suffice. E and F
// are shared by the heads. They have a column for each position, so sentences may not be longer than `max_source`; and
// every mixture reads all words, so it cannot be causal. Cost: 2 r T D products for the mixtures, 2 T r D for the
// scores and contexts. B batch, T = S words, D width of the model, K width of a head, r rank.
#pragma once

#include "nn/attention/mixers/four_projections.h"

namespace heed::nn {

struct LinformerMixer final : Mixer {
  LinformerMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.parameter("E", E);
    v.parameter("F", F);
  }
  MixerOptions options;
  FourProjections projections;
  Variable E, F;  // [r, max_source]
};

}  // namespace heed::nn
