// Running maxima and running log-sums: what keeps sums of exponentials in range, when their exponents are learned.
//
//   m_t = max(l_t + m_(t-1), x_t)                    the largest exponent so far, where everything decays by e^l
//   z_t = log(e^(z_(t-1)) + e^(x_t))                 the logarithm of the sum so far
//
// Both are scans: words are combined in pairs, then pairs of pairs, so that T words need log2 T rounds and not T steps
// (Blelloch, "Prefix sums and their applications", 1990). Where nothing has been seen, the result is -inf, and so is x
// at padding. B batch, H heads, T words, M numbers of each head.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// x [B, H, T, M], decay l of the same shape -> [B, H, T, M]; `before` [B, H, 1, M] is that of the word before the
// first, undefined: none.
Variable running_maximum(const Variable& x, const Variable& decay, const Variable& before);
Variable running_log_sum(const Variable& x, const Variable& before);

// What it was one word earlier: `before`, or -inf, and then that of all words but the last.
Variable one_word_earlier(const Variable& running, const Variable& before);
// -inf replaced by 0: a scale for sums to which nothing has been added yet.
Variable finite_scale(const Variable& running);
// earlier + decay - running, a log decay that is never above 0; 0 where nothing had been added before.
Variable rescaled(const Variable& earlier, const Variable& running, const Variable& decay = {});

}  // namespace heed::nn
