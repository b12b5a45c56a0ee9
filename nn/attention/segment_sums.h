// Sums over all runs of words between two words, as decays between a key and a later query need them:
//
//   y_ts = x_(s+1) + .. + x_t   for s <= t (0 for s = t),   0 for later s
//
// Each is the sum of its own terms. The difference of two running sums, X_t - X_s, is the same number on paper, but it
// has the rounding errors of everything before word s: after a decay of -1e5 nothing is left of -0.01.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// x [.., T, ..] -> y [.., T, T, ..]: the axis of the words becomes t, and the one after it s. T^2 additions.
Variable segment_sums(const Variable& x, int64_t axis);

}  // namespace heed::nn
