#include "tensor/range.h"

#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed {

double least_sum(DType dtype, int64_t n) {
  double smallest = dtype == DType::f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  return smallest * static_cast<double>(n);
}

Tensor largest_out_of_range(const Tensor& x, const Tensor& sum, const Dims& axes, double least) {
  return dispatch_float(x.dtype(), "largest_out_of_range", [&](auto zero) {
    using T = decltype(zero);
    auto lost = [low = static_cast<T>(least)](T s) { return !(std::isfinite(s) && s >= low); };
    const T* s = sum.data<T>();
    if (x.count() == 0 || std::none_of(s, s + sum.count(), lost)) return Tensor();
    Tensor most = amax(abs(x), axes, /*keep=*/true);
    T* m = most.data<T>();
    bool any = false;
    for (int64_t i = 0; i < most.count(); ++i) {
      bool rescued = lost(s[i]) && m[i] > 0 && std::isfinite(m[i]);
      if (!rescued) m[i] = 1;
      any = any || rescued;
    }
    return any ? most : Tensor();
  });
}

Tensor unit_of(const Tensor& x) {
  if (!x.defined()) return x;
  Tensor u = x.clone();
  dispatch_float(x.dtype(), "unit_of", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < u.count(); ++i) u.data<T>()[i] = unit_of(u.data<T>()[i]);
  });
  return u;
}

}  // namespace heed
