// What the tests of modules share: seeded tensors, the sentence of an error, values and gradients of one run.
#pragma once

#include <string>
#include <typeinfo>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/module.h"
#include "tensor/elementwise.h"

namespace heed::nn_test {

// The message of the error that f throws, provided that its type is exactly E.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::exception& error) {
    return typeid(error) == typeid(E) ? error.what() : std::string("another type of error: ") + error.what();
  }
  return "no error";
}

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

template <class M>
M make(const typename M::Options& options, uint64_t seed) {
  Generator rng(seed);
  return M(options, rng);
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

}  // namespace heed::nn_test
