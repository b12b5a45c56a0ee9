// Exercise 15.3: local attention with a predicted centre (local-p), for one query.
//
//   p   = n sigmoid(v . tanh(W q))                        the centre, a real number between 0 and n
//   A   = the words s with |s - round(p)| <= D            the window, without positions outside of the sentence
//   e_s = q . h_s                                         the score
//   u_s = exp(e_s) / sum over r in A of exp(e_r)          the softmax of the window
//   w_s = u_s exp(-(s - p)^2 / (2 sigma^2))               sigma = D / 2; 0 outside A, and not normalised again
//   c   = sum_s w_s h_s                                   the context
//
// S source positions s = 0 .. S - 1: the first n are words, the rest is padding. N the width of the decoder and of the
// encoder outputs. Luong, Pham and Manning, EMNLP 2015, section 3.2, equations 9 and 10, with the dot product as score.
#pragma once

#include "tensor/elementwise.h"
#include "tensor/matmul.h"

namespace mine {

struct Read {
  double centre;                  // p
  heed::Tensor weights, context;  // w [S], c [N]
};

// q [N], h [S, N], W [N, N], v [N], all f64; n words; D >= 1.
Read local_p(const heed::Tensor& q, const heed::Tensor& h, const heed::Tensor& W, const heed::Tensor& v, int64_t n,
             int64_t D);

}  // namespace mine
