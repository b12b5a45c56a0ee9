// The product C (+)= A B of f32 matrices with A and B rounded to bf16: the upper half of an f32, with the same 8 bits
// of exponent and 8 significant bits instead of 24. The product of two such numbers is exact in f32, and the sums are
// f32. Two of them fit where one f32 was, and AVX512-BF16 adds two products to each sum in one instruction.
//
//   s = 0;  for k = 0, 2, 4, .. :  s = fl(s + a[k + 1] b[k + 1]);  s = fl(s + a[k] b[k])      the order of VDPBF16PS
//
//   a, b   numbers of a row of A and of a column of B, rounded to the nearest bf16, ties to even; if K is odd, a zero
//          follows. NaN and infinities stay. A number below the normal range (2^-126) becomes zero of the same sign.
//   fl     rounds to the nearest f32, ties to even; a result below the normal range becomes zero, too
//   s      after 512 numbers (kBf16Chain) s is added to C, and the next s begins at zero
//
// Intel, "Instruction set extensions programming reference", VDPBF16PS; Kalamkar et al., "A study of bfloat16 for deep
// learning training" (arXiv:1905.12322). On processors without the instruction the same sums are emulated: the
// same bits (except for those of a NaN), about twenty times slower than f32. The number of threads changes no bit.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/kernels/gemm.h"

namespace heed {

constexpr int64_t kBf16Chain = 512;

inline uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x), size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);    // NaN: 0x40 keeps it one
  if (size < 0x00800000u) return static_cast<uint16_t>(bits >> 16 & 0x8000u);  // below the normal range
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);    // a carry may lead to infinity
}
inline float from_bf16(uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); }

bool has_bf16_products();  // whether this processor has the instruction

void gemm_bf16(int64_t M, int64_t N, int64_t K, MatrixView<const float> a, MatrixView<const float> b,
               MatrixView<float> c, bool accumulate, bool emulate = !has_bf16_products());

}  // namespace heed
