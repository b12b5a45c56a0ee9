// Stick-breaking attention ("Scaling stick-breaking attention"). Under a causal scope the last allowed key is the
// nearest. sum_s w_s = 1 - prod_s (1 - beta_s). (The paper's queries do not attend to themselves; here the scope
// decides.) In logarithms:
//
//   log w_s = -softplus(-e_s) - sum_(r > s) softplus(e_r)
//   since log beta = -softplus(-e) and log(1 - beta) = -softplus(e)
#pragma once

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct StickBreakingNormaliser final : Normaliser {
  static constexpr About about{
      .names = {"B13", "stick_breaking", "stick-breaking"},
      .formula = "w_s = beta_s prod_(r > s) (1 - beta_r), beta = sigmoid(e)",
      .paper = {"Tan et al., ICLR 2025", 2025, 4},
      .idea =
          "The whole weight is divided like a stick of length one: the nearest key breaks off a share, the next key a "
          "share of the rest, and so on. The weights depend on the order of the keys, so no positions are needed. The "
          "rest that is left after the last key is not used, so a row may sum to less than one.",
      .wrong =
          "The product runs over the keys that are nearer to the query. It must be computed as a sum of logarithms, or "
          "it underflows.",
      .shapes = "e [.., S] -> w [.., S]",
      .cost = "3 B T S exponentials and a running sum",
      .own = {"the_rest_of_the_stick_is_left", "a_sure_key_is_copied", "small_sticks_keep_their_digits"},
      .exempt = {{"constant_values_are_read", "rows sum to at most 1, and the context is as much of the value"},
                 {"keys_may_be_permuted", "the weight of a key depends on the keys beside it"},
                 kWeightsAreAbsolute,
                 {"rows_sum_to_one", "rows sum to at most 1"}},
  };

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
