// Exercise 08.3: truncated backpropagation through time.
//
// A text of a million symbols cannot be one graph. So the network reads `window` steps, goes backward through them, and
// carries its last state into the next window as a constant: the state keeps its value, but no gradient flows through
// it.
//
//   states      h_1 .. h_w | h_w+1 .. h_2w | ..           the same values as without the bars
//   gradients   do not cross a bar
//
// Williams and Peng, Neural Computation 1990.
#pragma once

#include "autograd/ops.h"

namespace mine {

// The state with which step t begins, t = 0, 1, ..  h: the state after step t - 1.
heed::Variable begin_step(const heed::Variable& h, int64_t t, int64_t window);

}  // namespace mine
