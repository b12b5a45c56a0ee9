// Softmax of scores with a soft cap (Bello et al., "Neural combinatorial optimization", 2017, c = 10; Gemma 2, 2024,
// c = 50): no score leaves (-c, c), so no weight can become exactly one-hot, and its gradient does not vanish.
//
//   w = softmax(c tanh(e / c))
//
// Small scores pass unchanged, since the slope of c tanh(e / c) at 0 is 1. The cap must come before the mask: tanh
// makes -inf a finite -c, and a masked key would be read again. So the masked keys are masked again after the cap.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftCapNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  SoftCapNormaliser(const Options& options, Generator&) : cap(options.settings.number("cap")) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    return softmax(masked_fill(capped(scores), barred(scores), -INFINITY), -1);
  }
  Variable capped(const Variable& scores) const { return tanh(scores / cap) * cap; }
  double cap;  // c
};

}  // namespace heed::nn
