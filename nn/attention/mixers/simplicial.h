// 2-simplicial attention (Clift, Doryn, Murfet and Wallbridge, "Logic and the 2-simplicial transformer", ICLR 2020; in
// the trilinear form of Roy et al., "Fast and simplex: 2-simplicial attention in Triton", 2025): a query
// attends to pairs of words.
//
//   e_tij = sum_d q_td k_id k'_jd / sqrt(K)          a trilinear product of a query and two keys
//   w_t = softmax over all pairs (i, j)
//   head_t = sum_ij w_tij v_i * v'_j                 entry by entry
//
// One layer can use facts that are about two words at a time. The cost is cubic: 2 T^3 D products, so it is for short
// sentences. B batch, T words, D width of the model, H heads, K width of a head.
#pragma once

#include "nn/attention/mixers/four_projections.h"

namespace heed::nn {

struct SimplicialMixer final : Mixer {
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
