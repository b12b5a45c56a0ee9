// Attention masks say which query may attend to which key. They are bool, with true = allowed; axes of size 1
// broadcast; an undefined mask allows everything. Rows are queries, columns are keys; places.h has their positions.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/places.h"

namespace heed::nn {

Tensor causal_mask(const Places& places);                 // key's position <= query's
Tensor window_mask(const Places& places, int64_t width);  // |distance| <= width: 2 width + 1 keys
// distance = m gap for some |m| <= width: `width` keys on each side, `gap` apart. gap = 1 gives window_mask.
// (Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1.)
Tensor dilated_mask(const Places& places, int64_t width, int64_t gap);
// 1 <= query - key <= width: the `width` keys before the query, without the query itself. The first query has no keys.
Tensor previous_mask(const Places& places, int64_t width);

// The logical and of two masks, either of which may be undefined. If one has rank 4, a mask of rank 3 is [B, T, S], the
// same for all heads.
Tensor both(const Tensor& a, const Tensor& b);

// Brings a mask or a bias to the rank of scores [B, H, T, S]. Rank 2 is [T, S]. Rank 3 is always [B, T, S], the same
// for all heads. A mask with one matrix per head must have rank 4: [1, H, T, S] or [B, H, T, S].
Tensor beside_heads(const Tensor& mask);
Variable beside_heads(const Variable& bias);
// Throws ShapeError, which states that rule, unless `given` (after beside_heads) broadcasts to the shape of the scores.
void require_beside(const char* operation, const char* what, const Shape& given, const Shape& scores);

}  // namespace heed::nn
