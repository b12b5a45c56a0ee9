// What the tests of modules share: seeded tensors, gradients of a module, and comparisons.
#pragma once

#include <algorithm>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/module.h"
#include "tensor/elementwise.h"
#include "tests/refuses.h"

namespace heed::nn_test {

using bad_input::message_of;

inline constexpr DType kF64 = DType::f64;

inline Tensor ids(const std::vector<int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); }
inline Tensor random(const Shape& shape, uint64_t seed, DType dtype = DType::f32) {
  Generator rng(seed);
  return Tensor::normal(shape, rng, 0, 1, DType::f64).to(dtype);
}
inline Variable leaf(const Tensor& value) { return {value.clone(), Variable::kRequiresGrad}; }
inline Variable leaf(const Shape& shape, uint64_t seed, DType dtype = DType::f32) {
  return {random(shape, seed, dtype), Variable::kRequiresGrad};
}

// A number that depends on every element of y, each in its own way.
inline Variable weighted_sum(const Variable& y, uint64_t seed = 77) {
  return sum(y * Variable(random(y.shape(), seed, y.dtype())));
}

inline bool all_zero(const Tensor& x) {
  for (double v : x.to_vector())
    if (v != 0) return false;
  return true;
}

// |a - b| <= tol * max(1, max |b|), as a number to compare with tol.
inline double relative_error(const Tensor& a, const Tensor& b) {
  double largest = 1;
  for (double v : b.to_vector()) largest = std::max(largest, std::abs(v));
  return max_abs_difference(a, b) / largest;
}

// The largest of the relative errors of each with its partner.
inline double apart(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, relative_error(a[i], b[i]));
  return worst;
}
inline void close(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tol) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) CHECK_MESSAGE(relative_error(a[i], b[i]) <= tol, i);
}

template <class M>
M make(const typename M::Options& options, uint64_t seed) {
  Generator rng(seed);
  return M(options, rng);
}
template <class M>
M built(const typename M::Options& options, DType dtype = kF64) {
  M m = make<M>(options, 3);
  nn::convert(m, dtype);
  return m;
}
// The same, all of its parameters from a normal distribution.
template <class M>
M drawn(const typename M::Options& options, DType dtype = kF64) {
  M m = built<M>(options, dtype);
  uint64_t seed = 40;
  for (auto& p : nn::named_parameters(m)) p.variable.set_value(random(p.variable.shape(), ++seed, dtype));
  return m;
}

// Copies of all gradients, in the order of named_parameters.
template <class M>
std::vector<Tensor> gradients(M& module) {
  std::vector<Tensor> out;
  for (auto& p : nn::named_parameters(module)) out.push_back(p.variable.grad().clone());
  return out;
}

// Every number equals its partner: NaN none, and -0 is 0.
inline bool equal_numbers(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i) same = a[i].to_vector() == b[i].to_vector();
  return same;
}

inline bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!bit_equal(a[i], b[i])) return false;
  return true;
}

// A batch for an encoder-decoder of nine words.
namespace two_sentences {
inline Tensor source() { return ids({4, 5, 6, 7, 3, 8, 4, 3, 0, 0}, {2, 5}); }
inline Tensor lengths() { return ids({5, 3}, {2}); }
inline Tensor target_in() { return ids({2, 4, 5, 6, 2, 6, 7, 0}, {2, 4}); }
}  // namespace two_sentences

}  // namespace heed::nn_test
