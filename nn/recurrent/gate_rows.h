// What the fused gate kernels share: rows that may stand apart.
#pragma once

#include <algorithm>

#include "tensor/kernels/vec_math.h"
#include "tensor/tensor.h"

namespace heed::nn {

// [B, M]. Rows may stand apart (a slice of all time steps); elements of a row are neighbours.
struct Rows {
  explicit Rows(const Tensor& t) : tensor(t.strides()[1] == 1 ? t : t.contiguous()), step(tensor.strides()[0]) {}
  template <class T>
  const T* at(int64_t row) const {
    return tensor.data<T>() + row * step;
  }
  Tensor tensor;
  int64_t step;
};

inline int64_t rows_grain(int64_t N) { return std::max<int64_t>(1, 8192 / std::max<int64_t>(N, 1)); }  // worth a thread

}  // namespace heed::nn
