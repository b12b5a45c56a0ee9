// A gradient by central differences, from two values of L for every element of x (lesson 02):
//
//   dL/dx_i  ~  (L(x + h e_i) - L(x - h e_i)) / 2h
//
// It computes in the element type of x, so that f32 can be compared with f64.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
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

// How exactly can differences check a gradient in f64 and in f32?  For dL/dA of L = sum tanh(A B), at many steps h.
//
//   error(h)  ~  h^2 |L'''|  +  u |L| / h      u: 1e-16 in f64, 6e-8 in f32
//
// The two terms are equal near h = u^(1/3). The error there is about u^(2/3): 1e-11 in f64 and 1e-5 in f32, times a
// factor that depends on L.
struct Sweep {
  std::vector<double> steps, errors;       // of the right gradient
  double best_step = 0, right = INFINITY;  // the step with the smallest error of the right gradient, and that error
  double wrong = INFINITY;                 // error of a gradient that is 0.01 % too large, at the same step
};

inline Sweep sweep_steps(DType dtype, const Tensor& a, const Tensor& b) {
  Variable leaf(a.to(dtype).clone(), Variable::kRequiresGrad), other(b.to(dtype));
  backward(sum(tanh(matmul(leaf, other))));
  Tensor dx = leaf.grad().to(DType::f64);
  auto loss = [&](const Tensor& at) { return sum(tanh(matmul(at, other))).item(); };
  Sweep s;
  for (int i = 20; i >= 2; --i) {  // 1e-10 to 0.1
    double h = std::pow(10, -0.5 * i);
    Tensor numeric = by_differences(loss, leaf.value(), h);
    double error = relative_error(dx, numeric);
    s.steps.push_back(h);
    s.errors.push_back(error);
    if (error >= s.right) continue;
    s.best_step = h;
    s.right = error;
    s.wrong = relative_error(mul(dx, 1.0001), numeric);
  }
  return s;
}

// Which product of dC and B is the gradient of A, for C = A B? The shapes tell, if the sizes differ.
//
//   {dC, dC^T} and {B, B^T} in both orders: eight products.     A [M, K], B [K, N], dC [M, N]
struct Products {
  int shape_fits = 0;   // products that have the shape of A
  int right = 0;        // how many of these are the gradient
  std::string formula;  // of the last right one
  std::string control;  // the same count for equal sizes, in words
};

inline Products gradients_of_a(int64_t M, int64_t K, int64_t N, double step, Generator& rng) {
  Tensor a = Tensor::uniform({M, K}, rng, -1, 1, DType::f64), b = Tensor::uniform({K, N}, rng, -1, 1, DType::f64);
  Tensor dc = Tensor::uniform({M, N}, rng, -1, 1, DType::f64);
  // With L = sum dC (A B) the gradient that arrives at C is dC.
  Tensor numeric = by_differences([&](const Tensor& at) { return sum(mul(dc, matmul(at, b))).item(); }, a, step);
  Products found;
  for (int choice = 0; choice < 8; ++choice) {
    Tensor p = choice & 1 ? dc.transpose(0, 1) : dc, q = choice & 2 ? b.transpose(0, 1) : b;
    std::string left = choice & 1 ? "dC^T" : "dC", right = choice & 2 ? "B^T" : "B";
    if (choice & 4) std::swap(p, q), std::swap(left, right);
    if (p.size(1) != q.size(0) || p.size(0) != M || q.size(1) != K) continue;
    ++found.shape_fits;
    if (relative_error(matmul(p, q), numeric) > 1e-4) continue;
    ++found.right;
    found.formula = left + " " + right;
  }
  return found;
}

}  // namespace heed
