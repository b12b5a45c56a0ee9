#include "tensor/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/kernels/sums.h"
#include "tensor/profile.h"
#include "tensor/range.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// x [A, N, I] -> y [A, I]: the one kernel of sums; every other shape is brought to it.
template <class T>
void sum_middle(const T* x, T* y, int64_t A, int64_t N, int64_t I) {
  if (I != 1)
    return sum_columns(A, N, I, y, [=]<int R>(int64_t a, int64_t r, int64_t column, int64_t n) {
      return take<R>(x + (a * N + r) * I + column, n);
    });
  vectorised_for(0, A, std::max<int64_t>(1, 32768 / std::max<int64_t>(N, 1)), [&]<int R>(int64_t b, int64_t e) {
    for (int64_t a = b; a < e; ++a)
      y[a] = sum_over<T, 4>(N, [row = x + a * N](int64_t i, int64_t n) { return take<R>(row + i, n); });
  });
}

// Which axes, as a bit set; no axes named means all.
unsigned axis_set(const char* operation, const Dims& axes, int rank) {
  if (axes.rank() == 0) return (1u << rank) - 1;
  unsigned set = 0;
  for (int64_t axis : axes) {
    unsigned bit = 1u << normal_axis(operation, axis, rank);
    if (set & bit) throw IndexError(fmt::format("{}: an axis is named twice; got {}", operation, to_string(axes)));
    set |= bit;
  }
  return set;
}

// A shape as [before, size, after], where `size` counts the axes from `first` up to `last`, `last` included.
struct Middle {
  Middle(const Shape& shape, int first, int last) {
    for (int i = 0; i < shape.rank(); ++i) (i < first ? before : i <= last ? size : after) *= shape[i];
  }
  int64_t before = 1, size = 1, after = 1;
};

// The extreme element of each row along an axis: its value and its position, of which either may be null.
template <bool kMax>
void best(const char* name, const Tensor& x, int64_t axis_, Tensor* values, Tensor* positions) {
  int axis = normal_axis(name, axis_, x.rank());
  Shape out = x.shape();
  out.erase(axis);
  Middle m(x.shape(), axis, axis);
  if (m.size == 0) throw IndexError(fmt::format("{}: the axis is empty; got {}", name, to_string(x.shape())));
  Kernel kernel(name, x.count());
  Tensor dense = x.contiguous();
  if (values) *values = Tensor::empty(out, x.dtype());
  if (positions) *positions = Tensor::empty(out, DType::i64);
  dispatch_number(x.dtype(), name, [&](auto zero) {
    using T = decltype(zero);
    const T* p = dense.data<T>();
    parallel_for(0, m.before * m.after, std::max<int64_t>(1, 16384 / m.size), [&](int64_t b, int64_t e) {
      for (int64_t o = b; o < e; ++o) {
        const T* row = p + (o / m.after) * m.size * m.after + o % m.after;
        int64_t at = 0;
        T top = row[0];
        for (int64_t r = 1; r < m.size && top == top; ++r) {  // stops at the first NaN, which wins
          T v = row[r * m.after];
          if (kMax ? !(v <= top) : !(v >= top)) top = v, at = r;
        }
        if (values) values->data<T>()[o] = top;
        if (positions) positions->data<int64_t>()[o] = at;
      }
    });
  });
}
template <bool kMax>
Tensor extreme(const char* name, const Tensor& x, int64_t axis, bool keep) {
  Tensor y;
  best<kMax>(name, x, axis, &y, nullptr);
  return keep ? y.unsqueeze(normal_axis(name, axis, x.rank())) : y;
}

// y = f(y, axis) for each axis of the set, from the last; f keeps the axis with size 1.
template <class F>
Tensor axis_by_axis(const char* name, const Tensor& x, const Dims& axes, bool keep, const F& f) {
  dispatch_number(x.dtype(), name, [](auto) {});
  unsigned set = axis_set(name, axes, x.rank());
  if (set == 0) return x.clone();
  Tensor y = x;
  for (int axis = x.rank() - 1; axis >= 0; --axis)
    if (set >> axis & 1) y = f(y, axis);
  return y.view(reduced_shape(name, x.shape(), axes, keep));
}

