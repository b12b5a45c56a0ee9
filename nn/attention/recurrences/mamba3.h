// Mamba-3 in its form with one input and one output ("Mamba-3: improved sequence modeling using state space
// principles"; the layer is mamba3.py of the authors): Mamba-2 whose states turn, whose input is integrated by the
// trapezoidal rule, and which needs no short convolution.
//
//   [z; v; B; C; s; A'; m; th] = x W         E features in z, v; N in B, C; one number a head in s, A', m; th of pairs
//   d = softplus(s + bias),  A = -max(heavy(A'), 1e-4),  a = exp(A d),  l = sigmoid(m)
//   heavy(x) = 1 + x for x >= 0, 1 / (1 - x) below: positive, and as slow as 1 / |x| towards 0
//   k, q = rms(B) w + bias, rms(C) w + bias for each head, then turned by the angle  sum_(s <= t) pi tanh(th_s) d_s
//   y = (q S + D v) silu(z) W_o
//
// The angle turns the pairs (2 i, 2 i + 1) of the first half of k and q; a key keeps the angle of its own word. The
// trapezoid takes a share l of the own word and a share 1 - l of the word before, with the step, the decay and the
// share of today:
//
//   S_t = a_t S_(t-1) + (1 - l_t) d_t a_t k_(t-1)^T v_(t-1) + l_t d_t k_t^T v_t
//
// Both shares are decayed sums (decayed_sums.h) with the same queries and decays, of the words and of the words before
// them. The authors' kernel gives a word both of its shares at once, l_s d_s + (1 - l_(s+1)) d_(s+1), and takes off
// what it does not yet have at t = s: half of the work, but the rounding errors of word s + 1 would reach word s. Their
// first release had softplus in place of heavy. P = E / H, N width of the state.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct Mamba3Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 64;
    int64_t state = 32;
    int64_t inner = 2;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
      f("state", state, "N, width of the state of each feature", {4, 4096});
      f("inner", inner, "E, inner features, in widths of the model", {1, 16});
    }
  };
  static constexpr About about{
      .names = {"J3", "mamba3", "Mamba-3"},
      .formula =
          "S_t = a_t S_(t-1) + (1 - l_t) d_t a_t k_(t-1)^T v_(t-1) + l_t d_t k_t^T v_t,  y = (q S + D v) silu(z) W_o",
      .paper = {"Lahoti et al., 2026", 2026, 4},
      .idea =
          "A step of the state takes a share of the word before as well as of the word itself, as the trapezoidal rule "
          "of integration does. So the layer needs no short convolution. Keys and queries turn by angles that the "
          "words choose, which is a state of complex numbers, and lets it count and keep track of parity.",
      .wrong =
          "The key of the word before keeps the angle of its own word. Only the step, the decay and the share are "
          "those of today.",
      .cost =
          "with E = 2 D: 3 T D E + 2 T E (C + 2 N) products; 3 D E + D (2 N + 3 H + N / 4) + 2 N (H + 1) + 2 H "
          "parameters; decoding keeps E N + H N + E + H N / 4 numbers",
      .own = {"three_forms_agree", "own_share_alone_is_mamba2", "shares_enter_once", kLinearCost},
  };

  Mamba3Mixer(const MixerOptions& options, Generator& rng);
  struct Words {
    Variable z, v;                // [B, T, E], [B, H, T, P]
    Variable k, q;                // [B, H, T, N], turned
    Variable k_before, v_before;  // of the word before each one; v_before is 0 before the first
    Variable step, decay, own;    // d, log a, l [B, H, T, 1]; the step is 0 at padding
    Variable angle;               // of each word, [B, H, T, N / 4]
  };
  Words words_of(const Variable& x, const Tensor& words, const std::vector<Variable>& state) const;
  SumsRead read(const Words& w, const Variable& sums) const;  // q S [B, H, T, P]; S after the last word
  void visit(Visitor& v) override {
    v.child("projection", projection), v.parameter("step_bias", step_bias);
    v.parameter("key_norm", key_norm), v.parameter("key_bias", key_bias);
    v.parameter("query_norm", query_norm), v.parameter("query_bias", query_bias);
    v.parameter("skip", skip), v.child("output", output);
  }
  Settings settings;
  int64_t inner, angles;                                // E, N / 4
  Linear projection;                                    // [z; v; B; C; s; A'; m; th], 2 E + 2 N + 3 H + N / 4 rows
  Variable step_bias;                                   // [H]
  Variable key_norm, key_bias, query_norm, query_bias;  // [N], [H, N], twice
  Variable skip;                                        // D [H]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
