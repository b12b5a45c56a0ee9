// Stick-breaking attention (Tan et al., "Scaling stick-breaking attention", ICLR 2025, arXiv 2410.17980):
// the last allowed key takes a share of a stick of length 1, the key before it a share of what is left, and so on.
//
//   beta_s = sigmoid(e_s)          w_s = beta_s prod_(r > s) (1 - beta_r)          sum_s w_s = 1 - prod_s (1 - beta_s)
//
// Under a causal scope the last allowed key is the nearest, so the weights prefer recent words without any position:
// among keys of equal scores the nearest gets the largest weight. Rows sum to at most 1; what is left of the stick is
// read from nowhere. (The paper's queries do not attend to themselves; here the scope decides.) Products of many
// factors below 1 underflow, so everything is computed on logarithms:
//
//   log w_s = -softplus(-e_s) - sum_(r > s) softplus(e_r)
//   since log beta = -softplus(-e) and log(1 - beta) = -softplus(e)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct StickBreakingNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  StickBreakingNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override {
    int64_t S = scores.size(-1);
    if (S == 0) return scores;
    constexpr SoftplusOptions exact{.beta = 1, .threshold = 40};  // beyond it softplus(x) rounds to x
    Variable passed = softplus(scores, exact);                    // -log(1 - beta): 0 for a masked key
    Variable later = pad(slice(passed, -1, 1, S), {{.axis = -1, .after = 1}});
    return exp(-softplus(-scores, exact) - cumsum(later, -1, {.reverse = true}));
  }
  bool rows_sum_to_one() const override { return false; }
};

}  // namespace heed::nn
