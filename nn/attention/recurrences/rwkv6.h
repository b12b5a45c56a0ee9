// RWKV-6, "Finch" ("Eagle and Finch: RWKV with matrix-valued states and dynamic recurrence", section 4): RWKV-5
// (rwkv5.h) whose decays, and whose mixtures with the word before, depend on the word.
//
//   d   = x_(t-1) - x_t
//   z   = tanh((x + d m_x) W_1) cut into five,  x_n = x + d (m_n + z_n W_2n)    for w, k, v, r, g, in this order
//   w_t = exp(-exp(p + tanh(x_w A) B))              one decay for each feature of the key
//   y   = (GroupNorm(o) silu(x_g W_g)) W_o          eps 64e-5, that of RWKV-5 before its division by 8
//
// o and S are those of RWKV-5. W_1 and A begin at 0, W_2 and B within 0.01, so it starts with RWKV-5's decays and
// mixtures. R rank of W_1 and W_2 for each of the five, r that of A and B. K = D / H.
#pragma once

#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/rwkv_parts.h"
#include "nn/layers.h"

namespace heed::nn {

struct Rwkv6Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t shift_rank = 32;
    int64_t decay_rank = 64;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("shift_rank", shift_rank, "R, width between the two matrices of each token shift", {1, 16384});
      f("decay_rank", decay_rank, "r, width between the two matrices of the decay", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"J7", "rwkv6", "RWKV-6", "Finch"},
      .formula =
          "o_t = r_t (S_(t-1) + diag(u) k_t^T v_t),  S_t = diag(w_t) S_(t-1) + k_t^T v_t,  w_t = exp(-exp(p + tanh(x_w "
          "A) B))",
      .paper = {"Peng et al., COLM 2024", 2024, 4},
      .idea =
          "It is RWKV-5 with rates that each word decides: how much of each feature the memory keeps, and how much of "
          "the word before is mixed in. Both are a learned constant plus a product of two narrow matrices. At the "
          "start the product is 0.",
      .wrong =
          "The learned share belongs to the word before here, and to the word itself in RWKV-5. The five mixtures come "
          "in the order decay, key, value, query, gate.",
      .cost =
          "5 T D^2 + T D (10 R + 2 r) + 2 T D (C + K) products, T D C exponentials; 5 D^2 + D (10 R + 2 r) + 10 D "
          "parameters; decoding keeps D K + D numbers",
      .own = {"three_forms_agree", "constant_rates_are_rwkv5", "rwkv_begins_spread", kLinearCost},
  };

  Rwkv6Mixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.parameter("mix", mix), v.child("shift1", shift1), v.parameter("shift2", shift2);
    v.child("decay1", decay1), v.child("decay2", decay2), v.parameter("bonus", bonus);
    v.child("receptance", receptance), v.child("key", key), v.child("value", value), v.child("gate", gate);
    v.parameter("norm_weight", norm.gain), v.parameter("norm_bias", norm.bias), v.child("output", output);
  }
  Settings settings;
  Variable mix;           // m of x, w, k, v, r, g [6, D]
  Linear shift1;          // W_1 [5 R, D]
  Variable shift2;        // W_2 [5, R, D]
  Linear decay1, decay2;  // A [r, D], B [D, r] with p as its bias
  Variable bonus;         // u [D]
  Linear receptance, key, value, gate;
  RwkvNorm norm;
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
