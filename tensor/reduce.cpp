#include "tensor/reduce.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/kernels/simd.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

// Four vectors of lanes, element i in lane i mod (4 lanes): enough independent chains to keep the adders busy.
template <class T>
T row_sum(const T* x, int64_t n) {
  constexpr int64_t L = kLanes<T>;
  Vec<T> lanes[4] = {};
  int64_t i = 0;
  for (; i + 4 * L <= n; i += 4 * L)
    for (int64_t k = 0; k < 4; ++k) lanes[k] += load(x + i + k * L);
  for (int64_t k = 0; i < n; ++k, i += L) lanes[k] += n - i >= L ? load(x + i) : load_first(x + i, n - i);
  return add_lanes<T>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

// y [V lanes], the sums over the R rows of x, which are I apart.
template <int V, class T>
void sum_columns(const T* x, T* y, int64_t R, int64_t I) {
  constexpr int64_t L = kLanes<T>;
  Vec<T> total[V] = {};
  for (int64_t r = 0; r < R; ++r)
    for (int64_t k = 0; k < V; ++k) total[k] += load(x + r * I + k * L);
  for (int64_t k = 0; k < V; ++k) store(y + k * L, total[k]);
}

// x [A, R, I] -> y [A, I]: the one reduction kernel; every other shape is brought to it.
template <class T>
void sum_middle(const T* x, T* y, int64_t A, int64_t R, int64_t I) {
  if (I == 1) {
    parallel_for(0, A, std::max<int64_t>(1, 32768 / std::max<int64_t>(R, 1)), [&](int64_t b, int64_t e) {
      for (int64_t a = b; a < e; ++a) y[a] = row_sum(x + a * R, R);
    });
    return;
  }
  // A strip of columns stays in registers while the rows stream by: four vectors wide, since one alone would take a
  // single cache line of every row, and of long rows each lies in a page of its own.
  constexpr int64_t L = kLanes<T>, W = 4 * L;
  int64_t strips = (I + W - 1) / W;
  parallel_for(0, A * strips, std::max<int64_t>(1, 32768 / (std::max<int64_t>(R, 1) * W)), [&](int64_t b, int64_t e) {
    for (int64_t s = b; s < e; ++s) {
      int64_t a = s / strips, column = s % strips * W, n = std::min(W, I - column);
      const T* p = x + a * R * I + column;
      T* to = y + a * I + column;
      if (n == W) {
        sum_columns<4>(p, to, R, I);
        continue;
      }
      for (; n >= L; n -= L, p += L, to += L) sum_columns<1>(p, to, R, I);
      Vec<T> total = {};
      for (int64_t r = 0; r < R && n > 0; ++r) total += load_first(p + r * I, n);
      if (n > 0) store_first(to, total, n);
    }
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

Shape without(const Shape& shape, unsigned set) {
  Shape out;
  for (int i = 0; i < shape.rank(); ++i)
    if (!(set >> i & 1)) out.push_back(shape[i]);
  return out;
}

struct Middle {
  int64_t before = 1, size = 1, after = 1;
};
Middle split_at(const Shape& shape, int axis) {
  Middle m;
  for (int i = 0; i < axis; ++i) m.before *= shape[i];
  m.size = shape[axis];
  for (int i = axis + 1; i < shape.rank(); ++i) m.after *= shape[i];
  return m;
}

// Best element of each row along an axis: value and position.
template <bool kMax>
void best(const char* name, const Tensor& x, int64_t axis_, Tensor* values, Tensor* positions) {
  int axis = normal_axis(name, axis_, x.rank());
  Shape out = x.shape();
  out.erase(axis);
  Middle m = split_at(x.shape(), axis);
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

}  // namespace

Shape reduced_shape(const char* operation, const Shape& shape, const Dims& axes) {
  unsigned set = axis_set(operation, axes, shape.rank());
  Shape out = shape;
  for (int i = 0; i < shape.rank(); ++i)
    if (set >> i & 1) out[i] = 1;
  return out;
}

Tensor sum(const Tensor& x, const Dims& axes, bool keep) {
  if (x.rank() == 0 && axes.rank() == 0) return x.clone();
  unsigned set = axis_set("sum", axes, x.rank());
  Kernel kernel("sum", x.count());
  Tensor y = x.contiguous();
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (!(set >> axis & 1)) continue;
    int first = axis;  // neighbouring axes are summed together
    while (first > 0 && (set >> (first - 1) & 1)) --first;
    Shape merged = y.shape(), out = y.shape();
    for (int i = first; i <= axis; ++i) out[i] = 1;
    for (int i = axis; i > first; --i) {
      merged[first] *= merged[i];
      merged.erase(i);
    }
    Middle m = split_at(merged, first);
    Tensor next = Tensor::empty(out, x.dtype());
    dispatch_number(x.dtype(), "sum", [&](auto zero) {
      using T = decltype(zero);
      sum_middle<T>(y.data<T>(), next.data<T>(), m.before, m.size, m.after);
    });
    y = next;
    axis = first;
  }
  return keep ? y : y.view(without(y.shape(), set));
}

Tensor sum(const Tensor& x) { return sum(x, Dims{}); }

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Dims axes;
  int lead = x.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (lead < 0 || (shape[i] != 1 && shape[i] != x.shape()[lead + i]))
      throw ShapeError(fmt::format("sum_to: can only undo a repetition of axes; got {} to {}", to_string(x.shape()),
                                   to_string(shape)));
  for (int i = 0; i < x.rank(); ++i)
    if (i < lead || (shape[i - lead] == 1 && x.shape()[i] != 1)) axes.push_back(i);
  return axes.rank() == 0 ? x.reshape(shape) : sum(x, axes, /*keep=*/true).view(shape);
}

Tensor max(const Tensor& x, int64_t axis, bool keep) {
  Tensor y;
  best<true>("max", x, axis, &y, nullptr);
  return keep ? y.unsqueeze(normal_axis("max", axis, x.rank())) : y;
}
Tensor min(const Tensor& x, int64_t axis, bool keep) {
  Tensor y;
  best<false>("min", x, axis, &y, nullptr);
  return keep ? y.unsqueeze(normal_axis("min", axis, x.rank())) : y;
}
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

namespace {

// y = f(y, axis) for each axis of the set, from the last; f keeps the axis with size 1.
template <class F>
Tensor axis_by_axis(const char* name, const Tensor& x, const Dims& axes, bool keep, const F& f) {
  dispatch_number(x.dtype(), name, [](auto) {});
  unsigned set = axis_set(name, axes, x.rank());
  if (set == 0) return x.clone();
  Tensor y = x;
  for (int axis = x.rank() - 1; axis >= 0; --axis)
    if (set >> axis & 1) y = f(y, axis);
  return keep ? y : y.view(without(y.shape(), set));
}

template <bool kMax>
Tensor extreme_over(const char* name, const Tensor& x, const Dims& axes, bool keep) {
  return axis_by_axis(name, x, axes, keep, [&](const Tensor& t, int axis) {
    Tensor y;
    best<kMax>(name, t, axis, &y, nullptr);
    return y.unsqueeze(axis);
  });
}

}  // namespace

Tensor amax(const Tensor& x, const Dims& axes, bool keep) { return extreme_over<true>("amax", x, axes, keep); }
Tensor amin(const Tensor& x, const Dims& axes, bool keep) { return extreme_over<false>("amin", x, axes, keep); }

Tensor prod(const Tensor& x, const Dims& axes, bool keep) {
  return axis_by_axis("prod", x, axes, keep, [](Tensor y, int axis) {
    if (y.size(axis) == 0) {
      Shape one = y.shape();
      one[axis] = 1;
      return Tensor::ones(one, y.dtype());
    }
    if (y.size(axis) == 1) return y.clone();
    for (int64_t n = y.size(axis); n > 1; n = y.size(axis)) {
      Tensor halves = mul(y.slice(axis, 0, n / 2), y.slice(axis, n / 2, n / 2 * 2));
      y = n % 2 ? concat({halves, y.slice(axis, n - 1, n)}, axis) : halves;  // the odd one waits
    }
    return y;
  });
}

Tensor logsumexp(const Tensor& x, const Dims& axes, bool keep) {
  unsigned set = axis_set("logsumexp", axes, x.rank());
  Dims order;
  Shape kept = reduced_shape("logsumexp", x.shape(), axes), rows = without(x.shape(), set);
  for (bool reduced : {false, true})  // the reduced axes go last
    for (int i = 0; i < x.rank(); ++i)
      if ((set >> i & 1) == reduced) order.push_back(i);
  rows.push_back(1);
  for (int i = 0; i < x.rank(); ++i)
    if (set >> i & 1) rows[rows.rank() - 1] *= x.shape()[i];
  Tensor y = logsumexp_rows((x.rank() ? x.permute(order) : x).reshape(rows));
  return keep ? y.view(kept) : y;
}

Tensor cumsum(const Tensor& x, int64_t axis_, const CumsumOptions& options) {
  int axis = normal_axis("cumsum", axis_, x.rank());
  Middle m = split_at(x.shape(), axis);
  Kernel kernel("cumsum", x.count());
  Tensor y = x.clone();
  dispatch_number(x.dtype(), "cumsum", [&](auto zero) {
    using T = decltype(zero);
    T* p = y.data<T>();
    for (int64_t a = 0; a < m.before; ++a)
      for (int64_t r = 1; r < m.size; ++r) {
        int64_t row = options.reverse ? m.size - 1 - r : r, before = options.reverse ? row + 1 : row - 1;
        T *at = p + (a * m.size + row) * m.after, *from = p + (a * m.size + before) * m.after;
        for (int64_t i = 0; i < m.after; ++i) at[i] += from[i];
      }
  });
  return y;
}

}  // namespace heed
