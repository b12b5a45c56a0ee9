// Exercise 29.2: the gradient of attention pooling over embeddings, by hand.
//
//   s_i = q . x_i,   w = softmax(s),   z_i = u . x_i,   y = sum_i w_i z_i
//   g_i = |x_i . dy/dx_i|
//
// x_i acts on y twice: through z_i, and through all weights. If constant_weights is true, the weights are held constant
// and the second way is left out. Derive dy/dx_i; the derivative of the softmax is dw_j/ds_i = w_j ([i = j] - w_i).
//
// x has T words of D numbers each; q and u have D numbers. The result has T numbers.
//
// Jain and Wallace, NAACL 2019, algorithm 1 (weights held constant).
#pragma once

#include <vector>

namespace mine {

using Vector = std::vector<double>;
Vector importance(const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant_weights);

}  // namespace mine
