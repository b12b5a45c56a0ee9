// Sentences of different lengths in one tensor: which positions hold words, and which hold padding.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// [B] i64 -> [B, T] bool, true where t < lengths[b]. ValueError for a length below 1 or above T.
Tensor length_mask(const Tensor& lengths, int64_t T);

// The contents of padding must never matter to a value or a gradient: not NaN or infinity, and not a number so large
// that a product with it overflows. Padding has the weight 0 in every sum, but 0 times infinity is NaN. So every module
// that receives a padding mask passes its input through one of these functions. If all numbers in the padding are
// ordinary (0, or of a size between 1e-15 and 10), they return the values of x without copying them. Otherwise they
// return x with 0 in place of the padding.
//
// x is [B, .., S, ..], with the positions on `axis`. The padding mask words [B, S] (bool) is false for padding; if
// undefined, there is no padding.
Variable without_padding(const Variable& x, const Tensor& words, int axis = 1);
// The same for the keys or values of attention, x [.., S, D], where padding is each key that no query may attend to.
// The attention mask `allowed` (bool) is broadcastable to [.., T, S]; if undefined, there is no padding.
Variable without_unread(const Variable& x, const Tensor& allowed);

}  // namespace heed::nn
