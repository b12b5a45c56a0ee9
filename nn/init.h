// Initial values of parameters.
//
// A layer y = W x keeps the variance of its signals if Var(W) = gain^2 / fan. Then neither values nor gradients vanish
// or explode with depth. For weights [O, I, ..], fan_in = I R and fan_out = O R, where R is the product of the axes
// after the first two. The gain makes up for the variance that the nonlinearity removes. To replace initial values:
//
//   layer.weight.set_value(init::kaiming_normal(layer.weight.shape(), rng));
#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"
#include "tensor/scope.h"

namespace heed::nn {

// Parameters are f32 by default. While a ParameterDType exists, its thread creates them in the given dtype:
//
//   ParameterDType guard(DType::f64);
//   Linear layer({.in = 3, .out = 4}, rng);      // in f64, without a convert() afterwards
//
// Both dtypes draw the same random numbers, so the values agree up to rounding.
DType parameter_dtype();
class ParameterDType {
 public:
  explicit ParameterDType(DType dtype);  // DTypeError unless f32 or f64

 private:
  ScopedValue<DType> scope_;
};

// For a model that is about to be loaded. While an UnsetParameters exists, its thread creates parameters without
// initial values: their memory is allocated and not written, until load_state gives every parameter its value. The
// generator ends where it would have ended with the values, so that whatever is drawn later is the same.
//
//   Translator t = [&] { UnsetParameters guard; return Translator(parts, options, 0); }();
//   load_state(t.model, file, path);
class UnsetParameters {
 public:
  UnsetParameters();

 private:
  ScopedValue<bool> scope_;
};

// U(-1/sqrt(n), 1/sqrt(n)), as PyTorch initialises Linear (n inputs) and recurrent layers (n hidden units).
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
// N(mean, std^2) restricted to `range`: a value outside it is drawn again. To keep that cheap, the range must hold at
// least 1 % of the values; otherwise ValueError.
Tensor truncated_normal(const Shape& shape, Generator& rng, Bell bell, Interval range, DType dtype = DType::f32);

enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu };
// The gain of a nonlinearity: 1 for linear and sigmoid; 5/3 for tanh; sqrt(2) for relu; sqrt(2 / (1 + slope^2)) for
// leaky_relu (He et al., ICCV 2015, eq. 10 and 15). 5/3 keeps the variance of a deep tanh network near its fixed point.
double gain(Nonlinearity f, double slope = 0.01);

// The variance is gain^2 2 / (fan_in + fan_out), a compromise between the forward pass (fan_in) and the backward pass
// (fan_out)     (Glorot and Bengio, AISTATS 2010, eq. 12 and 16). uniform: U(-a, a),
// a = gain sqrt(6 / (fan_in + fan_out)).
Tensor xavier_uniform(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);
Tensor xavier_normal(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);

// The variance is gain^2 / fan_in, which keeps the variance of the values (eq. 10), or gain^2 / fan_out, which keeps
// that of the gradients (eq. 14)     (He et al., ICCV 2015). uniform: U(-a, a), a = gain sqrt(3 / fan).
enum class Fan { in, out };
struct KaimingOptions {
  Fan fan = Fan::in;
  Nonlinearity nonlinearity = Nonlinearity::relu;
  double slope = 0.01;  // negative slope, used by leaky_relu only
};
Tensor kaiming_uniform(const Shape& shape, Generator& rng, const KaimingOptions& options = {},
                       DType dtype = DType::f32);
Tensor kaiming_normal(const Shape& shape, Generator& rng, const KaimingOptions& options = {}, DType dtype = DType::f32);

// A matrix W [O, M], where M is the product of all axes but the first, with W W^T = gain^2 1 if O <= M and
// W^T W = gain^2 1 otherwise. It rotates and reflects but does not stretch (up to the gain), so a linear network of any
// depth keeps the length of every vector (Saxe, McClelland and Ganguli, ICLR 2014). All such W are equally likely. If
// one matrix stacks several gates, draw one W for each gate and concatenate them.
Tensor orthogonal(const Shape& shape, Generator& rng, double gain = 1, DType dtype = DType::f32);

}  // namespace init
}  // namespace heed::nn
