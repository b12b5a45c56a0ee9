#include "nn/attention/recurrences/initial_steps.h"

#include <algorithm>
#include <cmath>

namespace heed::nn {

Variable spread_parameter(const Shape& shape, Generator& rng, const std::function<double(double)>& f) {
  Variable p = uniform_parameter(shape, 1, rng);  // in [-1, 1)
  Tensor x = p.value().to(DType::f64).clone();
  for (double* i = x.data<double>(); i < x.data<double>() + x.count(); ++i) *i = f((*i + 1) / 2);
  p.set_value(x.to(p.dtype()));
  return p;
}

constexpr double kLeastStep = 1e-3, kMostStep = 0.1, kStepFloor = 1e-4;

Variable spread_log_steps(const Shape& shape, Generator& rng) {
  return spread_parameter(shape, rng,
                          [](double p) { return std::log(kLeastStep) + p * std::log(kMostStep / kLeastStep); });
}

Variable spread_softplus_steps(const Shape& shape, Generator& rng) {
  return spread_parameter(shape, rng, [](double p) {
    double step = std::max(kStepFloor, kLeastStep * std::pow(kMostStep / kLeastStep, p));
    return step + std::log(-std::expm1(-step));  // the inverse of softplus
  });
}

Variable spread_log_rates(const Shape& shape, double low, Generator& rng) {
  return spread_parameter(shape, rng, [low](double p) { return std::log(std::max(low + p * (16 - low), 1e-4)); });
}

}  // namespace heed::nn
