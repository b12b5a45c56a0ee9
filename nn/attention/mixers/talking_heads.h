// Talking-heads attention (Shazeer, Lan, Cheng, Ding and Hou, "Talking-heads attention", 2020): the heads
// exchange their scores before the softmax and their weights after it.
//
//   e_h = q_h k_h^T / sqrt(K)
//   J_g = sum_h e_h L_hg              L [H, H]: the scores of head g are mixtures of those of all heads
//   W_g = softmax(J_g)
//   U_f = sum_g W_g M_gf              M [H, H]; context f is U_f v_f
//
// L = M = I is multi-head attention, and that is how training begins here. The weights after M may be negative, and
// their rows do not sum to 1 unless the columns of M do. Cost: those of attention, and 2 H^2 T S products for the two
// mixtures. B batch, T = S words, H heads, K width of a head.
#pragma once

#include "nn/attention/mixers/four_projections.h"

namespace heed::nn {

struct TalkingHeadsMixer final : Mixer {
  TalkingHeadsMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.parameter("mix_scores", mix_scores);
    v.parameter("mix_weights", mix_weights);
  }
  MixerOptions options;
  FourProjections projections;
  Variable mix_scores, mix_weights;  // L, M [H, H]
};

}  // namespace heed::nn
