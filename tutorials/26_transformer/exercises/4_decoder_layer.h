// Exercise 26.4: a layer of the decoder, norm first.
//
//   x <- x + self_attention(norm1(x))           the words so far
//   x <- x + cross_attention(norm2(x), m)       the source: queries from x, keys and values from m
//   x <- x + feed_forward(norm3(x))             each word alone
//
// The sub-layers are given as functions, with their masks in them: in ./heed translate --mine they are your own, of
// exercises 22.3, 24.4 and 26.1. x [B, T, D] the words of the target, m [B, S, D] the output of the encoder, which has
// been normalised already. Vaswani et al., NeurIPS 2017, section 3.1; norm first: Xiong et al., ICML 2020. No dropout.
#pragma once

#include <functional>

#include "autograd/ops.h"

namespace mine {

struct SubLayers {
  using Each = std::function<heed::Variable(const heed::Variable& x)>;
  using Read = std::function<heed::Variable(const heed::Variable& x, const heed::Variable& m)>;
  Each norm1, norm2, norm3, self_attention;
  Read cross_attention;
  Each feed_forward;
};

heed::Variable decoder_layer(const SubLayers& l, heed::Variable x, const heed::Variable& m);  // -> [B, T, D]

}  // namespace mine
