// Exercise 11.3: leave one out.
//
//   f(x_i) = sum over j != i of w_ij y_j          w_i = softmax over j != i of -(x_i - x_j)^2 / (2 s^2)
//
// The width s of a kernel is chosen by predicting each point from the others. Without a mask each point finds itself
// among the keys, at distance 0, and the width 0 looks best.
//
// Stone, Journal of the Royal Statistical Society B, 1974 (cross-validation).
#pragma once

#include "tensor/tensor.h"

namespace mine {

// The attention mask: bool [1, N, N], true where query i (row) may attend to key j (column).
heed::Tensor mask(int64_t N);

}  // namespace mine
