#include "tensor/kernels/caches.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "tensor/kernels/gemm_kernel.h"

namespace heed {
namespace {

Caches read_caches() {
  Caches c;
#ifdef _SC_LEVEL1_DCACHE_SIZE  // the GNU C library; 0 if the kernel does not know
  auto read = [](int name, int64_t& size) {
    if (long bytes = sysconf(name); bytes > 0) size = bytes;
  };
  read(_SC_LEVEL1_DCACHE_SIZE, c.l1);
  read(_SC_LEVEL2_CACHE_SIZE, c.l2);
#endif
  return c;
}

template <class T>
ProductBlock block_of(const Caches& c) {
  return with_width([&]<int R> { return product_block(c, sizeof(T), kTileRows<R>, kTileVectors<R> * kWidth<T, R>); });
}

struct Known {
  Caches caches;
  ProductBlock f32 = block_of<float>(caches), f64 = block_of<double>(caches);
};
Known& known() {
  static Known k{read_caches()};
  return k;
}

}  // namespace

const Caches& caches() { return known().caches; }
void set_caches(const Caches& other) { known() = Known{other}; }
template <>
const ProductBlock& product_block<float>() {
  return known().f32;
}
template <>
const ProductBlock& product_block<double>() {
  return known().f64;
}

ProductBlock product_block(const Caches& c, int64_t bytes, int64_t rows, int64_t width) {
  double area = 0.75 * static_cast<double>(c.l2) / static_cast<double>(bytes);
  auto depth = static_cast<int64_t>(std::sqrt(0.75 * area));
  depth = std::clamp<int64_t>(std::min(depth, c.l1 / 2 / (rows * bytes)) / 16 * 16, 16, 1024);
  double columns = area / static_cast<double>(depth);
  return {depth, std::max<int64_t>(1, std::lround(columns / static_cast<double>(width)))};
}

}  // namespace heed
