// Talking-heads attention: the heads exchange their scores e_h = q_h k_h^T / sqrt(K) before
// the softmax and their weights after it. L, M [H, H]; L = M = I is multi-head attention, and that is how training
// begins here. Rows sum to 1 after M where the columns of M do.
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
          "Each head mixes the scores of all heads before the softmax, and their weights after it. In multi-head "
          "attention the heads do not know of each other before the output. Both mixtures are small learned matrices "
          "that are the same at all positions.",
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
