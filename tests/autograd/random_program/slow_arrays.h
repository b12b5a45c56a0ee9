// The slow interpreter's arrays: a shape and its elements in row-major order. No strides, no views, no broadcasting but
// by index: each operation is a loop over index vectors.
//
//   Array y = build({3, 2}, [&](const Index& i) { return x({i[1], i[0]}); });      // a transpose
#pragma once

#include <stdexcept>
#include <vector>

#include "tensor/shape.h"
#include "tests/autograd/random_program/slow_numbers.h"

namespace slow {

using heed::Dims;
using heed::Shape;
using Index = Dims;  // a short list of integers; none of heed's arithmetic on shapes is used
using Row = std::vector<Real>;

inline int from_start(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }
// The index into a smaller array of an element of a larger one, aligned at the right, where an axis of size 1 stands
// for all: NumPy's rule.
inline Index aligned(const Index& i, const Shape& smaller) {
  if (i.rank() < smaller.rank()) throw std::out_of_range("slow: rank");
  Index at;
  for (int k = 0; k < smaller.rank(); ++k) at.push_back(smaller[k] == 1 ? 0 : i[i.rank() - smaller.rank() + k]);
  return at;
}

struct Array {
  Shape shape;
  Row elements;

  int rank() const { return shape.rank(); }
  int64_t size(int64_t axis) const { return shape[from_start(axis, rank())]; }
  size_t offset(const Index& i) const {
    if (i.rank() != rank()) throw std::out_of_range("slow: rank");
    int64_t at = 0;
    for (int k = 0; k < i.rank(); ++k) {
      if (i[k] < 0 || i[k] >= shape[k]) throw std::out_of_range("slow: index");
      at = at * shape[k] + i[k];
    }
    return static_cast<size_t>(at);
  }
  Real operator()(const Index& i) const { return elements.at(offset(i)); }
  Real& operator()(const Index& i) { return elements.at(offset(i)); }
  Real spread(const Index& i) const { return (*this)(aligned(i, shape)); }
};
using Arrays = std::vector<Array>;

template <class F>
void each_index(const Shape& shape, const F& f) {
  Index i;
  for (int64_t d : shape) {
    if (d == 0) return;
    i.push_back(0);
  }
  for (;;) {
    f(i);
    int k = shape.rank() - 1;
    for (; k >= 0 && ++i[k] == shape[k]; --k) i[k] = 0;
    if (k < 0) return;
  }
}
template <class F>
Array build(const Shape& shape, const F& f) {
  Array y{shape, {}};
  each_index(shape, [&](const Index& i) { y.elements.push_back(f(i)); });
  return y;
}
inline Array filled(const Shape& shape, Number value) {
  return build(shape, [&](const Index&) { return Real(value); });
}
// y[to(i)] is the sum of all x[i] that go there.
template <class F>
Array scatter(const Array& x, const Shape& shape, const F& to) {
  Array y = filled(shape, 0);
  each_index(x.shape, [&](const Index& i) { y(to(i)) = y(to(i)) + x(i); });
  return y;
}

inline Shape broadcast(const Shape& a, const Shape& b) {
  Shape out = a.rank() >= b.rank() ? a : b;
  const Shape& other = a.rank() >= b.rank() ? b : a;
  for (int k = 0; k < other.rank(); ++k) {
    int64_t& d = out[out.rank() - other.rank() + k];
    if (d != other[k] && d != 1 && other[k] != 1) throw std::out_of_range("slow: broadcast");
    if (d == 1) d = other[k];
  }
  return out;
}
template <class F>
Array map(const Array& x, const F& f) {
  return build(x.shape, [&](const Index& i) { return f(x(i)); });
}
template <class F>
Array map(const Array& a, const Array& b, const F& f) {
  return build(broadcast(a.shape, b.shape), [&](const Index& i) { return f(a.spread(i), b.spread(i)); });
}

inline bool holds(const Dims& axes, int axis, int rank) {
  bool any = axes.rank() == 0;  // no axes: all of them
  for (int64_t a : axes) any = any || from_start(a, rank) == axis;
  return any;
}
// f of the elements under each result, in row-major order.
template <class F>
Array reduce(const Array& x, const Dims& axes, bool keep, const F& f) {
  Shape kept, y;
  for (int k = 0; k < x.rank(); ++k) {
    bool gone = holds(axes, k, x.rank());
    kept.push_back(gone ? 1 : x.shape[k]);
    if (!gone || keep) y.push_back(kept[k]);
  }
  Array place{kept, Row(static_cast<size_t>(heed::element_count(kept)))};
  std::vector<Row> under(place.elements.size());
  each_index(x.shape, [&](const Index& i) { under[place.offset(aligned(i, kept))].push_back(x(i)); });
  Array out{y, {}};
  for (const Row& row : under) out.elements.push_back(f(row));
  return out;
}
// f of every row along one axis: as many elements as it likes, the same number for every row.
template <class F>
Array along(const Array& x, int64_t axis, int64_t size, const F& f) {
  int k = from_start(axis, x.rank());
  Shape outer = x.shape, shape = x.shape;
  outer[k] = 1;
  shape[k] = size;
  Array y = filled(shape, 0);
  each_index(outer, [&](Index i) {
    Row row;
    for (i[k] = 0; i[k] < x.shape[k]; ++i[k]) row.push_back(x(i));
    Row out = f(row);
    for (i[k] = 0; i[k] < size; ++i[k]) y(i) = out.at(static_cast<size_t>(i[k]));
  });
  return y;
}

inline Real total(const Row& x) {
  Real s = 0;
  for (const Real& e : x) s = s + e;
  return s;
}
inline Number largest(const Row& x) {
  Number top = -INFINITY;
  for (const Real& e : x) top = std::max(top, e.v());
  return top;
}
// A number of which nothing is asked, nor of its slopes.
inline Real nothing(const Row& x, Number value) {
  Real y = Real(value);
  for (const Real& e : x) y = binary(y, e, {value}, {NAN}, {NAN});
  return y;
}
// e^x / sum e^x; a row of -inf gets zeros. Beside +inf it has no value.
inline Row softmax(const Row& x) {
  Number top = largest(x);
  if (top == INFINITY) return Row(x.size(), nothing(x, NAN));
  Row y;
  for (const Real& e : x) y.push_back(std::isinf(top) ? Real(0) : exp(e - top));
  if (std::isinf(top)) return y;
  Real s = total(y);
  for (Real& e : y) e = e / s;
  return y;
}
inline Real log_sum_exp(const Row& x) {
  Number top = largest(x);
  if (std::isinf(top)) return top > 0 ? nothing(x, top) : Real(top);
  Real s = 0;
  for (const Real& e : x) s = s + exp(e - top);
  return log(s) + top;
}

}  // namespace slow
