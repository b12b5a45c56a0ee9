// Writing in place: copy_into, add_into, scale_into, fill_into.
#include <fmt/format.h>

#include <cstring>

#include "tensor/elementwise.h"
#include "tensor/kernels/elementwise_detail.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// A repeated element would be written several times, by several threads. None is repeated where every stride is longer
// than all that the axes of shorter strides span together (of equal strides, the later axis counts as shorter).
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

// x, or a copy if writing y could change x: they share a storage, the ranges from their first to their last elements
// overlap, and they are not the same elements in the same places.
Tensor safe_source(const Tensor& y, const Tensor& x) {
  if (&y.storage() != &x.storage() || y.count() == 0) return x;
  auto last = [](const Tensor& t) {
    int64_t at = t.offset();
    for (int i = 0; i < t.rank(); ++i) at += t.strides()[i] * (t.shape()[i] - 1);
    return at;
  };
  bool same_places = x.offset() == y.offset() && x.shape() == y.shape() && x.strides() == y.strides();
  bool apart = last(x) < y.offset() || last(y) < x.offset();
  return same_places || apart ? x : x.clone();
}

Tensor checked_source(const char* name, const Tensor& y, const Tensor& x) {
  require_same_dtype(name, y, x);
  if (!(y.shape() == x.shape()) && !(broadcast_shape(name, y.shape(), x.shape()) == y.shape()))
    throw ShapeError(fmt::format("{}: the value must broadcast to the target's shape; got target {} and value {}", name,
                                 to_string(y.shape()), to_string(x.shape())));
  require_own_elements(name, y);
  return safe_source(y, x);
}

}  // namespace

void copy_into(Tensor& y, const Tensor& given) {
  constexpr int64_t grain = int64_t{1} << 18;  // bytes that a thread must have to move to be worth waking
  const Tensor x = checked_source("copy_into", y, given);
  Kernel kernel("copy", y.count());
  if (y.is_contiguous() && x.is_contiguous() && x.shape() == y.shape()) {
    auto from = static_cast<const char*>(detail::first_of(x));
    auto to = static_cast<char*>(detail::first_of(y));
    if (to != from)
      parallel_for(0, y.count() * static_cast<int64_t>(size_of(y.dtype())), grain,
                   [&](int64_t b, int64_t e) { std::memcpy(to + b, from + b, static_cast<size_t>(e - b)); });
  } else {
    detail::copy_rows(y, x);
  }
  y.mark_written("copy_into");
}

void add_into(Tensor& y, const Tensor& given, double scale) {
  const Tensor x = checked_source("add_into", y, given);
  if (y.dtype() == DType::i64) scalar_as<int64_t>("add_into", scale);
  if (scale == 1)
    detail::update("add_into", y, x, [](auto p, auto q) { return p + q; });
  else
    detail::update("add_into", y, x, [scale](auto p, auto q) { return p + q * scale; });
  y.mark_written("add_into");
}

void scale_into(Tensor& y, double s) {
  require_own_elements("scale_into", y);
  if (y.dtype() == DType::i64) scalar_as<int64_t>("scale_into", s);
  detail::update("scale_into", y, y, [s](auto p, auto) { return p * s; });
  y.mark_written("scale_into");
}

void fill_into(Tensor& y, double value) {
  dispatch(y.dtype(), [&](auto zero) { scalar_as<decltype(zero)>("fill_into", value); });
  copy_into(y, Tensor::scalar(value, y.dtype()));
  y.storage().writer = "fill_into";
}

}  // namespace heed
