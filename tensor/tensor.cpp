// Creating and reading tensors; views are in views.cpp, mathematics in the other files of this folder.
#include "tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include "tensor/elementwise.h"
#include "tensor/row_places.h"
#include "tensor/thread_pool.h"

namespace heed {

Tensor Tensor::row_major(LayoutRef layout, DType dtype) {
  Tensor t;
  t.storage_ = Storage::make(static_cast<size_t>(layout->count) * size_of(dtype));
  t.layout_ = std::move(layout);
  t.dtype_ = dtype;
  return t;
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor t = empty(shape, dtype);
  std::memset(t.storage_->data(), 0, t.storage_->bytes);
  return t;
}
Tensor Tensor::ones(const Shape& shape, DType dtype) { return full(shape, 1, dtype); }
Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor t = empty(shape, dtype);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* x = t.data<T>();
    std::fill(x, x + t.count(), convert<T>(value));
  });
  return t;
}
Tensor Tensor::scalar(double value, DType dtype) { return full({}, value, dtype); }
Tensor Tensor::arange(int64_t count, DType dtype) {
  Tensor t = empty({count}, dtype);
  dispatch_number(dtype, "arange", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) t.data<T>()[i] = static_cast<T>(i);
  });
  return t;
}
Tensor Tensor::arange(double begin, double end, double step, DType dtype) {
  double count = std::ceil((end - begin) / step);
  if (!(step != 0 && count >= 0 && count < 0x1p46))
    throw ValueError(
        fmt::format("arange: the steps must lead from begin to end; got {}, {}, step {}", begin, end, step));
  Tensor t;
  dispatch_number(dtype, "arange", [&](auto zero) {
    using T = decltype(zero);
    auto at = [=](int64_t i) { return begin + static_cast<double>(i) * step; };
    // The end is not included. A number counts as the end if it is at the end or beyond it after rounding to the type,
    // or if it is equal to the end in the type and no further from it than rounding errors of f64.
    using Stored = std::conditional_t<std::is_floating_point_v<T>, T, double>;
    const double error = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(begin), std::abs(end));
    auto reaches_end = [=](double x) {
      auto stored = static_cast<double>(static_cast<Stored>(x));
      double left = step > 0 ? end - std::max(x, stored) : std::min(x, stored) - end;
      return left <= 0 || (left <= error && static_cast<Stored>(x) == static_cast<Stored>(end));
    };
    auto n = static_cast<int64_t>(count);
    while (n > 0 && reaches_end(at(n - 1))) --n;
    t = empty({n}, dtype);
    for (int64_t i = 0; i < n; ++i) t.data<T>()[i] = convert<T>(at(i));
  });
  return t;
}
// The second half counts from the end, so that the last element is `end` to the bit.
Tensor Tensor::linspace(double begin, double end, int64_t count, DType dtype) {
  if (count < 0) throw ValueError(fmt::format("linspace: the count must not be negative; got {}", count));
  Tensor t = empty({count}, dtype);
  double steps = static_cast<double>(std::max<int64_t>(count - 1, 1)), step = (end - begin) / steps;
  if (!std::isfinite(step)) step = end / steps - begin / steps;
  dispatch_float(dtype, "linspace", [&](auto zero) {
    using T = decltype(zero);
    T* x = t.data<T>();
    for (int64_t i = 0; i < count; ++i)
      x[i] = static_cast<T>(2 * i < count ? begin + static_cast<double>(i) * step
                                          : end - static_cast<double>(count - 1 - i) * step);
  });
  return t;
}
Tensor Tensor::eye(int64_t size, DType dtype) {
  Tensor t = zeros({size, size}, dtype);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < size; ++i) t.data<T>()[i * size + i] = T(1);
  });
  return t;
}