// x as a matrix: a row for each result, with the elements that are reduced to it.
Tensor rows_of(const char* name, const Tensor& x, const Dims& axes) {
  unsigned set = axis_set(name, axes, x.rank());
  Dims order;
  int64_t results = 1, n = 1;
  for (bool reduced : {false, true})  // the reduced axes go last
    for (int i = 0; i < x.rank(); ++i)
      if ((set >> i & 1) == reduced) order.push_back(i), (reduced ? n : results) *= x.shape()[i];
  return x.permute(order).reshape({results, n});
}

}  // namespace

Shape reduced_shape(const char* operation, const Shape& shape, const Dims& axes, bool keep) {
  unsigned set = axis_set(operation, axes, shape.rank());
  Shape out;
  for (int i = 0; i < shape.rank(); ++i)
    if (keep || !(set >> i & 1)) out.push_back(set >> i & 1 ? 1 : shape[i]);
  return out;
}

Tensor sum(const Tensor& x, const Dims& axes, bool keep) {
  unsigned set = axis_set("sum", axes, x.rank());
  if (set == 0) return x.clone();  // a scalar
  Kernel kernel("sum", x.count());
  Tensor y = x.contiguous();
  for (int last = x.rank() - 1, first; last >= 0; last = first - 1) {
    first = last;
    if (!(set >> last & 1)) continue;
    while (first > 0 && (set >> (first - 1) & 1)) --first;  // neighbouring axes are summed together
    Middle m(y.shape(), first, last);
    Shape out = y.shape();
    for (int i = first; i <= last; ++i) out[i] = 1;
    Tensor next = Tensor::empty(out, x.dtype());
    dispatch_number(x.dtype(), "sum", [&](auto zero) {
      using T = decltype(zero);
      sum_middle<T>(y.data<T>(), next.data<T>(), m.before, m.size, m.after);
    });
    y = next;
  }
  return y.view(reduced_shape("sum", x.shape(), axes, keep));
}

Tensor sum(const Tensor& x) { return sum(x, Dims{}); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x.clone();
  Dims axes;
  int lead = x.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (lead < 0 || (shape[i] != 1 && shape[i] != x.shape()[lead + i]))
      throw ShapeError(fmt::format("sum_to: can only undo a repetition of axes; got {} to {}", to_string(x.shape()),
                                   to_string(shape)));
  for (int i = 0; i < x.rank(); ++i)
    if (i < lead || (shape[i - lead] == 1 && x.shape()[i] != 1)) axes.push_back(i);
  return sum(x, axes, /*keep=*/true).view(shape);
}

Tensor max(const Tensor& x, int64_t axis, bool keep) { return extreme<true>("max", x, axis, keep); }
Tensor min(const Tensor& x, int64_t axis, bool keep) { return extreme<false>("min", x, axis, keep); }
Tensor argmax(const Tensor& x, int64_t axis) {
  Tensor at;
  best<true>("argmax", x, axis, nullptr, &at);
  return at;
}
Tensor argmin(const Tensor& x, int64_t axis) {
  Tensor at;
  best<false>("argmin", x, axis, nullptr, &at);
  return at;
}
Tensor amax(const Tensor& x, const Dims& axes, bool keep) {
  return axis_by_axis("amax", x, axes, keep, [](auto& y, int axis) { return extreme<true>("amax", y, axis, true); });
}
Tensor amin(const Tensor& x, const Dims& axes, bool keep) {
  return axis_by_axis("amin", x, axes, keep, [](auto& y, int axis) { return extreme<false>("amin", y, axis, true); });
}

Tensor prod(const Tensor& x, const Dims& axes, bool keep) {
  Tensor by_halves = axis_by_axis("prod", x, axes, keep, [](Tensor y, int axis) {
    if (y.size(axis) == 0) return add(sum(y, {axis}, /*keep=*/true), 1);
    if (y.size(axis) == 1) return y.clone();
    for (int64_t n = y.size(axis); n > 1; n = y.size(axis)) {
      Tensor halves = mul(y.slice(axis, 0, n / 2), y.slice(axis, n / 2, n / 2 * 2));
      y = n % 2 ? concat({halves, y.slice(axis, n - 1, n)}, axis) : halves;  // the odd one waits
    }
    return y;
  });
  Tensor out = products_out_of_range(x, axes);
  if (!out.defined()) return by_halves;
  return where(out.view(by_halves.shape()), product_in_units(rows_of("prod", x, axes)).view(by_halves.shape()),
               by_halves);
}

