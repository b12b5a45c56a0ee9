// Dropout masks from the counter-based generator.
#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/thread_pool.h"

namespace heed {

int64_t dropout_blocks(int64_t count) { return (count + 3) / 4; }

Tensor dropout_mask(const Shape& shape, DType dtype, double p, uint64_t seed, uint64_t offset) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p must lie in [0, 1]; got {}", p));
  Tensor mask = Tensor::empty(shape, dtype);
  int64_t n = mask.count();
  auto threshold = static_cast<uint32_t>(p * 4294967296.0 > 4294967295.0 ? 4294967295.0 : p * 4294967296.0);
  dispatch_float(dtype, "dropout", [&](auto zero) {
    using T = decltype(zero);
    T keep = static_cast<T>(p < 1 ? 1 / (1 - p) : 0), *out = mask.data<T>();
    parallel_for(0, dropout_blocks(n), 2048, [&](int64_t b, int64_t e) {
      for (int64_t block = b; block < e; ++block) {
        auto words = philox(seed, offset + static_cast<uint64_t>(block));
        for (int64_t i = 4 * block; i < std::min(n, 4 * block + 4); ++i)
          out[i] = words[static_cast<size_t>(i % 4)] >= threshold && p < 1 ? keep : T{0};
      }
    });
  });
  return mask;
}

}  // namespace heed
