// Sentences of different lengths in one tensor: which positions hold words, and which hold padding.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// [B] i64 -> [B, T] bool, true where t < lengths[b]. ValueError for a length below 1 or above T.
Tensor length_mask(const Tensor& lengths, int64_t T);

// The contents of padding must never matter to a value or a gradient, not even NaN or infinity. Padding has the weight
// 0 in every sum, but 0 times NaN is NaN. So every module that receives a padding mask passes its input through this
// function. It returns x, with 0 in place of the padding if any of that is not finite. x is [B, .., S, ..], with the
// positions on `axis`. The padding mask words [B, S] (bool) is false for padding; if undefined, there is no padding.
Variable without_padding(const Variable& x, const Tensor& words, int axis = 1);

}  // namespace heed::nn
