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
#include "nn/attention/stage.h"

namespace heed::nn {

struct TalkingHeadsMixer final : Mixer {
  static constexpr About about{
      .names = {"E15", "talking_heads"},
      .formula = "W_g = softmax(sum_h e_h L_hg),  U_f = sum_g W_g M_gf,  context f = U_f v_f",
      .paper = {"Shazeer, Lan, Cheng, Ding and Hou, 2020 (arXiv 2003.02436)", 2020, 4},
      .idea =
          "In multi-head attention the heads do not know of each other before the output. Here each head mixes the "
          "scores of all heads before the softmax, and their weights after it. Both mixtures are small learned "
          "matrices that are the same at all positions.",
      .wrong = "After the second mixture the rows of the weights no longer sum to 1, and weights may be negative.",
      .cost = "2 T^2 D + 2 H^2 T^2 products beside the projections; 4 D^2 + 2 H^2 parameters",
      .own = {"unmixed_heads_are_attention", "mixing_two_heads_alike_makes_them_one"},
  };

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
