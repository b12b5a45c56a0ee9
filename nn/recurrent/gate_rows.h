// What the fused gate kernels share: access to rows that need not be adjacent in memory, and the rule about zeros.
#pragma once

#include <algorithm>

#include "tensor/kernels/machine.h"
#include "tensor/kernels/vec_math.h"
#include "tensor/tensor.h"

namespace heed::nn {

// A matrix [B, M] whose rows need not be adjacent (for example, one step of a [T, B, M] tensor); within a row the
// elements are adjacent.
struct Rows {
  explicit Rows(const Tensor& t) : tensor(t.strides()[1] == 1 ? t : t.contiguous()), step(tensor.strides()[0]) {}
  template <class T>
  const T* at(int64_t row) const {
    return tensor.data<T>() + row * step;
  }
  Tensor tensor;
  int64_t step;
};

// dx = dy times a slope, in which a dy of exactly 0 stays 0, whatever the slope (autograd/chain_rule.h).
template <class T, int R>
Lanes<T, R> zero_stays(Lanes<T, R> dy, Lanes<T, R> dx) {
  return where(dy == 0, 0, dx);
}

// The smallest number of rows that is worth a thread.
inline int64_t rows_grain(int64_t N) { return std::max<int64_t>(1, 8192 / std::max<int64_t>(N, 1)); }

}  // namespace heed::nn
