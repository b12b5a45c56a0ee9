// HGRN2 ("HGRN2: gated linear RNNs with state expansion", section 3): HGRN whose state is a matrix for each head. The
// gate that decides what is written is also the key, so the larger state costs no parameters.
//
//   f_t = b + (1 - b) sigmoid(x W_f)  [H, K]        b rises with the layer, from 0: hgrn.h
//   S_t = diag(f_t) S_(t-1) + (1 - f_t)^T (x W_i),   o_t = q_t S_t,   q = silu(x W_q) / sqrt(K)
//   y = norm_D(o) W_o                               by the mean square, over all heads; no output gate
//
// It is gated linear attention with the key 1 - f (decayed_sums.h). K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/hgrn.h"

namespace heed::nn {

struct Hgrn2Mixer final : RecurrentMixer {
  using Settings = HgrnSettings;
  static constexpr About about{
      .names = {"J15", "hgrn2", "HGRN2"},
      .formula =
          "S_t = diag(f_t) S_(t-1) + (1 - f_t)^T (x W_i),  o_t = q_t S_t,  f = b + (1 - b) sigmoid(x W_f), b rising "
          "with the layer",
      .paper = {"Qin et al., COLM 2024", 2024, 4},
      .idea =
          "The state is a matrix, to which each word adds the product of a key and a value. HGRN keeps only one number "
          "for each feature, which is little to remember a text by. The key is what the forget gate leaves, 1 - f, so "
          "that a feature that keeps everything takes nothing new.",
      .wrong =
          "The key is not a projection of its own. If it were, a gate of 1 would still let the state grow with every "
          "word.",
      .cost =
          "4 T D^2 + 2 T D (C + K) products, T D C exponentials; 4 D^2 + D parameters, and L D of all layers together; "
          "decoding keeps D K numbers",
      .own = {"three_forms_agree", "keys_of_width_one_are_hgrn", "bounds_rise_with_the_layer", kLinearCost},
      .more = "its bounds belong to the whole stack: the first layer learns them for all",
  };

  Hgrn2Mixer(const MixerOptions& options, Generator& rng);
  bool passes() const override { return true; }
  DecayedSums words_of(const Variable& x, const Variable& bound) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("forget", forget), v.child("input", input), v.child("bounds", bounds);
    v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear query, forget, input;
  GateBounds bounds;
  Variable norm;  // [D]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override {
    return pass_on(x, words, first, state, nullptr);
  }
  Variable pass_on(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state,
                   Variable* left) const override;
};

}  // namespace heed::nn
