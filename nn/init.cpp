#include "nn/init.h"

#include <cmath>

namespace heed::nn {

Variable uniform_parameter(const Shape& shape, int64_t n, Generator& rng) {
  double a = n > 0 ? 1 / std::sqrt(static_cast<double>(n)) : 0;
  return Variable(Tensor::uniform(shape, rng, -a, a), Variable::kRequiresGrad);
}
Variable normal_parameter(const Shape& shape, double std, Generator& rng) {
  return Variable(Tensor::normal(shape, rng, 0, std), Variable::kRequiresGrad);
}
Variable zeros_parameter(const Shape& shape) { return Variable(Tensor::zeros(shape), Variable::kRequiresGrad); }
Variable xavier_parameter(const Shape& shape, Generator& rng) {
  double a = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
  return Variable(Tensor::uniform(shape, rng, -a, a), Variable::kRequiresGrad);
}

}  // namespace heed::nn
