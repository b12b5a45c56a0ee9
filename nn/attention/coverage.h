// The coverage loss (See et al., eqs. 10 and 12) penalises attention to source words that have already received
// attention; coverage as a statistic of attention is Tu's. The first step has the loss 0. If the rows of a sum to 1,
// every later step has a loss between 0 (attention only to words without attention so far) and 1 (for example, the
// previous step's distribution again). Both a and c have gradients.
#pragma once

#include "autograd/variable.h"
#include "nn/about.h"

namespace heed::nn {

inline constexpr About kAboutCoverageLoss{
    .names = {"D5", "coverage_loss", "coverage mechanism"},
    .formula = "c_t = sum_{t' < t} a_t',  loss_t = sum_s min(a_ts, c_ts)",
    .paper = {"Tu et al., ACL 2016; See, Liu and Manning, ACL 2017", 2016, 2},
    .idea =
        "A running sum, the coverage, records how much attention each source word has received so far. The loss "
        "increases if a step attends again to a word that is already covered. So the decoder repeats itself less.",
    .wrong =
        "The coverage is the sum over the previous steps, without the present one. Updating it in place destroys "
        "values that the backward pass needs.",
    .shapes = "a [B, T, S] -> loss [B, T]",
    .cost = "B T S sums and minima",
    .own = {"golden_coverage_loss", "coverage_lies_between_0_and_1"},
};

// The loss of each step: weights [B, T, S] -> [B, T]
Variable coverage_loss(const Variable& weights);
// The mean over the steps for which `steps` [B, T] is true; 0 if there is none.
Variable mean_coverage_loss(const Variable& weights, const Tensor& steps);

}  // namespace heed::nn
