// Softmax-plus-one, and attention with a sink: a query that finds nothing may attend to nothing. The weights of a
// softmax sum to 1 even if no key is useful ("Efficient streaming language models with attention sinks"). With z = 0
// ("Attention is off by one") the rest of the weight, 1 - sum_s w_s, is read from nowhere.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/init.h"

namespace heed::nn {

// A softmax over the scores [.., T, S] and one further score z, whose weight is dropped. z broadcasts to [.., T, 1].
inline Variable with_sink(const Variable& scores, const Variable& z) {
  Shape column = scores.shape();
  column[column.rank() - 1] = 1;
  Variable last = Variable(Tensor::zeros(column, scores.dtype())) + z;
  return slice(softmax(concat({scores, last}, -1), -1), -1, 0, scores.size(-1));
}

struct SinkNormaliser final : Normaliser {
  struct Settings {
    int64_t learned = 0;
    void fields(OptionFields& f) { f("learned", learned, "1: each head learns its z, which begins at 0", {0, 1}); }
  };
  static constexpr About about{
      .names = {"B7", "sink", "softmax-plus-one", "off-by-one softmax", "attention sink"},
      .formula = "w_s = exp(e_s) / (exp(z) + sum_r exp(e_r)), z = 0 or learned",
      .paper = {"Miller, 2023 (Attention is off by one); Xiao et al., ICLR 2024", 2023, 2},
      .idea =
          "The denominator of the softmax has one more term, as if there were a further key whose value is zero. So a "
          "head that finds no matching key can read nothing. Without this term, trained heads often put such weight on "
          "the first word.",
      .wrong =
          "The further key must have no value. Its weight is lost, so the weights of the real keys sum to less than "
          "one.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "B T (S + 1) exponentials; learned: 1 parameter for each head",
      .own = {"is_a_softmax_with_one_more_key", "heads_learn_their_sink"},
      .exempt = {{"constant_values_are_read", "rows sum to less than 1, and the context is as much of the value"},
                 kWeightsAreAbsolute,
                 {"rows_sum_to_one", "rows sum to less than 1"}},
      .tried = "sink:learned=1",
  };

  using Options = NormaliserOptions;
  SinkNormaliser(const Options& options, Generator&) {
    if (options.settings.as<Settings>().learned) sink = zeros_parameter({options.heads, 1, 1});
  }
  Variable weights(const Variable& scores, StageContext&) const override {
    return with_sink(scores, sink.defined() ? sink : Variable(Tensor::zeros({}, scores.dtype())));
  }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override { v.parameter("sink", sink); }
  Variable sink;  // z [H, 1, 1]; undefined if it is not learned
};

}  // namespace heed::nn
