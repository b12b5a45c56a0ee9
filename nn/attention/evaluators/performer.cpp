#include "nn/attention/evaluators/performer.h"

#include <cmath>

#include "autograd/ops.h"

namespace heed::nn {

Features PerformerFeatures::of(const Variable& x, double scale, const Tensor&) const {
  Variable scaled = x * std::sqrt(scale);
  Variable products =
      matmul(scaled, Variable(directions.of_width(x.size(-1)).to(x.dtype()).transpose(0, 1)));  // [.., n, m]
  double m = static_cast<double>(directions.w.size(0));
  return {products - sum(square(scaled), {-1}, true) / 2 - std::log(m) / 2};
}

PerformerEvaluator::PerformerEvaluator(const EvaluatorOptions& o, const Settings& s)
    : KernelEvaluator(o.name, s.chunk,
                      std::make_shared<PerformerFeatures>(RandomDirections(
                          s.features, o.key, s.orthogonal != 0, layer_seed(s.seed, layer_number(s.layer, o))))) {}

}  // namespace heed::nn
