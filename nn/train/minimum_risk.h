// Minimum risk training (Shen et al., ACL 2016, eqs. 8 and 10): the loss is the expected error of the model's own
// candidates, so that training sees what translation will be judged by, and not one true word at a time.
//
//   Q_n = p(y_n)^alpha / sum_m p(y_m)^alpha          over the N candidates of a sentence
//   loss = sum_n Q_n risk_n                          risk: 1 - BLEU, the number of errors, ..
//   dloss / d log p_n = alpha Q_n (risk_n - loss)    a candidate better than the average becomes more probable
//
// alpha says how sharp Q is: the paper's is 0.005, 1 is the model's own distribution over the candidates. Candidates
// come from beam search or sampling (nn/decode/), without duplicates; their log p with gradients from teacher forcing.
// A candidate of log p = -inf has no part in the loss. B sentences, N candidates of each.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct MinimumRiskOptions {
  double alpha = 0.005;
};

// log_p [B, N], risk [B, N] -> [B]. ShapeError for other shapes; ValueError for an alpha that is not positive.
Variable minimum_risk(const Variable& log_p, const Tensor& risk, const MinimumRiskOptions& options = {});

}  // namespace heed::nn
