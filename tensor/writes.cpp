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

Tensor scalar_like(const char* name, const Tensor& x, double value) {
  dispatch(x.dtype(), [&](auto zero) { scalar_as<decltype(zero)>(name, value); });
  return Tensor::scalar(value, x.dtype());
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return choose("where", condition, a, b); }
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  return choose("masked_fill", mask, scalar_like("masked_fill", x, value), x);
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
// Could an element lie at two indices of y? Several threads would write it. Never, where each stride is longer than all
// that the axes of shorter strides span together (of equal strides, the later axis counts as shorter). This refuses
// every target that holds an element twice, and of the rest only windows that interlock, such as shape [3, 3] with
// strides [3, 2].
void require_own_elements(const char* name, const Tensor& y) {
  if (y.is_contiguous() || y.count() == 0) return;
  const Shape& shape = y.shape();
  const Strides& strides = y.strides();
  for (int i = 0; i < y.rank(); ++i) {
    int64_t span = 0;
    for (int j = 0; j < y.rank(); ++j)
      if (strides[j] < strides[i] || (strides[j] == strides[i] && j > i)) span += strides[j] * (shape[j] - 1);
    if (shape[i] > 1 && strides[i] <= span)
      throw ValueError(
          fmt::format("{}: the target must not repeat elements; got {} with strides {}; hint: contiguous()", name,
                      to_string(shape), to_string(strides)));
  }
}

// x itself, or a copy of it where writing to y would change what is still to be read: both in one block of memory, the
// ranges from first to last element meet, and the elements do not lie in the same places. Views that interleave without
// an element in common, such as the odd and the even columns, are copied too.
Tensor safe_source(const Tensor& y, const Tensor& x) {
  if (&y.storage() != &x.storage() || y.count() == 0) return x;
  auto end_of = [](const Tensor& t) {
    int64_t last = t.offset();
    for (int i = 0; i < t.rank(); ++i) last += t.strides()[i] * (t.shape()[i] - 1);
    return last;
  };
  bool same_places = x.offset() == y.offset() && x.shape() == y.shape() && x.strides() == y.strides();
  bool apart = end_of(x) < y.offset() || end_of(y) < x.offset();
  return same_places || apart ? x : x.clone();
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

void copy_into(Tensor& y, const Tensor& given) {
  require_fits("copy_into", y, given);
  const Tensor x = safe_source(y, given);
  Kernel kernel("copy", y.count());
  if (y.is_contiguous() && x.is_contiguous() && x.shape() == y.shape()) {
    auto from = static_cast<const char*>(detail::first_of(x));
    auto to = static_cast<char*>(detail::first_of(y));
    parallel_for(0, y.count() * static_cast<int64_t>(size_of(y.dtype())), kBytesGrain, [&](int64_t b, int64_t e) {
      if (to != from) std::memcpy(to + b, from + b, static_cast<size_t>(e - b));
    });
  } else {
    detail::copy_rows(y, x);
  }
  y.mark_written("copy_into");
}
void add_into(Tensor& y, const Tensor& given, double scale) {
  require_fits("add_into", y, given);
  const Tensor x = safe_source(y, given);
  Kernel kernel("add_into", y.count());
  dispatch_number(y.dtype(), "add_into", [&](auto zero) {
    using T = decltype(zero);
    if (scale == 1)
      map_vectors<T>(y, y, x, [](Vec<T> p, Vec<T> q) { return p + q; });
    else
      map_vectors<T>(y, y, x, [k = scalar_as<T>("add_into", scale)](Vec<T> p, Vec<T> q) { return p + q * k; });
  });
  y.mark_written("add_into");
}
void scale_into(Tensor& y, double s) {
  require_own_elements("scale_into", y);
  dispatch_number(y.dtype(), "scale_into", [&](auto zero) {
    using T = decltype(zero);
    map_vectors<T>(y, y, [k = scalar_as<T>("scale_into", s)](Vec<T> v) { return v * k; });
  });
  y.mark_written("scale_into");
}
void fill_into(Tensor& y, double value) {
  copy_into(y, scalar_like("fill_into", y, value));
  y.storage().writer = "fill_into";
}

}  // namespace heed
