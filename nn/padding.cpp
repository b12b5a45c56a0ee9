#include "nn/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heed::nn {

namespace {

constexpr double kSmall = 1e-15, kLarge = 10;  // the sizes of ordinary numbers; after a norm, few are as large as 10

template <class T>
bool ordinary(const T* p, int64_t n) {
  int other = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T size = std::abs(p[i]);
    const int in_range = size <= T(kLarge), tiny = size < T(kSmall), is_zero = size == 0;
    other |= (1 - in_range) | (tiny - is_zero);
  }
  return other == 0;
}

// True if all hidden elements of x are ordinary numbers: 0, or from kSmall to kLarge in size. `hidden` has the shape of
// x; p and hide point to the first element of the axes from `axis` on.
template <class T>
bool ordinary(const T* p, const bool* hide, const Tensor& x, const Tensor& hidden, int axis) {
  if (axis == x.rank()) return !*hide || ordinary(p, 1);
  const int64_t n = x.size(axis), step = x.strides()[axis], next = hidden.strides()[axis];
  const bool last = axis + 1 == x.rank();
  if (last && next == 0 && !*hide) return true;
  if (last && next == 0 && step == 1) return ordinary(p, n);
  for (int64_t i = 0; i < n; ++i)
    if (!ordinary(p + i * step, hide + i * next, x, hidden, axis + 1)) return false;
  return true;
}

// x, or x with 0 where `hidden` (bool, broadcastable to x) is true if any number there is not ordinary.
Variable without(const Variable& x, const Tensor& hidden) {
  const bool *hides = hidden.data<bool>(), *end = hides + hidden.count();
  if (x.count() == 0 || std::find(hides, end, true) == end) return x;
  const Tensor all = hidden.expand(x.shape());
  const bool harmless = dispatch_float(x.dtype(), "without_padding", [&](auto zero) {
    return ordinary(x.value().data<decltype(zero)>(), all.data<bool>(), x.value(), all, 0);
  });
  // A node in both cases, so that the contributions to the gradient of x are always added in the same order.
  return harmless ? attach_linear("without_padding", x, x.value(), [](const Variable& dy) { return dy; })
                  : masked_fill(x, hidden, 0);
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

Variable without_padding(const Variable& x, const Tensor& words, int axis) {
  if (!words.defined() || words.dtype() != DType::boolean || !is_float(x.dtype()) || x.rank() <= axis ||
      !(words.shape() == Shape{x.size(0), x.size(axis)}))
    return x;  // the caller checks the mask and throws its own error

  Tensor padding = logical_not(words);  // becomes [B, 1, .., S, 1, ..]
  for (int i = 1; i < axis; ++i) padding = padding.unsqueeze(1);
  while (padding.rank() < x.rank()) padding = padding.unsqueeze(-1);
  return without(x, padding);
}

Variable without_unread(const Variable& x, const Tensor& allowed_) {
  if (!allowed_.defined() || allowed_.rank() > x.rank()) return x;
  Tensor allowed = allowed_.contiguous();
  while (allowed.rank() < x.rank()) allowed = allowed.unsqueeze(0);
  const int64_t T = allowed.size(-2), S = allowed.size(-1);
  Shape shape = allowed.shape();
  shape[shape.rank() - 2] = S, shape[shape.rank() - 1] = 1;
  Tensor unread = Tensor::ones(shape, DType::boolean);  // [.., S, 1]
  const bool* open = allowed.data<bool>();
  bool* row = unread.data<bool>();
  for (int64_t i = 0; i < allowed.count(); i += T * S, row += S)
    for (int64_t t = 0; t < T; ++t, open += S)
      for (int64_t s = 0; s < S; ++s) row[s] = row[s] && !open[s];
  if (unread.rank() == 4 && unread.size(1) != x.size(1) && unread.size(1) != 1)  // several heads read the same keys
    unread = equal(amin(unread.to(DType::f32), {1}, true), 1);
  for (int axis = 0; axis + 1 < x.rank(); ++axis)
    if (unread.size(axis) != 1 && unread.size(axis) != x.size(axis)) return x;  // the caller checks the mask
  return without(x, unread);
}

}  // namespace heed::nn
