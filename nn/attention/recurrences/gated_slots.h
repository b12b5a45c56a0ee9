// Gated slot attention, GSA ("Gated slot attention for efficient linear-time sequence modeling", section 3): M slots
// take the place of the keys and values of all words, and each slot forgets at its own rate.
//
//   a_t = sigmoid(x W_f)^(1/8) [H, M]          q, k, v = silu(x W)
//   K_t = diag(a_t) K_(t-1) + (1 - a_t)^T k_t,   V_t = diag(a_t) V_(t-1) + (1 - a_t)^T v_t     [M, K] of each head
//   o_t = softmax_M(q_t K_t^T) V_t,   y = norm_D(silu(o)) W_o                                  the scores' scale is 1
//
// Two sums that decay, with a softmax between them (decayed_sums.h): the first decays along its values, since it is
// kept as K_t^T [K, M], and its read are the scores of the slots; their softmax queries the second. norm_D is by the
// mean square, over all heads. The authors use 64 slots. M slots, K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct SlotWords {
  Variable q, k, v;       // [B, H, T, K]
  Variable write, decay;  // how much of the word a slot takes, and the log of what it keeps, <= 0: [B, H, T, M]
};
struct SlotsRead {
  Variable output;              // [B, H, T, K]
  std::vector<Variable> state;  // K_t^T [B, H, K, M], V_t [B, H, M, K]
};
SlotsRead read_slots(const SlotWords& w, const Tensor& words, int64_t chunk, const std::vector<Variable>& state);

struct SlotSettings {
  int64_t slots = 32;
  int64_t chunk = 16;
  void fields(OptionFields& f) {
    f("slots", slots, "M, slots of each head", {1, 16384});
    f("chunk", chunk, "C, words that are read by one matrix product", {1, 1048576});
  }
};

struct GatedSlotsMixer final : RecurrentMixer {
  using Settings = SlotSettings;
  static constexpr About about{
      .names = {"J12", "gated_slots", "gated slot attention", "GSA"},
      .formula =
          "K_t = diag(a_t) K_(t-1) + (1 - a_t)^T k_t,  V_t alike,  o_t = softmax_M(q_t K_t^T) V_t,  a = sigmoid(x "
          "W_f)^(1/8)",
      .paper = {"Zhang et al., NeurIPS 2024", 2024, 4},
      .idea =
          "A fixed number of slots holds mixtures of keys and of values, and a query attends to the slots with a "
          "softmax, as it would to words. A gate for each slot and word decides how much the slot keeps, and the rest "
          "of it is the new word. So the memory is bounded and still read as sharply as attention reads.",
      .wrong =
          "What a slot takes is 1 - a, with a after the root: the gates of a slot then sum to 1. The softmax is over "
          "slots and not over words, and its scores are not divided by the root of the width.",
      .cost =
          "4 T D^2 + T D H M + 2 T (C + M) D products, 2 T C H M exponentials; 4 D^2 + D H M + D parameters; "
          "decoding keeps 2 M D numbers",
      .own = {"three_forms_agree", "slots_are_two_sums_with_a_softmax", "a_closed_gate_fills_all_slots", kLinearCost},
  };

  GatedSlotsMixer(const MixerOptions& options, Generator& rng);
  SlotWords words_of(const Variable& x) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("forget", forget);
    v.parameter("norm", norm), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear forget;  // [H M, D], without a bias
  Variable norm;  // [D]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
