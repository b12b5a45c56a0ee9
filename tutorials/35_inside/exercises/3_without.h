// Exercise 35.3: switch a head off.
//
//   y = W [c_1; c_2; ..; c_H]      the heads, one after the other, then the output projection
//
// Without head h, its part of the input of W is 0. All else stays: the other heads are not scaled up, and the weights
// of attention are not changed.
//
// H heads, K width of a head, D = width of the output.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

using Numbers = std::vector<double>;

// contexts [H][K], W [D][H K]; off: the number of the head, from 0. Returns y [D].
Numbers without_head(const std::vector<Numbers>& contexts, const std::vector<Numbers>& W, std::size_t off);

}  // namespace mine
