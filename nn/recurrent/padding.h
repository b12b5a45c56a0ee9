// Sentences of different lengths in one tensor: which positions are words, which are padding.
#pragma once

#include "tensor/tensor.h"

namespace heed::nn {

// [B] i64 -> [B, T] bool, true where t < lengths[b]. ValueError for a length below 1 or above T.
Tensor length_mask(const Tensor& lengths, int64_t T);

}  // namespace heed::nn
