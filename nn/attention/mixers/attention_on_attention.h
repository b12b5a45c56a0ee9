// Attention on attention (Huang, Wang, Chen and Wei, "Attention on attention for image captioning", ICCV 2019): a gate
// decides, from the result and the query, how much of the result is used.
//
//   c = Att(x, X, X)                      multi-head attention
//   i = W_i [c; q] + b_i                  what was found, seen with the question;  q = W_q x + b_q
//   y = i * sigmoid(W_g [c; q] + b_g)
//
// Attention always gives an average of values, even where no key fits; the gate can close. Cost: those of attention and
// 4 T D^2 products. B batch, T words, D width of the model, H heads.
#pragma once

#include "nn/attention/mixers/four_projections.h"

namespace heed::nn {

struct AttentionOnAttentionMixer final : Mixer {
  AttentionOnAttentionMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("information", information);
    v.child("gate", gate);
  }
  MixerOptions options;
  FourProjections projections;
  Linear information, gate;  // W_i, W_g [D, 2 D]
};

}  // namespace heed::nn
