// Exact conversion of the two 16-bit float formats to f32: every value, NaN payloads too, is also an f32 value.
//
// clang-format off
//   F16   1 sign, 5 exponent, 10 mantissa bits (IEEE 754); exponent 0: |value| = mantissa 2^-24
//   BF16  the upper half of an f32
// clang-format on
#pragma once

#include <bit>
#include <cstdint>

namespace heed::io {

inline float widen_bf16(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }

inline float widen_f16(uint16_t h) {
  uint32_t sign = static_cast<uint32_t>(h >> 15) << 31, exponent = h >> 10 & 31u, mantissa = h & 1023u;
  if (exponent == 0) {  // exact: the mantissa has 10 bits, and 2^-24 is far above the smallest normal f32
    auto magnitude = std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
    return std::bit_cast<float>(sign | magnitude);
  }
  uint32_t wide = exponent == 31 ? 255u : exponent + (127 - 15);  // infinities and NaN keep an exponent of all ones
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

}  // namespace heed::io
