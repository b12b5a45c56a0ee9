// RWKV-5, "Eagle" ("Eagle and Finch: RWKV with matrix-valued states and dynamic recurrence", section 4): the running
// means of RWKV-4 (rwkv.h) become matrices, one for each head.
//
//   x_n = m_n x_t + (1 - m_n) x_(t-1)               for r, k, v, g, each with its own m [D]: token shift; x_(-1) = 0
//   o_t = r_t (S_(t-1) + diag(u) k_t^T v_t)         r, k, v are products of x_r, x_k, x_v with a matrix
//   S_t = diag(w) S_(t-1) + k_t^T v_t,  w = exp(-exp(p))     u, p [H, K]: the same for all words
//   y   = (GroupNorm(o / 8) silu(x_g W_g)) W_o      eps 1e-5; the 8 matters only because of it
//
// p begins at -6 + 5 (n / (D - 1))^(0.7 + 1.3 l / (L - 1)): slow features and fast ones (rwkv_parts.h). Version 5.2 of
// the authors' code; in 5.0 and 5.1 u was the exponential of a parameter. Recurrent, parallel and chunkwise:
// decayed_sums.h, with queries moved by one word. K = D / H.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/rwkv_parts.h"
#include "nn/layers.h"

namespace heed::nn {

struct Rwkv5Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    void fields(OptionFields& f) { f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576}); }
  };
  static constexpr About about{
      .names = {"J6", "rwkv5", "RWKV-5", "Eagle"},
      .formula =
          "o_t = r_t (S_(t-1) + diag(u) k_t^T v_t),  S_t = diag(w) S_(t-1) + k_t^T v_t,  y = (GroupNorm(o / 8) "
          "silu(g)) W_o",
      .paper = {"Peng et al., COLM 2024", 2024, 4},
      .idea =
          "Each head keeps a matrix, to which a word adds key times value and which decays at a rate of its own for "
          "each feature. A word reads the matrix before it is added, and sees itself through a learned bonus. Queries, "
          "keys, values and gates are made from a mixture of the word and the one before.",
      .wrong =
          "The word is read before it is written, and the bonus takes its place. The bonus multiplies the own word and "
          "is not the exponential of a parameter, as it was in the versions before.",
      .cost =
          "5 T D^2 + 2 T D (C + K) products, T D C exponentials; 5 D^2 + 8 D parameters; decoding keeps D K + D "
          "numbers",
      .own = {"three_forms_agree", "no_decay_is_linear_attention", "rwkv_begins_spread", kLinearCost},
  };

  Rwkv5Mixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.parameter("mix", mix), v.parameter("decay", decay), v.parameter("bonus", bonus);
    v.child("receptance", receptance), v.child("key", key), v.child("value", value), v.child("gate", gate);
    v.parameter("norm_weight", norm.gain), v.parameter("norm_bias", norm.bias), v.child("output", output);
  }
  Settings settings;
  Variable mix;           // m of r, k, v, g [4, D]
  Variable decay, bonus;  // p, u [D]
  Linear receptance, key, value, gate;
  RwkvNorm norm;
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
