// Softmax-plus-one, and attention with a sink: a query that finds nothing may attend to nothing.
//
//   w_s = exp(e_s) / (exp(z) + sum_r exp(e_r))        z = 0, or learned for each head
//
// The weights of a softmax sum to 1 even if no key is useful, so that trained models attend to some harmless key, often
// the first (Xiao et al., "Efficient streaming language models with attention sinks", ICLR 2024). With z = 0 (Miller,
// "Attention is off by one", 2023) the rest of the weight, 1 - sum_s w_s, is read from nowhere. This equals a softmax
// with one more key, whose score is z and whose value is 0. `learned` makes z a parameter, one number for each head.
// A row without allowed keys has weights of 0, like every other normaliser's.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/init.h"

namespace heed::nn {

struct SinkNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SinkNormaliser(const Options& options, Generator&) {
    if (options.settings.whole("learned")) sink = zeros_parameter({options.heads, 1, 1});
  }
  Variable weights(const Variable& scores, StageContext&) const override {
    int64_t S = scores.size(-1);
    Shape column = scores.shape();
    column[column.rank() - 1] = 1;
    Variable z(Tensor::zeros(column, scores.dtype()));
    if (sink.defined()) z = z + sink;
    return slice(softmax(concat({scores, z}, -1), -1), -1, 0, S);
  }
  bool rows_sum_to_one() const override { return false; }
  void visit(Visitor& v) override { v.parameter("sink", sink); }
  Variable sink;  // z [H, 1, 1]; undefined if it is not learned
};

}  // namespace heed::nn
