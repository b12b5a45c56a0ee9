// Dropout with the counter-based generator: element i depends on (seed, offset, i) alone, so no mask is stored.
#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/kernels/dropout_words.h"
#include "tensor/kernels/machine.h"
#include "tensor/profile.h"
#include "tensor/row_places.h"

namespace heed {
namespace {

// Calls f(first, n, factors): elements first, ..., first + n - 1 are multiplied by these factors, 1 / (1 - p) or 0.
template <class T, class F>
void for_each_factor(int64_t count, double p, uint64_t seed, uint64_t offset, const F& f) {
  DropoutRule<T> rule(p);
  vectorised_for(0, (count + kGroup - 1) / kGroup, 256, [&]<int R>(int64_t b, int64_t e) {
    for (int64_t group = b; group < e; ++group) {
      T factors[kGroup];
      group_factors<R>(rule, seed, offset, group, factors);
      f(group * kGroup, std::min(kGroup, count - group * kGroup), factors);
    }
  });
}

// The same by place: the factors of the run of elements behind each row are those of the run behind its place.
template <class T, class F>
void for_each_placed_factor(const Shape& shape, const RowPlaces& places, double p, uint64_t seed, uint64_t offset,
                            const F& f) {
  DropoutRule<T> rule(p);
  int64_t n = shape[places.axis], outer = 1, run = 1;
  for (int i = 0; i < places.axis; ++i) outer *= shape[i];
  for (int i = places.axis + 1; i < shape.rank(); ++i) run *= shape[i];
  vectorised_for(0, outer * n, 1 + 8192 / std::max<int64_t>(run, 1), [&]<int R>(int64_t b, int64_t e) {
    T factors[kGroup];
    for (int64_t row = b; row < e; ++row) {
      const int64_t begin = (row / n * places.whole(n) + places.place(row % n, n)) * run;
      for (int64_t i = 0; i < run; i += kGroup) {
        const int64_t count = std::min(kGroup, run - i);
        dropout_factors<R>(rule, seed, offset, begin + i, count, factors);
        f(row * run + i, count, factors);
      }
    }
  });
}

template <class T>
T kept(T x, T factor) {  // a dropped x counts for nothing, even if it is infinite
  return factor == 0 ? T{0} : x * factor;
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

Tensor dropout(const Tensor& x, double p, uint64_t seed, uint64_t offset) {
  return placed_dropout(x, p, seed, offset, {});
}

Tensor placed_dropout(const Tensor& x_, double p, uint64_t seed, uint64_t offset, const RowPlaces& places) {
  require_probability(p);
  Kernel kernel("dropout", x_.count());
  Tensor x = x_.contiguous(), y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "dropout", [&](auto zero) {
    using T = decltype(zero);
    const T* in = x.data<T>();
    T* out = y.data<T>();
    auto write = [in, out](int64_t first, int64_t n, const T* factors) {
      if (n == kGroup)  // a length known at compile time
        for (int64_t i = 0; i < kGroup; ++i) out[first + i] = kept(in[first + i], factors[i]);
      else
        for (int64_t i = 0; i < n; ++i) out[first + i] = kept(in[first + i], factors[i]);
    };
    if (places.fit(x.shape()))
      for_each_placed_factor<T>(x.shape(), places, p, seed, offset, write);
    else
      for_each_factor<T>(x.count(), p, seed, offset, write);
  });
  return y;
}

}  // namespace heed
