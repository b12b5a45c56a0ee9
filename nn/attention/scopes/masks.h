// Masks: who may look at whom. bool, true = allowed; axes of size 1 broadcast; an undefined mask allows everything.
//
// Rows are queries, columns keys. Query i stands at the position `first + i`: with a cache of what came before, or in a
// decoder that goes step by step, the queries begin later than the keys.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct MaskShape {
  int64_t queries, keys;
  int64_t first = 0;  // position of query 0 among the keys
};

Tensor causal_mask(const MaskShape& shape);                 // j <= first + i: itself and what stands before it
Tensor window_mask(const MaskShape& shape, int64_t width);  // |first + i - j| <= width: 2 width + 1 keys in all
// first + i - j = m g for some |m| <= width: `width` keys on each side, each g apart. g = 1 is window_mask.
// (Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1.)
Tensor dilated_mask(const MaskShape& shape, int64_t width, int64_t gap);
// 1 <= first + i - j <= width: the `width` keys before the query, never itself. The first query of all sees nothing.
Tensor previous_mask(const MaskShape& shape, int64_t width);

// Allowed by both. Either may be undefined.
Tensor both(const Tensor& a, const Tensor& b);

// A mask, or a bias, beside scores [B, H, T, S]. One rule for both: of rank 3 it is [B, T, S], the same for all heads,
// whatever the sizes are; one for each head has rank 4, [1, H, T, S] or [B, H, T, S]. Of rank 2 it is [T, S].
Tensor beside_heads(const Tensor& mask);
Variable beside_heads(const Variable& bias);
// ShapeError, with that rule, unless `given` (after beside_heads) broadcasts to the scores' shape.
void require_beside(const char* operation, const char* what, const Shape& given, const Shape& scores);

}  // namespace heed::nn
