// Lightning attention ("TransNormerLLM", 2023; "MiniMax-01", 2025): linear attention without a normaliser, whose heads
// forget at fixed rates that fall with the depth of the layer.
//
//   [q; k; v] = silu(x W),   S_t = exp(-s_hl) S_(t-1) + k_t^T v_t,   o_t = q_t S_t       no 1 / sqrt(K)
//   s_hl = m_h (1 - l / (L - 1) + 1e-5)     m_h: the slopes of ALiBi; l = 0 .. L - 1 the layer, so the last one has
//                                           almost no decay; alone, outside a stack, a mixer is layer 0
//   y = (norm(o) sigmoid(x W_g)) W_o        by the mean square of all D features together, eps 1e-6, with a gain
//
// "Lightning" is the name of the blockwise program, which reads blocks by matrix products and goes from block to block
// with the state: chunkwise in decayed_sums.h. Other programs have other rates: fla's are 8 h / H (1 - l / L) with h
// from 0, so that its first head never forgets. Those of transformers have
// 2^(-8 (h + 1) / H) for any H, and L - 1 + 1e-5 in place of L - 1. TransNormerLLM leaves v without silu; MiniMax and
// this mixer do not.
#pragma once

#include <vector>

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

std::vector<double> lightning_rates(int64_t heads, int64_t layer, int64_t layers);  // s_hl

struct LightningMixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 64;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
  };
  static constexpr About about{
      .names = {"J21", "lightning", "lightning attention", "TransNormerLLM", "MiniMax-01"},
      .formula =
          "S_t = exp(-s) S_(t-1) + k_t^T v_t,  o_t = q_t S_t,  y = (norm(o) sigmoid(x W_g)) W_o,  q, k, v = silu",
      .paper = {"Qin et al., 2023 and 2024", 2024, 4},
      .idea =
          "It is linear attention with a constant decay for each head, so every step of decoding costs the same. The "
          "first layers forget quickly and read what is near, the last layers keep almost everything. One norm over "
          "all heads takes the place of the softmax's denominator.",
      .wrong =
          "The rate depends on the layer as well as on the head. The norm is over all features of a word, not over "
          "each head.",
      .cost = "5 T D^2 + 2 T D (C + K) products; 5 D^2 + D parameters; decoding keeps D K numbers",
      .own = {"three_forms_agree", "rates_fall_with_the_layer", "no_rate_is_linear_attention", kLinearCost},
  };

  LightningMixer(const MixerOptions& options, Generator& rng);
  DecayedSums words_of(const Variable& x) const;
  Variable finished(const Variable& x, const Variable& output) const;  // o [B, H, T, K] -> y [B, T, D]
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("gate", gate), v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear projection;  // [q; k; v], 3 D rows
  Linear gate;
  Variable norm;  // [D]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
