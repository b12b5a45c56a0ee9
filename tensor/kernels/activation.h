// The activation functions and their gradients, one pass over memory each. dx = dy f'(x).
//
//   leaky_relu  x > 0 ? x : slope x                      f' = x > 0 ? 1 : slope
//   elu         x > 0 ? x : alpha (e^x - 1)              f' = x > 0 ? 1 : alpha e^x
//   gelu        x Phi(x),  Phi(x) = (1 + erf(x / sqrt 2)) / 2            f' = Phi + x exp(-x^2 / 2) / sqrt(2 pi)
//   gelu, tanh  x (1 + t) / 2,  t = tanh(sqrt(2 / pi) (x + 0.044715 x^3))
//   silu        x s,  s = sigmoid(x)                     f' = s (1 + x (1 - s))
//   mish        x t,  t = tanh(log(1 + e^x))             f' = t + x (1 - t^2) sigmoid(x)
//   softplus    log(1 + e^(beta x)) / beta               f' = sigmoid(beta x);  x itself where beta x > threshold
//
// f32 and f64 (DTypeError). At minus infinity gelu, silu and mish are 0, their limit, and so are their gradients.
#pragma once

#include "tensor/tensor.h"

namespace heed {

enum class Gelu { exact, tanh_form };  // tanh_form: the approximation of the first GPT models, off by at most 5e-4

struct SoftplusOptions {
  double beta = 1;
  double threshold = 20;  // beyond it the bend is less than 2e-9 / beta and y = x
};

Tensor leaky_relu(const Tensor& x, double slope = 0.01);
Tensor elu(const Tensor& x, double alpha = 1);
Tensor gelu(const Tensor& x, Gelu form = Gelu::exact);
Tensor silu(const Tensor& x);
Tensor mish(const Tensor& x);
Tensor softplus(const Tensor& x, const SoftplusOptions& options = {});  // ValueError unless beta > 0

// From y = f(x), which is what these two keep:  tanh' = 1 - y^2,  sigmoid' = y (1 - y).
Tensor tanh_backward(const Tensor& y, const Tensor& dy);
Tensor sigmoid_backward(const Tensor& y, const Tensor& dy);
Tensor relu_backward(const Tensor& x, const Tensor& dy);
Tensor leaky_relu_backward(const Tensor& x, const Tensor& dy, double slope);
Tensor elu_backward(const Tensor& x, const Tensor& dy, double alpha);
Tensor gelu_backward(const Tensor& x, const Tensor& dy, Gelu form);
Tensor silu_backward(const Tensor& x, const Tensor& dy);
Tensor mish_backward(const Tensor& x, const Tensor& dy);
Tensor softplus_backward(const Tensor& x, const Tensor& dy, const SoftplusOptions& options);

}  // namespace heed
