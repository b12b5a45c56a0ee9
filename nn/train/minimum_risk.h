// Minimum risk training (Shen et al., ACL 2016, section 3): the loss is the expected error of translations that the
// model itself proposes (its candidates). So training optimises the measure by which translations are judged, such as
// BLEU, and not the probability of one reference word at a time.
//
//   Q_n = p(y_n)^alpha / sum_m p(y_m)^alpha          over the N candidates of a sentence
//   loss = sum_n Q_n risk_n                          risk: 1 - BLEU, the number of errors, ..
//   dloss / d log p_n = alpha Q_n (risk_n - loss)    a candidate better than the average becomes more probable
//
// alpha sets how sharp Q is: the paper uses 0.005; with 1, Q is the model's own distribution over the candidates. The
// candidates come from beam search or sampling (nn/decode/), without duplicates. Their log p, with gradients, comes
// from teacher forcing. A candidate with log p = -inf does not contribute to the loss. B: sentences, N: candidates
// of each.
#pragma once

#include "autograd/variable.h"
#include "nn/about.h"

namespace heed::nn {

inline constexpr About kAboutMinimumRisk{
    .names = {"D11b", "minimum_risk", "MRT"},
    .formula = "loss = sum_n Q_n risk_n,  Q_n = p(y_n)^alpha / sum_m p(y_m)^alpha over the candidates of a sentence",
    .paper = {"Shen et al., ACL 2016", 2016, 1},
    .idea =
        "The loss is the expected error of the model's own translations, such as 1 - BLEU. A few candidates of each "
        "sentence represent all possible translations. It is used to improve a model that has been trained in the "
        "usual way.",
    .wrong =
        "The probabilities are normalised over the candidates alone. They are raised to a power alpha first, which "
        "decides how much the best candidate dominates.",
    .shapes = "log p [B, N], risk [B, N] -> loss [B]",
    .cost = "N candidates per sentence, each scored once with teacher forcing",
    .own = {"golden_two_candidates", "it_is_the_expected_risk"},
};

struct MinimumRiskOptions {
  double alpha = 0.005;
};

// log_p [B, N], risk [B, N] -> [B]. ShapeError for other shapes; ValueError for an alpha that is not positive.
Variable minimum_risk(const Variable& log_p, const Tensor& risk, const MinimumRiskOptions& options = {});

}  // namespace heed::nn
