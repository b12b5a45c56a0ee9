// w_s = exp(e_s) / sum_r exp(e_r)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftmaxNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SoftmaxNormaliser(const NormaliserOptions&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override { return softmax(scores, -1); }
  bool is_softmax() const override { return true; }
};

}  // namespace heed::nn
