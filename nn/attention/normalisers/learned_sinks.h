// Learned sinks (gpt-oss): the sink of sink.h with a score z_h that each head learns. It joins the softmax as one more
// key, and its weight is dropped. In other words, attention times a gate that asks whether anything was found:
//
//   w = softmax(e) sigmoid(log sum_s exp(e_s) - z_h)
//
// z_h = -inf is a softmax, and z_h = 0 is softmax-plus-one. The initial values are N(0, 0.02^2), those of the public
// program that trains such models (transformers); sink:learned=1 begins at 0. In gpt-oss q, k and v have biases, eight
// heads of queries share a head of keys, and every second layer sees 128 words, its own included: the scope
// causal&window:127.
#pragma once

#include "nn/attention/normalisers/sink.h"

namespace heed::nn {

struct LearnedSinksNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"L10", "learned_sinks", "sinks of gpt-oss"},
      .formula = "w_s = exp(e_s) / (exp(z_h) + sum_r exp(e_r)), z_h learned",
      .paper = {"OpenAI, 2025 (gpt-oss, arXiv 2508.10925)", 2025, 4},
      .idea =
          "Each head learns one number, the score of a key that does not exist. This key takes part in the softmax, "
          "and its weight is then dropped. So a head decides by itself how good a match must be before it reads "
          "anything.",
      .wrong =
          "The sink belongs to the head and not to a word: it is never masked, and no key of the text is used up for "
          "it.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T (S + 1) exponentials; 1 parameter for each head",
      .own = {"is_attention_through_a_gate", "sinks_begin_small"},
      .exempt = {{"constant_values_are_read", "rows sum to less than 1, and the context is as much of the value"},
                 kWeightsAreAbsolute,
                 {"rows_sum_to_one", "rows sum to less than 1"}},
  };

  using Options = NormaliserOptions;
  LearnedSinksNormaliser(const Options& o, Generator& rng) : sinks(normal_parameter({o.heads, 1, 1}, 0.02, rng)) {}
  Variable weights(const Variable& scores, StageContext&) const override { return with_sink(scores, sinks); }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override { v.parameter("sinks", sinks); }
  Variable sinks;  // z [H, 1, 1]
};

}  // namespace heed::nn
