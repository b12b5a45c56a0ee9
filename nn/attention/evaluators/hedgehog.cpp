#include "nn/attention/evaluators/hedgehog.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

Linear identity_layer(int64_t K, Generator& rng) {
  Linear made({.in = K, .out = K}, rng);
  Tensor one = Tensor::zeros({K, K}, parameter_dtype());
  for (int64_t i = 0; i < K; ++i) one.set({i, i}, 1);
  made.weight = Variable(one, Variable::kRequiresGrad), made.bias = zeros_parameter({K});
  return made;
}

}  // namespace

HedgehogFeatures::HedgehogFeatures(int64_t K, bool shares, double times, Generator& rng)
    : query(identity_layer(K, rng)), key(identity_layer(K, rng)), softmax(shares), factor(times) {}

Features HedgehogFeatures::features_of(const Variable& y) const {
  Variable both = concat({y, -y}, -1) * factor;
  return {softmax ? log_softmax(both) : both};
}

Variable softmax_mimicry(const Variable& weights, const Tensor& softmax_weights) {
  Tensor unread = equal(softmax_weights, 0);
  Variable log_w = log(masked_fill(weights, unread, 1));                      // 0 log 0 = 0
  Tensor rows = sum(greater(amax(softmax_weights, {-1}), 0).to(DType::f64));  // that read something
  return -sum(Variable(softmax_weights) * log_w) / std::max(1.0, rows.item());
}

HedgehogEvaluator::HedgehogEvaluator(const EvaluatorOptions& o, Generator& rng)
    : KernelEvaluator(o.name, o.settings.as<Settings>().chunk, nullptr),
      map(std::make_shared<HedgehogFeatures>(o.query, o.settings.as<Settings>().softmax != 0,
                                             o.settings.as<Settings>().factor, rng)),
      width(o.query) {
  features = map;
}

std::string HedgehogEvaluator::refuses(const StageSet& stages) const {
  if (stages.position.widens()) return "the position widens queries and keys, and its maps are of one width";
  const Variable some(Tensor::zeros({1, width}, parameter_dtype()));
  if (stages.score.product_scale() && stages.score.prepare_query(some).size(-1) != width)
    return "the score changes the width of queries and keys, and its maps are of one width";
  return KernelEvaluator::refuses(stages);
}

}  // namespace heed::nn
