// 2-simplicial attention ("Logic and the 2-simplicial transformer"; in the trilinear form of "Fast and simplex:
// 2-simplicial attention in Triton"): one layer can use facts that are about two words at a time.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct SimplicialMixer final : Mixer {
  static constexpr About about{
      .names = {"E26n", "simplicial", "2-simplicial attention", "trilinear attention"},
      .formula = "w_t = softmax over pairs of sum_d q_td k_id k'_jd / sqrt(K),  head_t = sum_ij w_tij v_i * v'_j",
      .paper = {"Clift, Doryn, Murfet and Wallbridge, ICLR 2020; this form: Roy et al., 2025", 2020, 4},
      .idea =
          "A query attends to pairs of words. The score is a product of three vectors, and what is read is the product "
          "of two values. The cost grows with the cube of the length.",
      .wrong = "The softmax is over all pairs at once and not over first and second words separately.",
      .cost = "2 T^3 D products beside the projections; 6 D^2 parameters and biases",
      .own = {"constant_partners_are_attention", "partners_may_be_exchanged"},
  };

  SimplicialMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("k2_proj", k2_proj);
    v.child("v2_proj", v2_proj);
  }
  MixerOptions options;
  FourProjections projections;
  Linear k2_proj, v2_proj;  // k', v'
};

}  // namespace heed::nn
