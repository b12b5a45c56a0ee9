// H3 ("Hungry hungry hippos: towards language modeling with state space models", section 3.1): linear attention whose
// two sums over words are state space models.
//
// clang-format off
//   q, k, v = x W + b
//   k'_t = sum_(j < w) s_j k_(t - j) + d k_t     a shift, with a filter for each feature: it can
//                                                keep the word before
//   P_t = k'_t^T v_t,  Y = S4D(P)                a diagonal system for each head reads all products
//   o_t = q_t Y_t,  y = [o_h]_h W_o + b_o
// clang-format on
//
// So a head can compare a word with the one before it, store the product, and bring it back when a query asks. The
// shift acts on the keys only, the diagonal system on the products. A head may have the width 1.
//
// The filter s begins uniform in +-w^-1/2, d normal. The authors' shift has a second vector B that begins at e_1 and
// selects the tap; it is fixed here. Their diagonal kernel can also be bilinear; here it is that of diagonal_system.h,
// zero-order hold. K = D / H, M modes, w taps.
#pragma once

#include "nn/attention/recurrences/diagonal_system.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/attention/recurrences/short_convolution.h"

namespace heed::nn {

struct H3Mixer final : RecurrentMixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t modes = 32;
    int64_t taps = 64;
    void fields(OptionFields& f) {
      f("chunk", chunk, "C, words that one level of the scan joins", {1, 1048576});
      f("modes", modes, "M, complex modes of the system of each head", {1, 4096});
      f("taps", taps, "w, words that the shift of the keys reads", {1, 1024});
    }
  };
  static constexpr About about{
      .names = {"J5", "h3", "H3", "hungry hungry hippos"},
      .formula = "k' = shift(k) + d k,  Y = S4D(k'^T v),  o_t = q_t Y_t,  y = [o_h]_h W_o + b_o",
      .paper = {"Fu et al., ICLR 2023", 2023, 4},
      .idea =
          "Linear attention adds up products of keys and values. H3 adds them up with a state space model, which can "
          "forget and oscillate, and shifts the keys before, so that a key can stand for the word before its value. "
          "This lets it recall what followed a word the last time, which state space models alone could not.",
      .wrong =
          "The shift is applied to the keys and the diagonal system to the products of keys and values, not both to "
          "both.",
      .cost =
          "4 T D^2 + T D w products and T D K M (4 log2 C + 4) for the scan; 4 D^2 + D (w + 5) + H (4 M + 2) "
          "parameters; decoding keeps D (w - 1) + 2 D K M numbers",
      .own = {"three_forms_agree", "scans_agree", "one_constant_mode_is_linear_attention", kLinearCost},
  };

  H3Mixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("shift", shift);
    v.parameter("key_skip", key_skip), v.child("system", system), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  ShortConvolution shift;
  Variable key_skip;  // d [D]
  DiagonalSystem system;
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
