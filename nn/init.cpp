#include "nn/init.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/matmul.h"

namespace heed::nn {

namespace {
constinit thread_local DType made_in = DType::f32;
constinit thread_local bool unset = false;

DType checked(DType dtype) {
  if (!is_float(dtype)) throw DTypeError(fmt::format("ParameterDType: a model is f32 or f64; got {}", name_of(dtype)));
  return dtype;
}

Variable parameter(Tensor value) { return {std::move(value), Variable::kRequiresGrad}; }

// A parameter whose values `draw` takes from the generator.
template <class Draw>
Variable drawn_parameter(const Shape& shape, Generator& rng, const Draw& draw) {
  if (!unset) return parameter(draw());
  Tensor value = Tensor::empty(shape, made_in);
  rng = Generator(rng.seed(), rng.offset() + random_blocks(value.count()));
  return parameter(std::move(value));
}
}  // namespace

DType parameter_dtype() { return made_in; }
ParameterDType::ParameterDType(DType dtype) : scope_(made_in, checked(dtype)) {}
UnsetParameters::UnsetParameters() : scope_(unset, true) {}

Variable uniform_parameter(const Shape& shape, int64_t n, Generator& rng) {
  double a = n > 0 ? 1 / std::sqrt(static_cast<double>(n)) : 0;
  return drawn_parameter(shape, rng, [&] { return Tensor::uniform(shape, rng, -a, a, made_in); });
}
Variable normal_parameter(const Shape& shape, double std, Generator& rng) {
  return drawn_parameter(shape, rng, [&] { return Tensor::normal(shape, rng, 0, std, made_in); });
}
Variable full_parameter(const Shape& shape, double value) {
  return parameter(unset ? Tensor::empty(shape, made_in) : Tensor::full(shape, value, made_in));
}
Variable zeros_parameter(const Shape& shape) { return full_parameter(shape, 0); }
Variable ones_parameter(const Shape& shape) { return full_parameter(shape, 1); }
Variable xavier_parameter(const Shape& shape, Generator& rng) {
  return drawn_parameter(shape, rng, [&] { return init::xavier_uniform(shape, rng, 1, made_in); });
}

namespace init {
namespace {

struct Fans {
  double in, out;
};
Fans fans_of(const char* name, const Shape& shape) {
  if (shape.rank() < 2) throw ShapeError(fmt::format("{}: needs weights [O, I, ..]; got {}", name, to_string(shape)));
  double behind = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) behind *= static_cast<double>(shape[axis]);
  return {static_cast<double>(shape[1]) * behind, static_cast<double>(shape[0]) * behind};
}

// A layer without fans has no elements to fill.
double root(double variance) { return std::isfinite(variance) ? std::sqrt(variance) : 0; }
double xavier_std(const char* name, const Shape& shape, double gain) {
  Fans fans = fans_of(name, shape);
  return gain * root(2 / (fans.in + fans.out));
}
double kaiming_std(const char* name, const Shape& shape, const KaimingOptions& o) {
  Fans fans = fans_of(name, shape);
  return gain(o.nonlinearity, o.slope) * root(1 / (o.fan == Fan::in ? fans.in : fans.out));
}
Tensor symmetric(const Shape& shape, Generator& rng, double std, DType dtype) {  // U(-a, a) has the variance a^2 / 3
  double a = std::sqrt(3.0) * std;
  return Tensor::uniform(shape, rng, -a, a, dtype);
}

double below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }  // P(N(0, 1) < z)

}  // namespace

Tensor constant(const Shape& shape, double value, DType dtype) { return Tensor::full(shape, value, dtype); }

Tensor uniform(const Shape& shape, Generator& rng, Interval range, DType dtype) {
  return Tensor::uniform(shape, rng, range.low, range.high, dtype);
}

Tensor normal(const Shape& shape, Generator& rng, Bell bell, DType dtype) {
  return Tensor::normal(shape, rng, bell.mean, bell.std, dtype);
}

Tensor truncated_normal(const Shape& shape, Generator& rng, Bell bell, Interval range, DType dtype) {
  require_sizes("truncated_normal", shape);
  double low = (range.low - bell.mean) / bell.std, high = (range.high - bell.mean) / bell.std;
  // Computed in whichever tail does not cancel.
  double held = low > 0 ? below(-low) - below(-high) : below(high) - below(low);
  if (!(held >= 0.01))
    throw ValueError(fmt::format(
        "truncated_normal: [low, high] must hold at least 1 % of the values; got [{}, {}] of mean {} and std {}",
        range.low, range.high, bell.mean, bell.std));
  std::vector<double> values(static_cast<size_t>(element_count(shape)));
  for (double& v : values) {
    do v = bell.mean + bell.std * rng.normal();
    while (!(range.low <= v && v <= range.high));
  }
  return Tensor::from(values, shape).to(dtype);
}

double gain(Nonlinearity f, double slope) {
  switch (f) {
    case Nonlinearity::linear:
    case Nonlinearity::sigmoid:
      return 1;
    case Nonlinearity::tanh:
      return 5.0 / 3;
    case Nonlinearity::relu:
      return std::sqrt(2.0);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2 / (1 + slope * slope));
  }
  throw ValueError(fmt::format("gain: the nonlinearity must be one of the five; got number {}", static_cast<int>(f)));
}

Tensor xavier_uniform(const Shape& shape, Generator& rng, double gain, DType dtype) {
  return symmetric(shape, rng, xavier_std("xavier_uniform", shape, gain), dtype);
}
Tensor xavier_normal(const Shape& shape, Generator& rng, double gain, DType dtype) {
  return Tensor::normal(shape, rng, 0, xavier_std("xavier_normal", shape, gain), dtype);
}
Tensor kaiming_uniform(const Shape& shape, Generator& rng, const KaimingOptions& o, DType dtype) {
  return symmetric(shape, rng, kaiming_std("kaiming_uniform", shape, o), dtype);
}
Tensor kaiming_normal(const Shape& shape, Generator& rng, const KaimingOptions& o, DType dtype) {
  return Tensor::normal(shape, rng, 0, kaiming_std("kaiming_normal", shape, o), dtype);
}

// Gram-Schmidt on the rows of a Gaussian matrix, whose directions are all equally likely. Because of rounding, one pass
// leaves a small component along the earlier rows; a second pass reduces it to the last bit (Giraud et al. 2005).
Tensor orthogonal(const Shape& shape, Generator& rng, double gain, DType dtype) {
  if (shape.rank() < 2) throw ShapeError(fmt::format("orthogonal: needs weights [O, I, ..]; got {}", to_string(shape)));
  int64_t rows = shape[0], columns = rows > 0 ? element_count(shape) / rows : 0;
  int64_t n = std::min(rows, columns), m = std::max(rows, columns);
  Tensor q = Tensor::normal({n, m}, rng, 0, 1, DType::f64);  // [n, m]: n orthonormal rows of the longer length
  for (int64_t k = 0; k < n; ++k) {
    Tensor row = q.slice(0, k, k + 1), before = q.slice(0, 0, k);  // [1, m], [k, m]
    for (int pass = 0; pass < 2 && k > 0; ++pass)
      add_into(row, matmul(matmul(row, before.transpose(0, 1)), before), -1);
    scale_into(row, 1 / std::sqrt(matmul(row, row.transpose(0, 1)).item()));
  }
  scale_into(q, gain);
  return (rows <= columns ? q : q.transpose(0, 1).contiguous()).to(dtype).view(shape);
}

}  // namespace init
}  // namespace heed::nn
