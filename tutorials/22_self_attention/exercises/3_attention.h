// Exercise 22.3: self-attention in matrices, one head and then several.
//
//   one head        Q = X W^Q    K = X W^K    V = X W^V
//                   A = softmax(Q K^T / sqrt(N)), by rows, with the score -inf where `allowed` is false
//                   Z = A V
//
//   several heads   Q = X W^Q    K = M W^K    V = M W^V       for all heads at once; in self-attention M is X
//                   split: head h has columns h D/H .. (h + 1) D/H - 1 of each; it attends on its own, with N = D/H
//                   merge: Z = [Z_1, .., Z_H] side by side;   output = Z W^O
//
// x [T, D] of one sentence, or [B, T, D] of a batch; m [B, S, D], the words that are read. T and S words, D width of
// the model, N width of a head, H heads, B batch. allowed[t, s] is true if word t may attend to word s; every word may
// attend to at least one. one_head is made of tensors, several_heads of variables, so that it can be trained. Vaswani
// et al., NeurIPS 2017, sections 3.2.1 and 3.2.2.
#pragma once

#include "autograd/ops.h"
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
  heed::Variable q, k, v, o;  // W^Q, W^K, W^V, W^O, [D, D] each
};
// x [B, T, D], m [B, S, D]; H divides D; allowed bool [B, T, S], the same for all heads -> [B, T, D]
heed::Variable several_heads(const heed::Variable& x, const heed::Variable& m, const Projections& w, int64_t H,
                             const heed::Tensor& allowed);

}  // namespace mine
