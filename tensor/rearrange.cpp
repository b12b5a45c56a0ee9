#include "tensor/rearrange.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// y[.., i, ..] = x[.., source(i), ..]
template <class F>
Tensor from_places(const Tensor& x, int axis, const F& source) {
  int64_t n = x.shape()[axis];
  Tensor places = Tensor::empty({n}, DType::i64);
  for (int64_t i = 0; i < n; ++i) places.data<int64_t>()[i] = source(i);
  return index_select(x, axis, places);
}

// Axes without a sign, each named at most once.
Dims distinct_axes(const char* operation, const Dims& axes, int rank) {
  Dims normal = axes;
  unsigned seen = 0;
  for (int i = 0; i < axes.rank(); ++i) {
    normal[i] = normal_axis(operation, axes[i], rank);
    if (seen >> normal[i] & 1)
      throw IndexError(fmt::format("{}: an axis is named twice; got {}", operation, to_string(axes)));
    seen |= 1u << normal[i];
  }
  return normal;
}

// Row r of each matrix keeps the columns [first(r), last(r)), a range that may reach beyond the row.
template <class First, class Last>
Tensor band(const char* name, const Tensor& x, const First& first, const Last& last) {
  if (x.rank() < 2) throw ShapeError(fmt::format("{}: needs a matrix [.., M, N]; got {}", name, to_string(x.shape())));
  Kernel kernel(name, x.count());
  Tensor dense = x.contiguous(), y = Tensor::zeros(x.shape(), x.dtype());
  int64_t M = x.size(-2), N = x.size(-1), rows = N ? x.count() / N : 0;
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = dense.data<T>();
    T* to = y.data<T>();
    parallel_for(0, rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(N, 1)), [&](int64_t b, int64_t e) {
      for (int64_t r = b; r < e; ++r) {
        int64_t begin = std::clamp<int64_t>(first(r % M), 0, N), end = std::clamp<int64_t>(last(r % M), begin, N);
        std::copy(from + r * N + begin, from + r * N + end, to + r * N + begin);
      }
    });
  });
  return y;
}

// Moves a diagonal that is far outside the matrix to just outside it: the same result, and nothing overflows.
int64_t bounded(const Tensor& x, int64_t diagonal) {
  int64_t reach = x.rank() < 2 ? 0 : std::max(x.size(-2), x.size(-1)) + 1;
  return std::clamp(diagonal, -reach, reach);
}

}  // namespace

Tensor flip(const Tensor& x, const Dims& axes) {
  Tensor y = x;
  for (int64_t axis : distinct_axes("flip", axes, x.rank())) {
    int64_t n = x.shape()[static_cast<int>(axis)];
    y = from_places(y, static_cast<int>(axis), [n](int64_t i) { return n - 1 - i; });
  }
  return axes.rank() ? y : x.clone();
}

Tensor roll(const Tensor& x, const Dims& shifts, const Dims& axes_) {
  if (shifts.rank() != axes_.rank())
    throw ValueError(fmt::format("roll: needs one shift for each axis; got shifts {} and axes {}", to_string(shifts),
                                 to_string(axes_)));
  Dims axes = distinct_axes("roll", axes_, x.rank());
  Tensor y = x;
  for (int k = 0; k < axes.rank(); ++k) {
    int axis = static_cast<int>(axes[k]);
    int64_t n = std::max<int64_t>(x.shape()[axis], 1), shift = (shifts[k] % n + n) % n;
    y = from_places(y, axis, [n, shift](int64_t i) { return (i + n - shift) % n; });
  }
  return axes.rank() ? y : x.clone();
}

