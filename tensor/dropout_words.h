// The random words behind dropout, thirty-two at a time, for every kernel that drops: element i of a tensor looks at
// word i of the stream, so whoever drops it, whole or in tiles, forward or again in the backward pass, drops the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/simd.h"

namespace heed {

typedef uint64_t U64x8 __attribute__((vector_size(64)));
constexpr int64_t kGroup = 32;  // words of eight blocks, a block a lane

// The words of blocks first, ..., first + 7, as philox() of random.h gives them one block at a time.
inline void philox_group(uint64_t seed, uint64_t first, uint32_t (&words)[kGroup]) {
  constexpr uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57, kLow = 0xffffffff;
  constexpr U64x8 kLane = {0, 1, 2, 3, 4, 5, 6, 7};
  U64x8 counter = kLane + first, c0 = counter & kLow, c1 = counter >> 32, c2 = {}, c3 = {};
  uint64_t k0 = seed & kLow, k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {
    U64x8 p0 = c0 * kMul0, p1 = c2 * kMul1;  // of 32 bits each: the whole product
    c0 = (p1 >> 32) ^ c1 ^ k0, c2 = (p0 >> 32) ^ c3 ^ k1;
    c1 = p1 & kLow, c3 = p0 & kLow;
    k0 = (k0 + 0x9E3779B9) & kLow, k1 = (k1 + 0xBB67AE85) & kLow;
  }
  for (size_t b = 0; b < 8; ++b) {
    words[4 * b] = static_cast<uint32_t>(c0[b]), words[4 * b + 1] = static_cast<uint32_t>(c1[b]);
    words[4 * b + 2] = static_cast<uint32_t>(c2[b]), words[4 * b + 3] = static_cast<uint32_t>(c3[b]);
  }
}

// What an element with this word is multiplied with: 0 where the word lies below p 2^32, else 1 / (1 - p).
template <class T>
struct DropoutRule {
  explicit DropoutRule(double p)
      : threshold(static_cast<uint32_t>(std::min(p * 4294967296.0, 4294967295.0))),
        keep(static_cast<T>(p < 1 ? 1 / (1 - p) : 0)) {}
  T operator()(uint32_t word) const { return word >= threshold ? keep : T{0}; }
  uint32_t threshold;
  T keep;
};

// The factors of elements first, ..., first + n - 1 of the stream that begins at block `offset`.
template <class T>
void dropout_factors(const DropoutRule<T>& rule, uint64_t seed, uint64_t offset, int64_t first, int64_t n, T* to) {
  for (int64_t group = first / kGroup; group * kGroup < first + n; ++group) {
    uint32_t words[kGroup];
    philox_group(seed, offset + 8 * static_cast<uint64_t>(group), words);
    int64_t begin = std::max(first, group * kGroup), end = std::min(first + n, (group + 1) * kGroup);
    for (int64_t i = begin; i < end; ++i) to[i - first] = rule(words[i - group * kGroup]);
  }
}

}  // namespace heed
