// Exercise 24.1: norm first.
//
//   x <- x + attention(norm1(x))
//   x <- x + feed_forward(norm2(x))
//
// The layer of the paper's text is norm last: x <- norm(x + f(x)) (Vaswani et al., NeurIPS 2017, section 3.1).
// Norm first: Xiong et al., ICML 2020.
#pragma once

#include "autograd/ops.h"
#include "nn/transformer/transformer.h"

namespace mine {

// l has (*self_attn)(x).output, feed_forward(x), norm1(x) and norm2(x). x [B, T, D] -> [B, T, D]; no mask, no dropout.
heed::Variable layer(const heed::nn::TransformerLayer& l, heed::Variable x);

}  // namespace mine
