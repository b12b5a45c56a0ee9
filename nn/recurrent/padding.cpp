#include "nn/recurrent/padding.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {

namespace {

// True if all elements of x are finite, from `p` on and along the axes from `axis` on except `skipped`.
template <class T>
bool finite_from(const T* p, const Tensor& x, int axis, int skipped) {
  if (axis == skipped) ++axis;
  if (axis >= x.rank()) return std::abs(*p) <= std::numeric_limits<T>::max();
  int64_t n = x.size(axis), step = x.strides()[axis];
  if (axis + 1 == x.rank() && step == 1) {
    int not_finite = 0;
    for (int64_t i = 0; i < n; ++i) not_finite |= !(std::abs(p[i]) <= std::numeric_limits<T>::max());
    return not_finite == 0;
  }
  bool finite = true;
  for (int64_t i = 0; i < n && finite; ++i) finite = finite_from(p + i * step, x, axis + 1, skipped);
  return finite;
}

bool finite_padding(const Tensor& x, const Tensor& words, int axis) {
  return dispatch_float(x.dtype(), "without_padding", [&](auto zero) {
    using T = decltype(zero);
    const bool* word = words.data<bool>();
    for (int64_t b = 0; b < x.size(0); ++b)
      for (int64_t s = 0; s < x.size(axis); ++s)
        if (!*word++ && !finite_from(x.data<T>() + b * x.strides()[0] + s * x.strides()[axis], x, 1, axis))
          return false;
    return true;
  });
}

}  // namespace

Tensor length_mask(const Tensor& lengths_, int64_t T) {
  if (lengths_.rank() != 1 || lengths_.dtype() != DType::i64)
    throw ShapeError(fmt::format("length_mask: lengths must be [B] i64; got {} {}", name_of(lengths_.dtype()),
                                 to_string(lengths_.shape())));
  Tensor lengths = lengths_.contiguous();
  int64_t B = lengths.size(0);
  Tensor mask = Tensor::empty({B, T}, DType::boolean);
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = lengths.data<int64_t>()[b];
    if (n < 1 || n > T)
      throw ValueError(fmt::format("length_mask: a length must lie in [1, {}]; got {} in row {}", T, n, b));
    for (int64_t t = 0; t < T; ++t) mask.data<bool>()[b * T + t] = t < n;
  }
  return mask;
}

Variable without_padding(const Variable& x, const Tensor& words_, int axis) {
  if (!words_.defined() || words_.dtype() != DType::boolean || !is_float(x.dtype()) || x.rank() <= axis ||
      !(words_.shape() == Shape{x.size(0), x.size(axis)}))
    return x;  // the caller checks the mask and throws its own error
  Tensor words = words_.contiguous();
  if (finite_padding(x.value(), words, axis)) return x;
  Tensor padding = logical_not(words);  // becomes [B, 1, .., S, 1, ..]
  for (int i = 1; i < axis; ++i) padding = padding.unsqueeze(1);
  while (padding.rank() < x.rank()) padding = padding.unsqueeze(-1);
  return masked_fill(x, padding, 0);
}

}  // namespace heed::nn
