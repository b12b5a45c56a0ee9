// How exactly can differences check a gradient in f64 and in f32?  For dL/dA of L = sum tanh(A B), at many steps h.
//
//   error(h)  ~  h^2 |L'''|  +  u |L| / h      u: 1e-16 in f64, 6e-8 in f32
//
// The two terms are equal near h = u^(1/3). The error there is about u^(2/3): 1e-11 in f64 and 1e-5 in f32, times a
// factor that depends on L.
#pragma once

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/03_tensor_autograd/differences.h"

namespace heed {

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

}  // namespace heed