Tensor pad(const Tensor& x, const std::vector<Margin>& margins, double value) {
  Dims axes;
  for (const Margin& m : margins) axes.push_back(m.axis);
  axes = distinct_axes("pad", axes, x.rank());
  Shape out = x.shape();
  Tensor inner = x;
  for (size_t k = 0; k < margins.size(); ++k) {
    int axis = static_cast<int>(axes[static_cast<int>(k)]);
    const Margin& m = margins[k];
    constexpr int64_t far = int64_t{1} << 46;
    if (std::min(m.before, m.after) < -far || std::max(m.before, m.after) > far)
      throw ShapeError(fmt::format("pad: a margin must be at most 2^46 long; got {} before and {} after on axis {}",
                                   m.before, m.after, axis));
    int64_t n = x.shape()[axis], cut_before = std::max<int64_t>(-m.before, 0),
            cut_after = std::max<int64_t>(-m.after, 0);
    if (cut_before > n || cut_after > n - cut_before)
      throw ShapeError(
          fmt::format("pad: cannot take away more than there is; got {} before and {} after on axis {} of {}", m.before,
                      m.after, axis, to_string(x.shape())));
    inner = inner.slice(axis, cut_before, n - cut_after);
    out[axis] = n + m.before + m.after;
  }
  dispatch(x.dtype(), [&](auto zero) { scalar_as<decltype(zero)>("pad", value); });  // no 1.5 among integers
  Tensor y = Tensor::full(out, value, x.dtype()), spot = y;
  for (size_t k = 0; k < margins.size(); ++k) {
    int axis = static_cast<int>(axes[static_cast<int>(k)]);
    int64_t begin = std::max<int64_t>(margins[k].before, 0);
    spot = spot.slice(axis, begin, begin + inner.shape()[axis]);
  }
  copy_into(spot, inner);
  return y;
}

Tensor tril(const Tensor& x, int64_t diagonal) {
  int64_t k = bounded(x, diagonal);
  return band(
      "tril", x, [](int64_t) { return 0; }, [k](int64_t row) { return row + k + 1; });
}
Tensor triu(const Tensor& x, int64_t diagonal) {
  int64_t k = bounded(x, diagonal);
  return band(
      "triu", x, [k](int64_t row) { return row + k; }, [](int64_t) { return INT64_MAX; });
}

Tensor diagonal(const Tensor& x, int64_t offset, int64_t a_, int64_t b_) {
  int a = normal_axis("diagonal", a_, x.rank()), b = normal_axis("diagonal", b_, x.rank());
  if (a == b) throw IndexError(fmt::format("diagonal: needs two different axes; got {} and {}", a_, b_));
  int64_t M = x.shape()[a], N = x.shape()[b];
  offset = std::clamp(offset, -M, N);
  int64_t row = std::max<int64_t>(-offset, 0), column = std::max<int64_t>(offset, 0);
  int64_t length = std::max<int64_t>(0, std::min(M - row, N - column));
  Shape shape;
  Strides strides;
  for (int i = 0; i < x.rank(); ++i)
    if (i != a && i != b) shape.push_back(x.shape()[i]), strides.push_back(x.strides()[i]);
  shape.push_back(length);
  strides.push_back(x.strides()[a] + x.strides()[b]);
  int64_t start = length ? x.offset() + row * x.strides()[a] + column * x.strides()[b] : x.offset();
  return x.as_strided(shape, strides, start);
}

Tensor unfold(const Tensor& x, int64_t axis_, int64_t size, int64_t step) {
  int axis = normal_axis("unfold", axis_, x.rank());
  Shape shape = x.shape();
  int64_t n = shape[axis];
  if (size < 0 || size > n || step < 1)
    throw ValueError(
        fmt::format("unfold: needs 0 <= size <= the axis and step >= 1; got size {} and step {} on axis {} "
                    "of {}",
                    size, step, axis, to_string(shape)));
  Strides strides = x.strides();
  shape[axis] = (n - size) / step + 1;
  shape.push_back(size);
  strides.push_back(strides[axis]);
  strides[axis] *= std::min(step, n + 1);  // a longer step also reaches only the first window
  return x.as_strided(shape, strides, x.offset());
}

Tensor movedim(const Tensor& x, int64_t from_, int64_t to_) {
  int from = normal_axis("movedim", from_, x.rank()), to = normal_axis("movedim", to_, x.rank());
  Dims axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i != from) axes.push_back(i);
  axes.insert(to, from);
  return x.permute(axes);
}

}  // namespace heed
