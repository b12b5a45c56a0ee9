// Exercise 24.4: a whole encoder, norm first, from its parameters.
//
//   norm(x)       (x - mean) / sqrt(variance + 1e-5) * weight + bias             over the D numbers of each position
//   attention(x)  q, k, v = x W_q^T + b_q, ..                                    [B, T, D] each
//                 cut into H heads of width K = D / H                            [B, H, T, K]
//                 softmax(q k^T / sqrt(K), no weight on padding) v               [B, H, T, K]
//                 heads side by side again, times W_o^T, plus b_o                [B, T, D]
//   feed_forward(x)   W_2 relu(W_1 x + b_1) + b_2                                each position alone
//   layer(x)      y = x + attention(norm1(x));   y + feed_forward(norm2(y))
//   encoder(x)    layer 1, then layer 2 on its output, .., then one more norm
//
// B sentences, T positions, D width, F feed-forward width. Attention: Vaswani et al., NeurIPS 2017, section 3.2.2; norm
// first: Xiong et al., ICML 2020. No dropout. The operations of autograd/ops.h are enough; layer_norm is not needed.
#pragma once

#include <vector>

#include "autograd/ops.h"

namespace mine {

using heed::Tensor;
using heed::Variable;

struct Affine {
  Variable weight, bias;  // of a projection: [out, in] and [out]; of a norm: [D] and [D]
};
struct Parameters {
  int64_t heads;                     // H
  Affine query, key, value, output;  // W_q, W_k, W_v, W_o [D, D]
  Affine first, second;              // W_1 [F, D], W_2 [D, F]
  Affine norm1, norm2;
};

Variable norm(const Affine& p, const Variable& x);  // [.., D] -> [.., D]
// x [B, T, D], lengths [B] i64: sentence b has lengths[b] words, and the positions after them are padding.
Variable attention(const Parameters& p, const Variable& x, const Tensor& lengths);    // -> [B, T, D]
Variable feed_forward(const Affine& first, const Affine& second, const Variable& x);  // [.., D] -> [.., D]
Variable layer(const Parameters& p, const Variable& x, const Tensor& lengths);        // -> [B, T, D]
Variable encoder(const std::vector<Parameters>& layers, const Affine& last, const Variable& x, const Tensor& lengths);

}  // namespace mine
