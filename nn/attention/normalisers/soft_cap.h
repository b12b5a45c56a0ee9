// Softmax of scores with a soft cap (Gemma 2, c = 50): no score leaves (-c, c), so no weight can become exactly
// one-hot, and its gradient does not vanish. The slope of the cap at 0 is 1. Masked keys are masked again after it. The
// idea is from "Neural combinatorial optimization" (Bello et al., 2017), whose formula is another one: c tanh(e) with c
// = 10 has the slope c at 0, so it sharpens small scores and caps those above 1.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/allowed_keys.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct SoftCapNormaliser final : Normaliser {
  struct Settings {
    double cap = 50;
    void fields(OptionFields& f) { f("cap", cap, "c, which no score exceeds", {0.001, 1e9}); }
  };
  static constexpr About about{
      .names = {"B14", "soft_cap", "logit soft-capping"},
      .formula = "w = softmax(c tanh(e / c))",
      .paper = {"Gemma 2, 2024 (arXiv 2408.00118); the idea: Bello et al., 2017 (arXiv 1611.09940)", 2024, 2},
      .idea =
          "A scaled tanh limits the scores to the range from -c to c, and then a softmax follows. So no key can get "
          "the whole weight. Scores near zero hardly change.",
      .wrong =
          "The cap must be applied before the mask, or minus infinity becomes a finite score. Without the division by "
          "c inside the tanh, as in the first paper with a cap, small scores are multiplied by c.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "2 B T S exponentials",
      .own = {"scores_stay_below_the_cap", "a_high_cap_is_a_softmax"},
  };

  using Options = NormaliserOptions;
  SoftCapNormaliser(const Options& options, Generator&) : cap(options.settings.as<Settings>().cap) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    return softmax(masked_fill(capped(scores), barred(scores), -INFINITY), -1);
  }
  Variable capped(const Variable& scores) const { return tanh(scores / cap) * cap; }
  double cap;  // c
};

}  // namespace heed::nn
