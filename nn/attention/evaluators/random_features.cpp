#include "nn/attention/evaluators/random_features.h"

#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// x / |x|; a vector of zeros stays one. The largest entry is divided out first, so that no square overflows.
Variable of_length_one(const Variable& x) {
  Variable part = in_rows(x).part, squares = sum(square(part), {-1}, true);
  return part * rsqrt(masked_fill(squares, equal(squares.value(), 0), 1));
}

}  // namespace

Features FourierFeatures::of(const Variable& x, double, const Tensor&) const {
  Variable angles =
      matmul(of_length_one(x), Variable(directions.of_width(x.size(-1)).to(x.dtype()).transpose(0, 1))) / sigma_;
  return in_rows(concat({sin(angles), cos(angles)}, -1) / std::sqrt(static_cast<double>(directions.w.size(0))));
}

RandomFeatureEvaluator::RandomFeatureEvaluator(const EvaluatorOptions& o, const Settings& s)
    : KernelEvaluator(
          o.name, s.chunk,
          std::make_shared<FourierFeatures>(
              RandomDirections(s.features, o.key, false, layer_seed(s.seed, layer_number(s.layer, o))), s.sigma)) {}

}  // namespace heed::nn
