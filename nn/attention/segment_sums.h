// For every pair of words, the sum over the words from the one to the other: the log decay between a key s and a later
// query t is such a sum.
//
//   y_ts = x_(s+1) + .. + x_t   for s < t,   0 for s >= t
//
// Each is the sum of its own terms. The difference of two running sums, X_t - X_s, is the same number on paper, but it
// has the rounding errors of everything before word s: in f32, a decay of -0.01 after one of -1e5 becomes -0.0078.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// x [.., S, ..] -> y [.., S, S, ..]: `axis`, that of the words, becomes the axis of t, followed by that of s. S^2
// additions for each sequence.
Variable segment_sums(const Variable& x, int64_t axis);
// The last T of its rows, [.., T, S, ..], as a decoder needs them for its new words: T S additions for each sequence.
Variable segment_sums(const Variable& x, int64_t axis, int64_t last);

}  // namespace heed::nn