Tensor logsumexp(const Tensor& x, const Dims& axes, bool keep) {
  return logsumexp_rows(rows_of("logsumexp", x, axes)).view(reduced_shape("logsumexp", x.shape(), axes, keep));
}

Tensor cumsum(const Tensor& x, int64_t axis_, const CumsumOptions& options) {
  int axis = normal_axis("cumsum", axis_, x.rank());
  Middle m(x.shape(), axis, axis);
  Kernel kernel("cumsum", x.count());
  Tensor y = x.clone();
  dispatch_number(x.dtype(), "cumsum", [&](auto zero) {
    using T = decltype(zero);
    using Total = std::conditional_t<std::is_same_v<T, float>, double, T>;  // a chain in f32 would lose its digits
    T* y_ = y.data<T>();
    const int64_t row = m.size * m.after;
    parallel_for(0, m.before, 1 + (1 << 14) / (row + 1), [&](int64_t begin, int64_t end) {
      std::vector<Total> total(static_cast<size_t>(m.after));
      for (int64_t a = begin; a < end; ++a) {
        std::fill(total.begin(), total.end(), Total{});
        for (int64_t r = 0; r < m.size; ++r) {
          T* at = y_ + a * row + (options.reverse ? m.size - 1 - r : r) * m.after;
          for (int64_t i = 0; i < m.after; ++i) at[i] = static_cast<T>(total[static_cast<size_t>(i)] += at[i]);
        }
      }
    });
  });
  return y;
}

Tensor linear_scan(const Tensor& a, const Tensor& x, int64_t axis_, const CumsumOptions& options) {
  if (a.shape() != x.shape())
    throw ShapeError(fmt::format("linear_scan: needs a factor for each element; got {} and {}", to_string(a.shape()),
                                 to_string(x.shape())));
  if (a.dtype() != x.dtype())
    throw DTypeError(fmt::format("linear_scan: factors and elements must have one type; got {} and {}",
                                 name_of(a.dtype()), name_of(x.dtype())));
  const int axis = normal_axis("linear_scan", axis_, x.rank());
  const Middle m(x.shape(), axis, axis);
  Kernel kernel("linear_scan", x.count());
  const Tensor factors = a.contiguous(), added = x.contiguous();
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  dispatch_float(x.dtype(), "linear_scan", [&](auto zero) {
    using T = decltype(zero);
    const T *a_ = factors.data<T>(), *x_ = added.data<T>();
    T* y_ = y.data<T>();
    constexpr int64_t kStrip = 1024;  // columns at a time: the row before is then in the nearest cache
    const int64_t strips = (m.after + kStrip - 1) / kStrip, work = m.size * std::min(m.after, kStrip);
    vectorised_for(0, m.before * strips, 1 + (1 << 14) / (work + 1), [&]<int R>(int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t from = unit % strips * kStrip, to = std::min(m.after, from + kStrip);
        for (int64_t i = 0; i < m.size; ++i) {
          const int64_t t = options.reverse ? m.size - 1 - i : i, last = options.reverse ? t + 1 : t - 1;
          const int64_t block = unit / strips * m.size, row = (block + t) * m.after;
          const T* factor = a_ + (options.reverse ? row + m.after : row);
          for (int64_t c = from; c < to; c += kLanes<T>) {
            const int64_t n = std::min<int64_t>(kLanes<T>, to - c);
            const auto own = take<R>(x_ + row + c, n);
            put(y_ + row + c,
                i == 0 ? own : take<R>(factor + c, n) * take<R>(y_ + (block + last) * m.after + c, n) + own, n);
          }
        }
      }
    });
  });
  return y;
}

}  // namespace heed
