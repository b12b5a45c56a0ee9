// Gated linear attention, GLA ("Gated linear attention transformers with hardware-efficient training", section 4):
// linear attention that forgets each feature of the key at a rate that the word itself decides. a is [H, K], of rank r;
// q is scaled by 1 / sqrt(K).
//
// The root tau, 16 in the paper, keeps the rates close to 1, so that the state remembers more than a few words. With a
// = 1 it is causal linear attention without features and normaliser; with one constant rate per head it is retention
// without rotation. It has no positions: order enters through the decay. The keys and values are as wide as the heads
// (the paper: keys half as wide). Parallel, recurrent and chunkwise: decayed_sums.h. The paper normalises a head by
// layer norm; the authors' program and this one do it by the mean square, here without a gain, which W_o contains.
// K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct GatedLinearMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t rank = 16;
    double root = 16;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("rank", rank, "r, width between the two matrices of the decay", {1, 16384});
      f("root", root, "tau, the root of the decay", {1, 1e6});
    }
  };
  static constexpr About about{
      .names = {"G18", "gated_linear", "gated linear attention", "GLA"},
      .formula =
          "S_t = diag(a_t) S_(t-1) + k_t^T v_t,  o_t = q_t S_t,  a_t = sigmoid(x W_1 W_2 + b)^(1/16),  y = (swish(x "
          "W_g) norm(o)) W_o",
      .paper = {"Yang et al., ICML 2024", 2024, 4},
      .idea =
          "Each word decides how much of each feature the matrix of linear attention keeps before the word is added. "
          "Without that it forgets nothing. The decays are multiplied as sums of logarithms, so a chunk of words is "
          "still read with matrix products.",
      .wrong =
          "Written as two factors, exp(G_t) and exp(-G_s), the decay overflows in long texts. The difference of the "
          "logarithms must be taken first.",
      .cost =
          "5 T D^2 + 2 T D (C + K) products, T D C exponentials; 5 D^2 + 2 D r parameters; decoding keeps D K numbers",
      .own = {"three_forms_agree", "open_gates_are_causal_linear_attention", "one_rate_is_retention", kLinearCost},
  };

  GatedLinearMixer(const MixerOptions& options, Generator& rng);
  DecayedSums words_of(const Variable& x) const;
  Variable finished(const Variable& x, const Variable& output) const;  // o [B, H, T, K] -> y [B, T, D]
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("decay1", decay1), v.child("decay2", decay2);
    v.child("gate", gate), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear decay1, decay2;  // log a = log sigmoid(decay2(decay1(x))) / tau
  Linear gate, output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
