// Masks: which query may attend to which key. bool, true = allowed; axes of size 1 broadcast; an undefined mask allows
// everything. Rows are queries, columns keys; their places are those of places.h.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/places.h"

namespace heed::nn {

Tensor causal_mask(const Places& places);                 // the key's place <= the query's
Tensor window_mask(const Places& places, int64_t width);  // |distance| <= width: 2 width + 1 keys in all
// distance = m gap for some |m| <= width: `width` keys on each side, `gap` apart. gap = 1 is window_mask.
// (Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1.)
Tensor dilated_mask(const Places& places, int64_t width, int64_t gap);
// 1 <= query - key <= width: the `width` keys before the query, never itself. The first query of all sees nothing.
Tensor previous_mask(const Places& places, int64_t width);

// Allowed by both. Either may be undefined. Beside a mask of rank 4 one of rank 3 is [B, T, S], the same for all heads.
Tensor both(const Tensor& a, const Tensor& b);

// A mask, or a bias, beside scores [B, H, T, S]. One rule for both: of rank 3 it is [B, T, S], the same for all heads,
// whatever the sizes are; one for each head has rank 4, [1, H, T, S] or [B, H, T, S]. Of rank 2 it is [T, S].
Tensor beside_heads(const Tensor& mask);
Variable beside_heads(const Variable& bias);
// ShapeError, with that rule, unless `given` (after beside_heads) broadcasts to the scores' shape.
void require_beside(const char* operation, const char* what, const Shape& given, const Shape& scores);

}  // namespace heed::nn
