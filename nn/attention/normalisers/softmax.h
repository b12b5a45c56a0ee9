// w_s = exp(e_s) / sum_r exp(e_r)
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftmaxNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SoftmaxNormaliser(const Options& options, Generator& rng);
  Variable operator()(const Variable& scores) const override;
  Options options;
};

}  // namespace heed::nn