namespace {
template <class T, class From>
Tensor copy_values(const std::vector<From>& values, const Shape& shape) {
  require_sizes("from", shape);
  if (static_cast<int64_t>(values.size()) != element_count(shape))
    throw ShapeError(fmt::format("from: the number of values must be the product of the sizes; got {} values and {}",
                                 values.size(), to_string(shape)));
  Tensor t = Tensor::empty(shape, DTypeOf<T>::value);
  for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = static_cast<T>(values[i]);
  return t;
}

// 53 bits of two words, in [0, 1): never rounded up to 1.
double unit(uint32_t high, uint32_t low) {
  return static_cast<double>(static_cast<uint64_t>(high) << 21 | low >> 11) * 0x1.0p-53;
}

// Fills t with random numbers; each Philox block of the stream gives two elements.
template <class Make>
void fill_random(Tensor& t, Generator& rng, const Make& make) {
  const RowPlaces rows = row_places();
  int64_t n = t.count(), blocks = static_cast<int64_t>(random_blocks(n));
  uint64_t seed = rng.seed(), first = rng.reserve(random_blocks(rows.whole_count(t.shape())));
  dispatch_float(t.dtype(), "random", [&](auto zero) {
    using T = decltype(zero);
    T* x = t.data<T>();
    if (rows.axis == 0 && rows.fit(t.shape())) {  // the numbers of these rows in the whole batch
      for (int64_t row = 0, all = t.size(0), run = n / all; row < all; ++row)
        for (int64_t i = 0; i < run; ++i) {
          const auto at = static_cast<uint64_t>(rows.place(row, all) * run + i);
          auto w = philox(seed, first + at / 2);
          auto [p, q] = make(unit(w[0], w[1]), unit(w[2], w[3]), zero);
          x[row * run + i] = static_cast<T>(at % 2 == 0 ? p : q);
        }
      return;
    }
    parallel_for(0, blocks, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        auto w = philox(seed, first + static_cast<uint64_t>(b));
        double u = unit(w[0], w[1]), v = unit(w[2], w[3]);
        auto [p, q] = make(u, v, zero);
        x[2 * b] = static_cast<T>(p);
        if (2 * b + 1 < n) x[2 * b + 1] = static_cast<T>(q);
      }
    });
  });
}
}  // namespace

Tensor Tensor::from(const std::vector<float>& v, const Shape& shape) { return copy_values<float>(v, shape); }
Tensor Tensor::from(const std::vector<double>& v, const Shape& shape) { return copy_values<double>(v, shape); }
Tensor Tensor::from(const std::vector<int64_t>& v, const Shape& shape) { return copy_values<int64_t>(v, shape); }
Tensor Tensor::from_bools(const std::vector<int>& v, const Shape& shape) { return copy_values<bool>(v, shape); }

Tensor Tensor::uniform(const Shape& shape, Generator& rng, double low, double high, DType dtype) {
  auto stored = [=](double x) { return dtype == DType::f32 ? static_cast<double>(static_cast<float>(x)) : x; };
  if (!(low <= high) || !std::isfinite(stored(low)) || !std::isfinite(stored(high)))
    throw ValueError(fmt::format("uniform: needs a finite low <= high; got {} and {}", low, high));
  double first = stored(low), end = stored(high);  // first: the smallest number of the type that is at least low
  if (first < low && low < high)
    first = std::nextafter(static_cast<float>(first), INFINITY);  // f32: an f64 is stored as it is
  if (low < high && !(first < end))
    throw ValueError(fmt::format("uniform: [low, high) must hold a number of type {}; got low {} and high {}",
                                 name_of(dtype), low, high));
  Tensor t = empty(shape, dtype);
  // Only as many random bits as the type can hold: otherwise numbers just below `high` would often be rounded up to it.
  double steps = dtype == DType::f32 ? 0x1.0p24 : 0x1.0p53, step = 1 / steps;
  double part = std::isfinite(high - low) ? 1 : 0.5;  // high - low may overflow: then computed in halves
  double begin = low * part, width = high * part - begin, whole = 1 / part;
  auto place = [=](double u, auto zero) {
    using T = decltype(zero);
    auto n = static_cast<double>(static_cast<int64_t>(u * steps));  // floor, without a call
    T x = static_cast<T>((begin + width * (n * step)) * whole);
    // A number that is rounded up to `end` becomes `first` instead, which would otherwise be drawn too rarely: no
    // number below `low` is rounded up to it.
    return static_cast<T>(first) <= x && x < static_cast<T>(end) ? x : static_cast<T>(first);
  };
  fill_random(t, rng, [=](double u, double v, auto zero) { return std::pair(place(u, zero), place(v, zero)); });
  return t;
}
Tensor Tensor::normal(const Shape& shape, Generator& rng, double mean, double std, DType dtype) {
  if (!(std >= 0) || !std::isfinite(std) || !std::isfinite(mean))
    throw ValueError(fmt::format("normal: needs a finite mean and std at least 0; got mean {} and std {}", mean, std));
  Tensor t = empty(shape, dtype);
  fill_random(t, rng, [=](double u, double v, auto) {  // Box-Muller: two uniforms give two normals
    double r = std * std::sqrt(-2.0 * std::log(1.0 - u)), angle = 2.0 * std::numbers::pi * v;
    return std::pair(mean + r * std::cos(angle), mean + r * std::sin(angle));
  });
  return t;
}

