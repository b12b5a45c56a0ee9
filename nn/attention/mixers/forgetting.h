// Forgetting attention ("Forgetting transformer"): softmax attention with a forget gate f [H], for s <= t.
//
// Each sum is computed from its own terms (segment_sums.h, T^2 additions for each head). The paper subtracts running
// sums, which needs T but loses the digits of weak gates after strong ones. A constant f = exp(-m) is ALiBi with the
// slope m. The bias depends on the order of the words, so no positions are needed. In an encoder (not in the paper) the
// bias of a later word s is the sum over t < l <= s, which makes a constant f ALiBi in both directions.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct ForgettingMixer final : OwnHeadsMixer {
  static constexpr About about{
      .names = {"E25", "forgetting", "forgetting transformer", "FoX", "data-dependent ALiBi"},
      .formula = "w = softmax(q_t . k_s / sqrt(K) + sum_(s < l <= t) log f_l),  f = sigmoid(x W_f + b_f)",
      .paper = {"Lin et al., ICLR 2025", 2025, 4},
      .idea =
          "Softmax attention gets a gate from recurrent networks: each word says how much of everything before it is "
          "kept. The logarithms of the gates between key and query are added to the score. With gates that are "
          "constant it is ALiBi, and with open gates it is ordinary attention.",
      .wrong =
          "The bias of a key is the sum of the logarithms after it, without its own gate. The difference of two "
          "running sums gives it without a loop.",
      .cost = "as multi-head attention, and T D H products; D H + H more parameters",
      .own = {"no_forgetting_is_attention", "constant_forgetting_is_alibi"},
  };

  ForgettingMixer(const MixerOptions& options, Generator& rng);
  Variable bias(const Variable& x, const Tensor& words) const;  // [B, H, T, T]
  void visit(Visitor& v) override {
    OwnHeadsMixer::visit(v);
    v.child("forget", forget);
  }
  Linear forget;  // W_f [H, D], b_f [H]

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
