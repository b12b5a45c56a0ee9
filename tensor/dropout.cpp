// Dropout from the counter-based generator: element i depends on (seed, offset, i) alone, so no mask is kept.
#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/profile.h"
#include "tensor/simd.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

typedef uint64_t U64x8 __attribute__((vector_size(64)));
constexpr int64_t kGroup = 32;  // words of eight blocks, a block a lane

// The words of blocks first, ..., first + 7, as philox() of random.h gives them one block at a time.
void philox_group(uint64_t seed, uint64_t first, uint32_t (&words)[kGroup]) {
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

// f(first, n, factors): what elements first, ..., first + n - 1 are multiplied with, 1 / (1 - p) or 0.
template <class T, class F>
void for_each_factor(int64_t count, double p, uint64_t seed, uint64_t offset, const F& f) {
  double bound = p * 4294967296.0;
  auto threshold = static_cast<uint32_t>(std::min(bound, 4294967295.0));
  T keep = static_cast<T>(p < 1 ? 1 / (1 - p) : 0);
  parallel_for(0, (count + kGroup - 1) / kGroup, 256, [&](int64_t b, int64_t e) {
    for (int64_t group = b; group < e; ++group) {
      uint32_t words[kGroup];
      philox_group(seed, offset + 8 * static_cast<uint64_t>(group), words);
      T factors[kGroup];
      for (int64_t i = 0; i < kGroup; ++i) factors[i] = words[i] >= threshold ? keep : T{0};
      f(group * kGroup, std::min(kGroup, count - group * kGroup), factors);
    }
  });
}

void require_probability(double p) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p must lie in [0, 1]; got {}", p));
}

}  // namespace

int64_t dropout_blocks(int64_t count) { return (count + 3) / 4; }

Tensor dropout_mask(const Shape& shape, DType dtype, double p, uint64_t seed, uint64_t offset) {
  require_probability(p);
  Tensor mask = Tensor::empty(shape, dtype);
  dispatch_float(dtype, "dropout", [&](auto zero) {
    using T = decltype(zero);
    T* out = mask.data<T>();
    for_each_factor<T>(mask.count(), p, seed, offset, [out](int64_t first, int64_t n, const T* factors) {
      std::copy(factors, factors + n, out + first);
    });
  });
  return mask;
}

Tensor dropout(const Tensor& x_, double p, uint64_t seed, uint64_t offset) {
  require_probability(p);
  Kernel kernel("dropout", x_.count());
  Tensor x = x_.contiguous(), y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "dropout", [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.data<T>();
    for_each_factor<T>(x.count(), p, seed, offset, [in, out](int64_t first, int64_t n, const T* factors) {
      for (int64_t i = 0; i < n; ++i) out[first + i] = in[first + i] * factors[i];
    });
  });
  return y;
}

}  // namespace heed
