// Tensors as text for people: one number format per tensor, aligned columns, the middle of long axes elided, dtype and
// shape at the end.
//
//   [[ 1.0000, -2.5000,  0.1250],
//    [ 0.0000,  4.0000, 10.0000]]  f32 [2, 3]
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace heed {

struct PrintOptions {
  int precision = 4;        // digits after the point (or significant digits in scientific form)
  int edge = 3;             // elements shown at each end of an elided axis
  int64_t threshold = 200;  // tensors with more elements than this are elided
};
std::string to_string(const Tensor& t, const PrintOptions& options = {});

}  // namespace heed
