// Attention with bounded-memory control, ABC ("ABC: attention with bounded-memory control"), with the learned control
// of the paper's ABC-MLP: M slots hold weighted means of all keys and values so far.
//
//   c_t = x W_c, limited to -32 .. 32   [H, M]
//   K_t[m] = sum_(s <= t) e^(c_sm) k_s / sum_(s <= t) e^(c_sm),   V_t[m] alike               [M, K] of each head
//   o_t = softmax_M(q_t K_t^T / sqrt(K)) V_t,   y = o W_o
//
// From word to word a mean is updated as a slot with a gate is. With z_t = log sum_(s <= t) e^(c_s), it keeps
// e^(z_(t-1) - z_t) of what it had and takes e^(c_t - z_t) of the word. So this is gated_slots.h with other gates, and
// the sums of e^c are only ever kept as logarithms (running_logs.h). The limits are those of fla, whose layer also has
// rotation, a norm and an output gate, which the paper does not have. M slots, K = D / H.
#pragma once

#include "nn/attention/recurrences/gated_slots.h"

namespace heed::nn {

struct BoundedMemoryMixer final : RecurrentMixer {
  using Settings = SlotSettings;
  static constexpr About about{
      .names = {"J13", "bounded_memory", "attention with bounded-memory control", "ABC"},
      .formula =
          "K_t[m] = sum_(s <= t) e^(c_sm) k_s / sum_(s <= t) e^(c_sm),  V_t alike,  o_t = softmax_M(q_t K_t^T / "
          "sqrt(K)) V_t",
      .paper = {"Peng et al., ACL 2022", 2022, 4},
      .idea =
          "Attention reads a memory of a fixed number of slots in place of all words. Each word decides by learned "
          "scores into which slots its key and value go, and a slot holds their weighted mean. Nothing is forgotten, "
          "but with every word a slot holds it counts for less.",
      .wrong =
          "Running sums of e^c overflow. The logarithm of the sum has to be kept, and means updated by ratios of two "
          "sums.",
      .cost =
          "4 T D^2 + T D H M + 2 T (C + M) D products, 2 T C H M exponentials; 4 D^2 + D H M parameters; decoding "
          "keeps 2 M D + M H numbers",
      .own = {"three_forms_agree", "slots_are_weighted_means", "a_constant_score_cancels", kLinearCost},
  };

  BoundedMemoryMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value), v.child("slot", slot);
    v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Linear slot;  // [H M, D]
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
