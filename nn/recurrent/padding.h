// Sentences of different lengths in one tensor: which positions are words, which are padding.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// [B] i64 -> [B, T] bool, true where t < lengths[b]. ValueError for a length below 1 or above T.
Tensor length_mask(const Tensor& lengths, int64_t T);

// What stands in padding never matters, not even NaN or infinity, neither to a value nor to a gradient. Its weight is 0
// in every sum, but 0 times NaN is NaN; so where a module is told of padding it passes its input through here. Returns
// x, with 0 in place of the padding if something there is not finite. Position s lies on `axis` of x [B, .., S, ..];
// words [B, S] bool is false for padding, undefined: there is none.
Variable without_padding(const Variable& x, const Tensor& words, int axis = 1);

}  // namespace heed::nn
