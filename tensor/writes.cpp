// Choosing, converting and writing in place: where, cast, copy_into and its kin.
#include <fmt/format.h>

#include <cstring>

#include "tensor/elementwise.h"
#include "tensor/elementwise_detail.h"
#include "tensor/strided_loop.h"

namespace heed {

using detail::map_scalars;
using detail::map_vectors;
using detail::require_bool;
using detail::RowLoop;
using detail::run_rows;

namespace {
Tensor choose(const char* name, const Tensor& condition, const Tensor& a, const Tensor& b) {
  require_bool(name, condition);
  require_same_dtype(name, a, b);
  Shape shape = broadcast_shape(name, broadcast_shape(name, condition.shape(), a.shape()), b.shape());
  Tensor y = Tensor::empty(shape, a.dtype());
  dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    RowLoop loop = [](const void*, void* const* at, int64_t n) {
      T* out = static_cast<T*>(at[0]);
      const bool* mask = static_cast<const bool*>(at[1]);
      const T *p = static_cast<const T*>(at[2]), *q = static_cast<const T*>(at[3]);
      for (int64_t i = 0; i < n; ++i) out[i] = mask[i] ? p[i] : q[i];
    };
    run_rows(loop, nullptr, 1, y, {&condition, &a, &b});
  });
  return y;
}
}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return choose("where", condition, a, b); }
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  return choose("masked_fill", mask, Tensor::scalar(value, x.dtype()), x);
}

Tensor cast(const Tensor& x, DType dtype) {
  Tensor y = Tensor::empty(x.shape(), dtype);
  dispatch(x.dtype(), [&](auto from) {
    dispatch(dtype, [&](auto to) {
      using F = decltype(from);
      using T = decltype(to);
      map_scalars<T, F>(y, x, [](F v) { return convert<T>(v); });
    });
  });
  return y;
}

namespace {
// A repeated element would be written several times, by several threads.
void require_own_elements(const char* name, const Tensor& y) {
  for (int i = 0; i < y.rank(); ++i)
    if (y.shape()[i] > 1 && y.strides()[i] == 0)
      throw ValueError(
          fmt::format("{}: the target must not repeat elements; got {} with strides {}; hint: contiguous()", name,
                      to_string(y.shape()), to_string(y.strides())));
}
void require_fits(const char* name, const Tensor& y, const Tensor& x) {
  require_same_dtype(name, y, x);
  if (!(broadcast_shape(name, y.shape(), x.shape()) == y.shape()))
    throw ShapeError(fmt::format("{}: the value must broadcast to the target's shape; got target {} and value {}", name,
                                 to_string(y.shape()), to_string(x.shape())));
  require_own_elements(name, y);
}
}  // namespace

void copy_into(Tensor& y, const Tensor& x) {
  require_fits("copy_into", y, x);
  Kernel kernel("copy", y.count());
  if (y.is_contiguous() && x.is_contiguous() && x.shape() == y.shape()) {
    size_t bytes = static_cast<size_t>(y.count()) * size_of(y.dtype());
    if (bytes)
      dispatch(y.dtype(), [&](auto zero) { std::memmove(y.data<decltype(zero)>(), x.data<decltype(zero)>(), bytes); });
  } else {
    dispatch(y.dtype(), [&](auto zero) {
      using T = decltype(zero);
      map_scalars<T, T>(y, x, [](T v) { return v; });
    });
  }
  y.mark_written("copy_into");
}
void add_into(Tensor& y, const Tensor& x, double scale) {
  require_fits("add_into", y, x);
  Kernel kernel("add_into", y.count());
  dispatch_number(y.dtype(), "add_into", [&](auto zero) {
    using T = decltype(zero);
    if (scale == 1)
      map_vectors<T>(y, y, x, [](Vec<T> p, Vec<T> q) { return p + q; });
    else
      map_vectors<T>(y, y, x, [k = convert<T>(scale)](Vec<T> p, Vec<T> q) { return p + q * k; });
  });
  y.mark_written("add_into");
}
void scale_into(Tensor& y, double s) {
  require_own_elements("scale_into", y);
  dispatch_number(y.dtype(), "scale_into", [&](auto zero) {
    using T = decltype(zero);
    map_vectors<T>(y, y, [k = convert<T>(s)](Vec<T> v) { return v * k; });
  });
  y.mark_written("scale_into");
}
void fill_into(Tensor& y, double value) {
  Tensor v = Tensor::scalar(value, y.dtype());
  copy_into(y, v);
  y.storage().writer = "fill_into";
}

}  // namespace heed