double Tensor::item() const {
  if (!defined()) throw ValueError("item: the tensor must be defined; got an undefined one");
  if (count() != 1) throw ShapeError(fmt::format("item: needs exactly one element; got {}", to_string(shape())));
  return dispatch(dtype_, [&](auto zero) { return static_cast<double>(*data<decltype(zero)>()); });
}

namespace {
int64_t position(const Tensor& t, std::initializer_list<int64_t> index) {
  if (static_cast<int>(index.size()) != t.rank())
    throw IndexError(
        fmt::format("at: needs one index for each axis; got {} for {}", index.size(), to_string(t.shape())));
  int64_t at = 0;
  int axis = 0;
  for (int64_t i : index) {
    int64_t n = t.shape()[axis];
    if (i < -n || i >= n)
      throw IndexError(fmt::format("at: an index must lie in [{}, {}); got {} on axis {} of {}", -n, n, i, axis,
                                   to_string(t.shape())));
    at += (i < 0 ? i + n : i) * t.strides()[axis++];
  }
  return at;
}
}  // namespace

double Tensor::at(std::initializer_list<int64_t> index) const {
  int64_t i = position(*this, index);
  return dispatch(dtype_, [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[i]); });
}
void Tensor::set(std::initializer_list<int64_t> index, double value) {
  int64_t i = position(*this, index);
  dispatch(dtype_, [&](auto zero) { data<decltype(zero)>()[i] = scalar_as<decltype(zero)>("set", value); });
  mark_written("set");
}

std::vector<double> Tensor::to_vector() const {
  Tensor dense = contiguous();
  std::vector<double> values(static_cast<size_t>(count()));
  dispatch(dtype_, [&](auto zero) {
    auto* x = dense.data<decltype(zero)>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(x[i]);
  });
  return values;
}

void Tensor::mark_written(const char* operation) {
  ++storage().version;
  storage_->writer = operation;
  storage_->writer_path = current_path();
}

void Tensor::refuse_type(DType wanted) const {
  if (!defined()) refuse_undefined();
  throw DTypeError(fmt::format("data: the type asked for must be the tensor's; got {} for a tensor of {} {}",
                               name_of(wanted), name_of(dtype_), to_string(shape())));
}

void Tensor::refuse_undefined() { throw ValueError("tensor: must be defined before use; got an undefined one"); }

void require_same_dtype(const char* operation, const Tensor& a, const Tensor& b) {
  for (const Tensor* t : {&a, &b})
    if (!t->defined())
      throw ValueError(fmt::format("{}: both tensors must be defined; got {} undefined", operation,
                                   a.defined()   ? "b"
                                   : b.defined() ? "a"
                                                 : "both"));
  if (a.dtype() != b.dtype())
    throw DTypeError(fmt::format("{}: both must have one dtype; got a {} {} and b {} {}; convert one with to(...)",
                                 operation, name_of(a.dtype()), to_string(a.shape()), name_of(b.dtype()),
                                 to_string(b.shape())));
}

}  // namespace heed
