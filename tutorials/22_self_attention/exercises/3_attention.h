// Exercise 22.3: self-attention in matrices, one head and then several.
//
//   one head        Q = X W^Q    K = X W^K    V = X W^V
//                   A = softmax(Q K^T / sqrt(N)), by rows, with the score -inf where `allowed` is false
//                   Z = A V
//
//   several heads   Q, K, V as above for all heads at once; split: head h has columns h D/H .. (h + 1) D/H - 1 of each
//                   each head attends on its own, with N = D/H
//                   merge: Z = [Z_1, .., Z_H] side by side;   output = Z W^O
//
// x [T, D] of one sentence, or [B, T, D] of a batch. T words, D width of the model, N width of a head, H heads, B
// batch. allowed[t, s] is true if word t may attend to word s; every word may attend to at least one. Vaswani et al.,
// NeurIPS 2017, sections 3.2.1 and 3.2.2.
#pragma once

#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace mine {

struct Head {
  heed::Tensor weights, context;  // A [T, T], Z [T, N]
};

// x [T, D]; W_q, W_k, W_v [D, N]; allowed bool [T, T]
Head one_head(const heed::Tensor& x, const heed::Tensor& W_q, const heed::Tensor& W_k, const heed::Tensor& W_v,
              const heed::Tensor& allowed);

struct Projections {
  heed::Tensor q, k, v, o;  // W^Q, W^K, W^V, W^O, [D, D] each
};
// x [B, T, D]; H divides D; allowed bool [B, T, T], the same for all heads -> [B, T, D]
heed::Tensor several_heads(const heed::Tensor& x, const Projections& w, int64_t H, const heed::Tensor& allowed);

}  // namespace mine
