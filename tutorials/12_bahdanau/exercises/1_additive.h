// Exercise 12.1: additive attention for one query.
//
//   e_s = v . tanh(W_q q + W_k h_s)        q [N], h [S, A], W_q [D, N], W_k [D, A], v [D]
//   w   = softmax(e)                       [S]; padding gets exactly 0
//   c   = sum_s w_s h_s                    [A]
//
// Bahdanau, Cho and Bengio, ICLR 2015, appendix A.1.2, without the bias.
#pragma once

#include "autograd/ops.h"

namespace mine {

struct Attended {
  heed::Variable weights, context;  // [S], [A]
};

// The first `words` of the S positions are words; the rest is padding.
Attended additive(const heed::Variable& q, const heed::Variable& h, const heed::Variable& W_q,
                  const heed::Variable& W_k, const heed::Variable& v, int64_t words);

}  // namespace mine
