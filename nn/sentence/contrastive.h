// Contrastive training with in-batch negatives: among all sentences of a batch, find the one with the same meaning.
//
// clang-format off
//   s_ij = cos(a_i, b_j) / tau                                       a, b [B, D] -> s [B, B]
//   loss = -1/B sum_i log softmax_j(s_i.)_i                          each a_i must find its b_i
//   symmetric: the mean of this loss and the same over the columns   each b_i its a_i too
// clang-format on
//
// The other B - 1 sentences of the batch are the wrong answers, at no extra cost; a larger batch makes the task harder.
// This is the multiple negatives ranking loss (Henderson et al., 2017, section 4.4) with the cosine, which is InfoNCE
// (van den Oord et al., 2018). sentence-transformers multiplies by a scale of 20, which is tau = 0.05, and is not
// symmetric. If all sentences of a batch are equal, the loss is log B. It is smooth wherever no vector is 0.
#pragma once

#include "nn/norm.h"

namespace heed::nn {

struct ContrastiveOptions {
  double temperature = 0.05;  // tau
  bool symmetric = false;
};
// ShapeError unless a and b are [B, D]; ValueError for a temperature that is not positive.
Variable contrastive_loss(const Variable& a, const Variable& b, const ContrastiveOptions& options = {});

}  // namespace heed::nn
