// Gated linear attention, GLA (Yang et al., "Gated linear attention transformers with hardware-efficient training",
// ICML 2024, section 4): linear attention that forgets each feature of the key at a rate that the
// word itself decides.
//
//   a_t = sigmoid(x_t W_1 W_2 + b)^(1 / tau)     [H, K], one rate for each feature; rank r, tau = 16
//   S_t = diag(a_t) S_(t-1) + k_t^T v_t          o_t = q_t S_t, q scaled by 1 / sqrt(K)
//   y   = (swish(x W_g) * norm_h(o)) W_o         the norm of each head by its mean square
//
// The root tau keeps the rates close to 1, so that the state remembers more than a few words. With a = 1 it is causal
// linear attention without features and normaliser; with one constant rate per head it is retention without rotation.
// It has no positions: order enters through the decay. The keys and values are as wide as the heads (the paper: keys
// half as wide). Parallel, recurrent and chunkwise: decayed_sums.h. The paper normalises a head by layer norm; the
// authors' program and this one do it by the mean square. B batch, T words, D width, H heads, K = D / H.
#pragma once

#include "nn/attention/mixers/decayed_sums.h"
#include "nn/attention/mixers/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct GatedLinearMixer final : RecurrentMixer {
  GatedLinearMixer(const MixerOptions& options, Generator& rng);
  DecayedSums words_of(const Variable& x) const;
  Variable finished(const Variable& x, const Variable& output) const;  // o [B, H, T, K] -> y [B, T, D]
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("decay1", decay1), v.child("decay2", decay2);
    v.child("gate", gate), v.child("output", output);
  }
  Linear query, key, value;
  Linear decay1, decay2;  // log a = log sigmoid(decay2(decay1(x))) / tau
  Linear gate, output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
