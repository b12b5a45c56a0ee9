// The random words (32 bits each) of dropout, 32 at a time. Element i of a tensor uses word i of the stream. So all
// kernels drop the same elements, whether they compute whole tensors or tiles, forward or backward.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tensor/kernels/simd.h"

namespace heed {

typedef uint32_t U32x16 __attribute__((vector_size(64)));
typedef uint64_t U64x8 __attribute__((vector_size(64)));
constexpr uint64_t kLowHalf = 0xffffffff;
constexpr int64_t kGroup = 32;  // words: eight blocks of four; each lane of U64x8 computes one block
struct WordGroup {
  U32x16 first, second;  // words 0 to 15, 16 to 31
};

// The 64-bit product of the lower halves of a, and of b < 2^32. Written out, because GCC 12 would use a full 64-bit
// multiplication.
inline U64x8 product_of_words(U64x8 a, uint64_t b) {
#if defined(__AVX512F__)
  return reinterpret_cast<U64x8>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), _mm512_set1_epi64(static_cast<int64_t>(b))));
#else
  return (a & kLowHalf) * b;
#endif
}

// The words of blocks first, ..., first + 7, as philox() of random.h gives them one block at a time. The upper halves
// of c0, ..., c3 are not cleared after each round: no product reads them, and they are cut off at the end.
inline WordGroup philox_group(uint64_t seed, uint64_t first) {
  constexpr uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr U64x8 kLane = {0, 1, 2, 3, 4, 5, 6, 7};
  U64x8 counter = kLane + first, c0 = counter, c1 = counter >> 32, c2 = {}, c3 = {};
  uint64_t k0 = seed & kLowHalf, k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {
    U64x8 p0 = product_of_words(c0, kMul0), p1 = product_of_words(c2, kMul1);
    c0 = (p1 >> 32) ^ c1 ^ k0, c2 = (p0 >> 32) ^ c3 ^ k1;
    c1 = p1, c3 = p0;
    k0 = (k0 + 0x9E3779B9) & kLowHalf, k1 = (k1 + 0xBB67AE85) & kLowHalf;
  }
  // Rearranges from one vector per word of a block to the words of one block after the other.
  U64x8 front = (c0 & kLowHalf) | c1 << 32, back = (c2 & kLowHalf) | c3 << 32;
  return {reinterpret_cast<U32x16>(__builtin_shufflevector(front, back, 0, 8, 1, 9, 2, 10, 3, 11)),
          reinterpret_cast<U32x16>(__builtin_shufflevector(front, back, 4, 12, 5, 13, 6, 14, 7, 15))};
}

// The factor of an element, from its word: 0 (dropped) if the word is below p 2^32, else 1 / (1 - p).
template <class T>
struct DropoutRule {
  explicit DropoutRule(double p)
      : threshold(static_cast<uint32_t>(std::min(p * 4294967296.0, 4294967295.0))),
        keep(static_cast<T>(p < 1 ? 1 / (1 - p) : 0)) {}
  T operator()(uint32_t word) const { return word >= threshold ? keep : T{0}; }
  uint32_t threshold;
  T keep;
};

// The factors for the elements of group `group`, in the stream that begins at block `offset`.
template <int R, class T>
inline void group_factors(const DropoutRule<T>& rule, uint64_t seed, uint64_t offset, int64_t group, T (&to)[kGroup]) {
  WordGroup words = philox_group(seed, offset + 8 * static_cast<uint64_t>(group));
  if constexpr (std::is_same_v<T, float>) {
    uint32_t numbers[kGroup];
    std::memcpy(numbers, &words, sizeof words);
    for (int i = 0; i < kGroup; i += 16)
      store(to + i, where(load<R>(numbers + i) >= rule.threshold, Lanes<float, R>(rule.keep), 0));
  } else {
    for (int64_t i = 0; i < 16; ++i) to[i] = rule(words.first[i]), to[16 + i] = rule(words.second[i]);
  }
}

// The factors of elements first, ..., first + n - 1.
template <int R, class T>
void dropout_factors(const DropoutRule<T>& rule, uint64_t seed, uint64_t offset, int64_t first, int64_t n, T* to) {
  for (int64_t group = first / kGroup; group * kGroup < first + n; ++group) {
    T factors[kGroup];
    group_factors<R>(rule, seed, offset, group, factors);
    int64_t begin = std::max(first, group * kGroup), end = std::min(first + n, (group + 1) * kGroup);
    std::copy(factors + (begin - group * kGroup), factors + (end - group * kGroup), to + (begin - first));
  }
}

}  // namespace heed
