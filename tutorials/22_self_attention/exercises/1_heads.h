// Exercise 22.1: cut into heads.
//
//   x [B, T, D] -> [B, H, T, D/H]        head h gets columns h D/H .. (h + 1) D/H - 1 of every word
//
// Vaswani et al., NeurIPS 2017, section 3.2.2. B batch, T words, D width of the model, H heads.
#pragma once

#include "tensor/elementwise.h"

namespace mine {

heed::Tensor cut(const heed::Tensor& x, int64_t H);

}  // namespace mine
