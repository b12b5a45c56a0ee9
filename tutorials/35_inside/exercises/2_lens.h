// Exercise 35.2: the logit lens (nostalgebraist, 2020). What would the model say if it stopped after this layer?
//
//   h_i = g_i x_i / sqrt(mean_j x_j^2 + e)     the final norm, RMSNorm
//   z   = W h                                  the head of words
//   p   = softmax(z)
//
// D width, V words.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Numbers = std::vector<double>;

// x [D] after some layer, g [D] the gains of the final norm, W [V][D]; returns p [V].
Numbers lens(const Numbers& x, const Numbers& g, const std::vector<Numbers>& W, double eps);

}  // namespace mine
