// Mixers that pass all words through a few learned latent vectors, so that the cost is linear in their number:
//
//   luna        P' = Att(P, X, X),  Y = Att(X, P', P')
//   induced     H = MAB(I, X),  Y = MAB(X, H)
//               MAB(A, B) = LN(M + rFF(M)),  M = LN(A + Att(A, B, B))
//   perceiver   Z = L + Att(L, X, X),  n times Z <- Z + Att(Z, Z, Z),  Z <- Z + FFN(Z) after each of them
//               Y = Att(X, Z, Z)
//
// Luna: Ma et al., "Luna: linear unified nested attention", NeurIPS 2021. Induced: ISAB of Lee et al., "Set
// Transformer", ICML 2019. Perceiver: Jaegle et al., "Perceiver", ICML 2021; Y as in Perceiver IO, ICLR 2022.
//
// Att is multi-head attention with projections of its own at each place, P, I and L are parameters [M, D]. In Luna the
// packed vectors P' of a layer are also the P of the next layer; here every layer has its own. The Perceiver has layer
// norms before each part; here they are before its latents. A latent reads all words: none of the three can be causal.
// Cost: 4 T M D products for scores and contexts (perceiver: and 2 n M^2 D) in place of 2 T^2 D, and 2 T D^2 and more
// for projections. Permuting the words permutes the outputs. B batch, T words, M latents, D width of the model.
#pragma once

#include <vector>

#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

struct LunaMixer final : Mixer {
  LunaMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    v.child("pack", pack);
    v.child("unpack", unpack);
  }
  MixerOptions options;
  Variable latents;  // P [M, D]
  MultiHeadAttention pack, unpack;
};

// MAB(A, B): attention, a feed-forward network, and a residual connection and layer norm after each.
struct AttentionBlock : Module {
  AttentionBlock(const MixerOptions& options, Generator& rng);
  Variable operator()(const Variable& a, const Variable& b, const Tensor& words = {}) const;  // words: those of B
  void visit(Visitor& v) {
    v.child("attention", attention);
    v.child("norm1", norm1);
    v.child("linear", linear);
    v.child("norm2", norm2);
  }
  MultiHeadAttention attention;
  LayerNorm norm1, norm2;
  Linear linear;  // rFF: one layer with a ReLU
};

struct InducedMixer final : Mixer {
  InducedMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    v.child("pack", pack);
    v.child("unpack", unpack);
  }
  MixerOptions options;
  Variable latents;  // I [M, D]
  AttentionBlock pack, unpack;
};

struct PerceiverMixer final : Mixer {
  struct Step : Module {  // Z <- Z + attention(LN(Z), ..), then Z <- Z + FFN(LN(Z))
    Step(const MixerOptions& options, Generator& rng);
    Variable operator()(const Variable& z, const Variable& x, const Tensor& words) const;  // x undefined: it reads Z
    void visit(Visitor& v) {
      v.child("norm1", norm1);
      v.child("attention", attention);
      v.child("norm2", norm2);
      v.child("linear1", linear1);
      v.child("linear2", linear2);
    }
    LayerNorm norm1, norm2;
    MultiHeadAttention attention;
    Linear linear1, linear2;
  };
  PerceiverMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.parameter("latents", latents);
    for (size_t i = 0; i < steps.size(); ++i) v.child("step" + std::to_string(i), steps[i]);
    v.child("write", write);
  }
  MixerOptions options;
  Variable latents;         // L [M, D]
  std::vector<Step> steps;  // the first reads the words, the others the latents
  MultiHeadAttention write;
};

}  // namespace heed::nn
