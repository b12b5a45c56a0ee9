// Attention on attention ("Attention on attention for image captioning"): a gate decides, from the result and the
// query, how much of the result is used. i = W_i [c; q] + b_i is what was found, seen with the question.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct AttentionOnAttentionMixer final : Mixer {
  static constexpr About about{
      .names = {"E26m", "attention_on_attention", "AoA"},
      .formula = "y = (W_i [c; q] + b_i) * sigmoid(W_g [c; q] + b_g);  c = Att(x, X, X),  q = W_q x + b_q",
      .paper = {"Huang, Wang, Chen and Wei, ICCV 2019", 2019, 4},
      .idea =
          "A second step looks at the result of attention and at the query together. Attention alone gives an average "
          "of the values even if no key fits. The second step computes what is useful in the result, and a gate that "
          "can suppress it.",
      .wrong =
          "The gate reads the query beside the context. A gate that reads the context alone cannot know whether it "
          "answers the question.",
      .cost = "2 T^2 D + 8 T D^2 products; 8 D^2 parameters and biases",
      .own = {"an_open_gate_is_attention", "a_closed_gate_is_silent"},
  };

  AttentionOnAttentionMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("information", information);
    v.child("gate", gate);
  }
  MixerOptions options;
  FourProjections projections;
  Linear information, gate;  // W_i, W_g [D, 2 D]
};

}  // namespace heed::nn
