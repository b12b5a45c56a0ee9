// A gradient by central differences, from two values of L for every element of x (lesson 02):
//
//   dL/dx_i  ~  (L(x + h e_i) - L(x - h e_i)) / 2h
//
// It computes in the element type of x, so that f32 can be compared with f64.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "tensor/tensor.h"

namespace heed {

inline Tensor by_differences(const std::function<double(const Tensor&)>& loss, const Tensor& at, double step) {
  Tensor x = at.clone(), flat = x.view({x.count()}), slope = Tensor::zeros({x.count()}, DType::f64);
  for (int64_t i = 0; i < x.count(); ++i) {
    double kept = flat.at({i});
    flat.set({i}, kept + step);
    double up = loss(x);
    flat.set({i}, kept - step);
    slope.set({i}, (up - loss(x)) / (2 * step));
    flat.set({i}, kept);
  }
  return slope.view(at.shape());
}

// The largest |analytic - numeric| / max(|analytic|, |numeric|) of all elements.
inline double relative_error(const Tensor& analytic, const Tensor& numeric) {
  std::vector<double> a = analytic.to_vector(), n = numeric.to_vector();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != n[i]) worst = std::max(worst, std::fabs(a[i] - n[i]) / std::max(std::fabs(a[i]), std::fabs(n[i])));
  return worst;
}

}  // namespace heed
