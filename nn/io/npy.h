// Writes .npy files: one array, which numpy.load reads. heed itself never reads them.
//
// clang-format off
//   [ \x93NUMPY 1 0 | L: 2 bytes, little-endian | L bytes of a Python dict, padded | the elements ]
//   dict: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 256), }
// clang-format on
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace heed::io {

// Accepts f32, f64, i64 and bool with any strides. The file is written completely or not at all (io::AtomicFile).
void save_npy(const std::string& path, const Tensor& x);

}  // namespace heed::io
