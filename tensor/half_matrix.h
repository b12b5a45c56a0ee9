// A matrix of weights W [N, K] that stays in 16 bits: half the memory, and half the time of a product that only waits
// for memory, as when a model writes word by word.
//
// Every number of bf16 (the upper half of an f32) and of f16 (IEEE 754) is also an f32. The kernel widens W while it
// reads it, and multiplies and adds in f32, so the product has the same bits as that of the widened matrix.
//
// clang-format off
//   strip 0                 strip 1         64 columns of W^T at a time: one thread reads a strip
//   k = 0   64 numbers      ..              from its first number to its last, and the sums of
//   k = 1   64 numbers                      64 columns stay in registers
//   ..
// clang-format on
//
// A parameter that is such a matrix is represented by its `stand_in`, a tensor of the right shape whose elements are
// all NaN, and whose memory is one column. linear() and embedding() find the matrix behind it; anything else reads NaN.
// They read NaN, too, if they get its transpose: that of a square matrix has the same shape, but other strides.
#pragma once

#include <memory>

#include "tensor/tensor.h"

namespace heed {

enum class HalfFormat : uint8_t { bf16, f16 };

// A matrix [N, K] of 16-bit numbers in somebody's memory: element [n, k] is data[n row + k column].
struct HalfNumbers {
  HalfFormat format;
  const uint16_t* data;
  int64_t N, K, row, column;
};

class HalfMatrix {
 public:
  // Keeps w [N, K] f32, of any strides, N and K at least 2, if all its elements are finite numbers
  // of one format; else null.
  static std::shared_ptr<const HalfMatrix> of(const Tensor& w);
  static std::shared_ptr<const HalfMatrix> of(const HalfNumbers& w);  // a copy of them; null as above
  // The matrix that this tensor stands for, or null. It must outlive its use.
  static const HalfMatrix* behind(const Tensor& w);
  ~HalfMatrix();
  HalfMatrix(const HalfMatrix&) = delete;
  HalfMatrix& operator=(const HalfMatrix&) = delete;

  const Tensor& stand_in() const { return stand_in_; }  // [N, K]
  HalfFormat format() const { return format_; }
  Tensor product(const Tensor& x) const;   // x W^T:   x [.., K] f32 -> [.., N]. ShapeError for another K
  Tensor rows(const Tensor& index) const;  // W[index]: i64 [..] -> [.., K]. IndexError for one out of range
  Tensor widened() const;                  // [N, K] f32

 private:
  HalfMatrix(HalfFormat format, int64_t N, int64_t K);  // of zeros
  HalfFormat format_;
  int64_t N_, K_;
  Tensor stand_in_, strips_;  // strips_: memory for 16-bit numbers
};

// Widening by the portable formula, which kernels use where the processor has no instruction for it.
float widened_f16(uint16_t bits);  // of a finite number
// What the kernels do with 16 numbers: the instruction where the build has it.
void widen_16(HalfFormat format, const uint16_t* from, float* to);

}  // namespace heed
