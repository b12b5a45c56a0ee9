// Sigmoid attention (Ramapuram et al., "Theory, analysis, and best practices for sigmoid self-attention", ICLR 2025):
// each key is weighed by itself, without a look at the others.
//
//   w_s = sigmoid(e_s + b),   b = -ln S
//
// Keys do not compete: a row may sum to anything between 0 and S. With b = 0 a row of zero scores would sum to S / 2,
// so that the context grows with the length of the source; with b = -ln S it sums to S / (S + 1), almost 1 for any
// length. S is the number of keys that the query may attend to. (The paper takes the length of the sequence. The number
// of allowed keys is the same without a mask, and it makes padding and causal decoding exact.)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SigmoidNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SigmoidNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    return sigmoid(scores - Variable(log(allowed_keys(scores))));
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
