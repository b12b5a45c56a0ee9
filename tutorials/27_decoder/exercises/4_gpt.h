// Exercise 27.4: a small GPT, put together from its parts.
//
//   x = sqrt(D) E[ids] + P                   one row of E [V, D] for each word; P the rows of its positions
//   for each layer:
//     x <- x + attention(norm1(x))           causal: the mask is in it
//     x <- x + feed_forward(norm2(x))
//   logits = norm(x) E^T                     E once more: the score of each word is its product with x
//
// The parts of a layer are given as functions: in ./heed generate --mine they are your own, of exercises 22.3, 24.4 and
// 27.3, and P is that of 23.4. B rows, T words, D width, V vocabulary. Radford et al., GPT-2, 2019 (norm first); the
// root and the tied matrix: Vaswani et al., NeurIPS 2017, section 3.4. No dropout.
#pragma once

#include <functional>
#include <vector>

#include "autograd/ops.h"

namespace mine {

struct GptLayer {
  using Each = std::function<heed::Variable(const heed::Variable& x)>;  // [B, T, D] -> [B, T, D]
  Each norm1, attention, norm2, feed_forward;
};
struct Gpt {
  heed::Variable words;      // E [V, D]
  heed::Variable positions;  // P [B, T, D]
  std::vector<GptLayer> layers;
  GptLayer::Each norm;  // the last one
};

heed::Variable gpt(const Gpt& g, const heed::Tensor& ids);  // ids [B, T] i64 -> logits [B, T, V]

}  // namespace mine
