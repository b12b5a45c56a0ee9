// Every test of the engine ends with as many live nodes and tensors as it began with:
//   TEST_CASE_FIXTURE(LeakFree, "...")
#pragma once

#include <doctest/doctest.h>

#include "autograd/modes.h"

struct LeakFree {
  heed::LeakCheck leaks;
  ~LeakFree() {
    CHECK(leaks.nodes() == 0);
    CHECK(leaks.tensors() == 0);
  }
};

// The text of the exception that f throws; "" if it throws none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const heed::Error& e) { return e.what(); }
  return "";
}

inline heed::Variable leaf(const std::vector<double>& values, const heed::Shape& shape) {
  return heed::Variable(heed::Tensor::from(values, shape), heed::Variable::kRequiresGrad);
}
inline heed::Variable leaf(const std::vector<double>& values) {
  return leaf(values, {static_cast<int64_t>(values.size())});
}
inline heed::Variable random_leaf(const heed::Shape& shape, uint64_t seed, heed::DType dtype = heed::DType::f64) {
  heed::Generator rng(seed);
  return heed::Variable(heed::Tensor::normal(shape, rng, 0, 1, dtype), heed::Variable::kRequiresGrad);
}
using Doubles = std::vector<double>;
