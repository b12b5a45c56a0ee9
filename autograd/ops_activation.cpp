#include "autograd/ops_activation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_elementary.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// `fused(x, dy)` is the gradient in one pass. When the gradient itself is recorded, `slope(x)` is f' from public
// operations: what to read first, and the twin that the fused one is tested against.
template <class Fused, class Slope>
Variable activation(const char* name, const Variable& x, const Tensor& y, Fused fused, Slope slope) {
  return attach(name, {x}, y, [sx = save(x), fused, slope](Grads& g, const Variable& dy) {
    if (!g.recording()) return g.add(0, fused(g[sx].value(), dy.value()));
    g.add(0, dy * slope(g[sx]));
  });
}

Variable constant(double value, const Variable& like) { return Tensor::scalar(value, like.dtype()); }

}  // namespace

Variable leaky_relu(const Variable& x, double slope) {
  if (slope == 0) return relu(x);  // which chooses, where a product of 0 and an infinite dy would be NaN
  return activation(
      "leaky_relu", x, leaky_relu(x.value(), slope),
      [slope](const Tensor& v, const Tensor& dy) { return leaky_relu_backward(v, dy, slope); },
      [slope](const Variable& v) { return where(greater(v.value(), 0), constant(1, v), constant(slope, v)); });
}

Variable elu(const Variable& x, double alpha) {
  return activation(
      "elu", x, elu(x.value(), alpha),
      [alpha](const Tensor& v, const Tensor& dy) { return elu_backward(v, dy, alpha); },
      [alpha](const Variable& v) {
        Tensor positive = greater(v.value(), 0);
        return where(positive, constant(1, v), exp(masked_fill(v, positive, 0)) * alpha);
      });
}

// With these two numbers a normal x of mean 0 and variance 1 gives a y of mean 0 and variance 1 (their section 2).
Variable selu(const Variable& x) { return elu(x, 1.6732632423543772848) * 1.0507009873554804934; }

Variable gelu(const Variable& x, Gelu form) {
  return activation(
      "gelu", x, gelu(x.value(), form),
      [form](const Tensor& v, const Tensor& dy) { return gelu_backward(v, dy, form); },
      [form](const Variable& v) {
        if (form == Gelu::exact) {
          Variable phi = (erf(v * std::sqrt(0.5)) + 1) * 0.5;                       // the distribution
          return phi + v * exp(square(v) * -0.5) * std::sqrt(0.5 / std::acos(-1));  // and its density
        }
        double k = std::sqrt(2 / std::acos(-1)), cubic = 0.044715;
        Variable t = tanh((v + square(v) * v * cubic) * k), inner = (square(v) * (3 * cubic) + 1) * k;
        return (t + 1) * 0.5 + v * (1 - square(t)) * inner * 0.5;
      });
}

Variable silu(const Variable& x) {
  return activation("silu", x, silu(x.value()), silu_backward, [](const Variable& v) {
    Variable s = sigmoid(v);
    return s * (v * (1 - s) + 1);
  });
}

Variable softplus(const Variable& x, const SoftplusOptions& o) {
  return activation(
      "softplus", x, softplus(x.value(), o),
      [o](const Tensor& v, const Tensor& dy) { return softplus_backward(v, dy, o); },
      [o](const Variable& v) {
        Variable z = v * o.beta;
        return where(greater(z.value(), o.threshold), constant(1, v), sigmoid(z));
      });
}

Variable mish(const Variable& x) {
  return activation("mish", x, mish(x.value()), mish_backward, [](const Variable& v) {
    Variable t = tanh(softplus(v));
    return t + v * (1 - square(t)) * sigmoid(v);
  });
}

Variable hardtanh(const Variable& x, double low, double high) {
  if (!(low < high)) throw ValueError(fmt::format("hardtanh: low must be less than high; got {} and {}", low, high));
  require_float("hardtanh", x.dtype());
  return attach("hardtanh", {x}, clamp(x.value(), low, high), [=, sx = save(x)](Grads& g, const Variable& dy) {
    Tensor v = g[sx].value();
    g.add(0, masked_fill(dy, logical_or(less_equal(v, low), greater_equal(v, high)), 0));
  });
}

}  // namespace heed
