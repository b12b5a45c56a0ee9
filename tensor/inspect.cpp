// Questions about all elements at once: is there a NaN, are two tensors the same, how far are they apart?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tensor/elementwise.h"

namespace heed {

bool all_finite(const Tensor& x) { return first_not_finite(x, true) < 0; }

int64_t first_not_finite(const Tensor& x, bool infinities) {
  if (!is_float(x.dtype())) return -1;
  Tensor dense = x.contiguous();
  return dispatch_float(x.dtype(), "first_not_finite", [&](auto zero) {
    using T = decltype(zero);
    const T* p = dense.data<T>();
    for (int64_t i = 0, n = x.count(); i < n; ++i)
      if (std::isnan(p[i]) || (infinities && std::isinf(p[i]))) return i;
    return int64_t{-1};
  });
}

bool bit_equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  Tensor p = a.contiguous(), q = b.contiguous();
  if (a.count() == 0) return true;
  return dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return std::memcmp(p.data<T>(), q.data<T>(), static_cast<size_t>(a.count()) * sizeof(T)) == 0;
  });
}

double max_abs_difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    throw ShapeError(fmt::format("max_abs_difference: shapes must be equal; got {} and {}", to_string(a.shape()),
                                 to_string(b.shape())));
  auto p = a.to_vector(), q = b.to_vector();
  double worst = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    double d = p[i] == q[i] ? 0 : std::abs(p[i] - q[i]);  // equal infinities: the difference is 0, not NaN
    if (std::isnan(d)) return d;
    worst = std::max(worst, d);
  }
  return worst;
}

}  // namespace heed
