// Contrastive training with in-batch negatives: of all sentences of a batch, find the one that means the same.
//
//   s_ij = cos(a_i, b_j) / tau                                             a, b [B, D] -> s [B, B]
//   loss = -1/B sum_i log softmax_j(s_i.)_i                                a_i looks for its b_i
//   symmetric: the mean of that and of the same for the columns            b_i looks for its a_i too
//
// The other B - 1 sentences of the batch serve as wrong answers, for nothing: a larger batch is a harder question.
// The multiple negatives ranking loss (Henderson et al., 2017, section 4.4) with the cosine, which is InfoNCE (van den
// Oord et al., 2018); sentence-transformers multiplies by a scale of 20, that is tau = 0.05, one way only. The loss of
// B equal sentences is log B. Smooth wherever no vector is 0.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// x / |x|, row by row: [.., D] -> [.., D]. A row of zeros stays one.
Variable unit_rows(const Variable& x);

struct ContrastiveOptions {
  double temperature = 0.05;  // tau
  bool symmetric = false;
};
// ShapeError unless a and b are [B, D]; ValueError for a temperature that is not positive.
Variable contrastive_loss(const Variable& a, const Variable& b, const ContrastiveOptions& options = {});

}  // namespace heed::nn
