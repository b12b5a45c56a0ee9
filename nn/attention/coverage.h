// The coverage loss (See, Liu and Manning, ACL 2017, eqs. 10 and 12): what it costs to attend again to what the steps
// before attended to already.
//
//   c_t    = sum_{t' < t} a_t'           the coverage: how much attention each source word has received     [B, T, S]
//   loss_t = sum_s min(a_ts, c_ts)                                                                          [B, T]
//
// c_0 = 0, so the first step costs nothing. Where the rows of a sum to 1 every later step costs between 0 (only words
// that no step attended to) and 1 (the same distribution again). Both a and c have gradients. Coverage as a statistic
// of attention is from Tu et al., ACL 2016. B batch, T target words, S source words.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// The loss of each step: weights [B, T, S] -> [B, T]
Variable coverage_loss(const Variable& weights);
// The mean over the steps that count, where `steps` [B, T] is true; 0 if none does.
Variable mean_coverage_loss(const Variable& weights, const Tensor& steps);

}  // namespace heed::nn
