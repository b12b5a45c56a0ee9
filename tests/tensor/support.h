// What the tests of this folder share: slow references that read a tensor index by index, the layouts that every kernel
// must cope with, distances in units of the last place, and the sentence of an error.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/kernels/machine.h"
#include "tensor/tensor.h"
#include "tensor/thread_pool.h"

namespace heed::test {

using Index = std::vector<int64_t>;

// Every index of a shape in row-major order; one empty index for a scalar.
inline std::vector<Index> indices(const Shape& shape) {
  std::vector<Index> out = {{}};
  for (int64_t size : shape) {
    std::vector<Index> longer;
    for (const Index& index : out)
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    out = std::move(longer);
  }
  return out;
}

// The element at an index, by the definition of strides.
template <class T>
T& element(const Tensor& t, const Index& index) {
  T* p = t.data<T>();
  for (size_t axis = 0; axis < index.size(); ++axis) p += index[axis] * t.strides()[static_cast<int>(axis)];
  return *p;
}
inline double value(const Tensor& t, const Index& index) {
  return dispatch(t.dtype(), [&](auto zero) { return static_cast<double>(element<decltype(zero)>(t, index)); });
}

// The index into a tensor of shape `from` that an index of the broadcast shape stands for.
inline Index broadcast_index(const Index& index, const Shape& from) {
  Index out;
  size_t lead = index.size() - static_cast<size_t>(from.rank());
  for (int axis = 0; axis < from.rank(); ++axis)
    out.push_back(from[axis] == 1 ? 0 : index[lead + static_cast<size_t>(axis)]);
  return out;
}

// The same elements in every memory layout: contiguous, transposed, sliced with steps, with gaps at the end of rows.
inline std::vector<Tensor> layouts_of(const Tensor& dense) {
  std::vector<Tensor> out = {dense};
  auto copied_into = [&](Tensor view) {
    copy_into(view, dense);
    out.push_back(view);
  };
  if (dense.rank() >= 2) {
    Shape swapped = dense.shape();
    std::swap(swapped[0], swapped[dense.rank() - 1]);
    copied_into(Tensor::full(swapped, 77, dense.dtype()).transpose(0, -1));
  }
  if (dense.rank() >= 1) {
    Shape wide = dense.shape();
    for (int i = 0; i < wide.rank(); ++i) wide[i] = 2 * wide[i] + 1;
    Tensor sliced = Tensor::full(wide, 77, dense.dtype());
    for (int i = 0; i < wide.rank(); ++i) sliced = sliced.slice(i, 1, wide[i], 2);
    copied_into(sliced);
    Shape gap = dense.shape();
    gap[gap.rank() - 1] += 3;
    copied_into(Tensor::full(gap, 77, dense.dtype()).slice(-1, 2, gap[gap.rank() - 1] - 1));
  }
  return out;
}

// |got - exact| in units of the last place of T at the exact value.
template <class T>
double ulps(T got, long double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  T rounded = static_cast<T>(exact);
  if (std::isinf(rounded)) return got == rounded ? 0 : std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(rounded, &exponent);
  if (rounded == 0) exponent = std::numeric_limits<T>::min_exponent;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

// The text of the error of type E that f throws.
template <class E, class F>
std::string sentence(const F& f) {
  try {
    f();
  } catch (const E& error) { return error.what(); } catch (const std::exception& other) {
    return std::string("another type of error: ") + other.what();
  }
  return "no error";
}

// The number of threads, put back at the end of the scope.
class Threads {
 public:
  explicit Threads(int n) : before_(thread_count()) { set_thread_count(n); }
  ~Threads() { set_thread_count(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Does f give the same bits with 1, 2 and 3 threads?
inline bool same_bits_for_any_threads(const std::function<Tensor()>& f) {
  Threads one(1);
  Tensor want = f();
  for (int n : {2, 3}) {
    Threads more(n);
    if (!bit_equal(f(), want)) return false;
  }
  return true;
}

// The same bits with AVX2 as with AVX-512, where a portable build chooses between them. (SSE2 has no fused
// multiply-adds, so its bits are others.)
inline bool same_bits_for_any_registers(const std::function<Tensor()>& f) {
  const int own = register_bytes();
  Tensor want = f();
  for (int bytes : {32, 64}) {
    if (own >= bytes) set_register_bytes(bytes);
    bool same = bit_equal(f(), want);
    set_register_bytes(own);
    if (!same) return false;
  }
  return true;
}

}  // namespace heed::test
