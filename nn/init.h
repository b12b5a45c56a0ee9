// Initial values of parameters.
//
// A layer y = W x keeps the variance of its signals where Var(W) = gain^2 / fan: then neither values nor gradients die
// out or explode with depth. fan_in = I R and fan_out = O R for weights [O, I, ..] with R the product of the axes
// behind; the gain makes up for what the nonlinearity takes away. In place of a layer's own values:
//
//   layer.weight.set_value(init::kaiming_normal(layer.weight.shape(), rng));
#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"
#include "tensor/scope.h"

namespace heed::nn {

// Parameters are made in f32. While a ParameterDType lives, this thread makes them in its dtype:
//
//   ParameterDType guard(DType::f64);
//   Linear layer({.in = 3, .out = 4}, rng);      // in f64, without a convert() afterwards
//
// Both draw the same random numbers: the values agree up to rounding.
DType parameter_dtype();
class ParameterDType {
 public:
  explicit ParameterDType(DType dtype);  // DTypeError unless f32 or f64

 private:
  ScopedValue<DType> scope_;
};

// U(-1/sqrt(n), 1/sqrt(n)): what PyTorch gives Linear (n inputs) and recurrent layers (n hidden units).
Variable uniform_parameter(const Shape& shape, int64_t n, Generator& rng);
// N(0, std^2).
Variable normal_parameter(const Shape& shape, double std, Generator& rng);
Variable full_parameter(const Shape& shape, double value);
Variable zeros_parameter(const Shape& shape);
Variable ones_parameter(const Shape& shape);
Variable xavier_parameter(const Shape& shape, Generator& rng);  // init::xavier_uniform

namespace init {

Tensor constant(const Shape& shape, double value, DType dtype = DType::f32);

struct Interval {
  double low, high;
};
Tensor uniform(const Shape& shape, Generator& rng, Interval range, DType dtype = DType::f32);  // U[low, high)

struct Bell {
  double mean = 0, std = 1;
};
Tensor normal(const Shape& shape, Generator& rng, Bell bell = {}, DType dtype = DType::f32);  // N(mean, std^2)
// N(mean, std^2) given that the value lies in `range`: drawn again until it does, and so for ranges that hold at least
// one value in a hundred.
Tensor truncated_normal(const Shape& shape, Generator& rng, Bell bell, Interval range, DType dtype = DType::f32);

enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu };
// 1 for linear and sigmoid; 5/3 for tanh; sqrt(2) for relu; sqrt(2 / (1 + slope^2)) for leaky_relu  (He et al., ICCV
// 2015, eq. 10 and 15; 5/3 keeps the variance of a deep tanh network near its fixed point).
double gain(Nonlinearity f, double slope = 0.01);

// Variance gain^2 2 / (fan_in + fan_out), a compromise of forward (fan_in) and backward (fan_out)     (Glorot and
// Bengio, AISTATS 2010, eq. 12 and 16). uniform: U(-a, a), a = gain sqrt(6 / (fan_in + fan_out)).
Tensor xavier_uniform(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);
Tensor xavier_normal(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);

// Variance gain^2 / fan_in, which keeps the variance of the values (eq. 10), or gain^2 / fan_out, which keeps that of
// the gradients (eq. 14)     (He et al., ICCV 2015). uniform: U(-a, a), a = gain sqrt(3 / fan).
enum class Fan { in, out };
struct KaimingOptions {
  Fan fan = Fan::in;
  Nonlinearity nonlinearity = Nonlinearity::relu;
  double slope = 0.01;  // of leaky_relu
};
Tensor kaiming_uniform(const Shape& shape, Generator& rng, const KaimingOptions& options = {},
                       DType dtype = DType::f32);
Tensor kaiming_normal(const Shape& shape, Generator& rng, const KaimingOptions& options = {}, DType dtype = DType::f32);

// W [O, M], M the product of the axes behind: W W^T = gain^2 1 where O <= M, else W^T W = gain^2 1. It turns and
// mirrors, but stretches nothing, so that a linear network of any depth keeps every length (Saxe, McClelland and
// Ganguli, ICLR 2014). All such W are equally likely. Gates stacked in one matrix want one W each: concat them.
Tensor orthogonal(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);

}  // namespace init
}  // namespace heed::nn
