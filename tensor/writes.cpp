// Choosing, converting and writing in place: where, cast, copy_into and its kin.
#include <fmt/format.h>

#include <cstring>

#include "tensor/elementwise.h"
#include "tensor/kernels/elementwise_detail.h"
#include "tensor/kernels/strided_loop.h"

namespace heed {

using detail::map_scalars;
using detail::map_vectors;
using detail::require_bool;
using detail::run_rows;

namespace {

// y = mask ? p : q without a branch: masks are as random as data.
void choose_bools(const void*, void* const* at, int64_t n) {
  auto y = static_cast<bool*>(at[0]);
  auto mask = static_cast<const bool*>(at[1]), p = static_cast<const bool*>(at[2]), q = static_cast<const bool*>(at[3]);
  for (int64_t i = 0; i < n; ++i) y[i] = (mask[i] & p[i]) | (!mask[i] & q[i]);
}
template <class T>
void choose_lanes(const void*, void* const* at, int64_t n) {
  using I = typename VecOf<T>::I;
  typedef int8_t Bytes __attribute__((vector_size(kLanes<T>)));
  auto y = static_cast<T*>(at[0]);
  auto mask = static_cast<const bool*>(at[1]);
  auto p = static_cast<const T*>(at[2]), q = static_cast<const T*>(at[3]);
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    Bytes bytes;
    std::memcpy(&bytes, mask + i, sizeof bytes);
    store(y + i, __builtin_convertvector(bytes, I) != I{} ? load(p + i) : load(q + i));
  }
}

Tensor choose(const char* name, const Tensor& condition, const Tensor& a, const Tensor& b) {
  require_bool(name, condition);
  require_same_dtype(name, a, b);
  Shape shape = broadcast_shape(name, broadcast_shape(name, condition.shape(), a.shape()), b.shape());
  Tensor y = Tensor::empty(shape, a.dtype());
  dispatch(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      run_rows(choose_bools, nullptr, 1, y, {&condition, &a, &b});
    else
      run_rows(choose_lanes<T>, nullptr, kLanes<T>, y, {&condition, &a, &b});
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

constexpr int64_t kBytesGrain = int64_t{1} << 18;  // that a thread must have to move, to be worth waking

void copy_into(Tensor& y, const Tensor& x) {
  require_fits("copy_into", y, x);
  Kernel kernel("copy", y.count());
  if (y.is_contiguous() && x.is_contiguous() && x.shape() == y.shape()) {
    auto from = static_cast<const char*>(detail::first_of(x));
    auto to = static_cast<char*>(detail::first_of(y));
    int64_t bytes = y.count() * static_cast<int64_t>(size_of(y.dtype()));
    // Views of one storage may overlap: those are moved in one piece.
    int64_t grain = &y.storage() == &x.storage() ? bytes : kBytesGrain;
    parallel_for(0, bytes, grain,
                 [&](int64_t b, int64_t e) { std::memmove(to + b, from + b, static_cast<size_t>(e - b)); });
  } else {
    detail::copy_rows(y, x);
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
