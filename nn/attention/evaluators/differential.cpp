#include "nn/attention/evaluators/differential.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "nn/observe.h"

namespace heed::nn {
namespace {

AttentionCall part(const AttentionCall& call, int64_t begin, int64_t end) {
  AttentionCall some = call;
  some.queries = slice(call.queries, -1, begin, end), some.keys = slice(call.keys, -1, begin, end);
  some.report = false;
  return some;
}

}  // namespace

DifferentialEvaluator::DifferentialEvaluator(const Options& o, Generator& rng)
    : options(completed_stage(Kind::evaluator, o, "differential")),
      layer(options.settings.as<Settings>().layer),
      norm({.shape = {o.key}}, rng) {
  for (Variable* v : {&lambda_q1, &lambda_k1, &lambda_q2, &lambda_k2}) *v = normal_parameter({o.key / 2}, 0.1, rng);
}

std::string DifferentialEvaluator::refuses(const StageSet& stages) const {
  if (options.key % 2 != 0) return "a head must have an even width to be cut into two halves";
  if (!stages.score.any_width()) return "the score cannot compare halves of a query and a key";
  if (stages.position.needs_product()) return "the position compares whole queries with its vectors, not halves";
  if (stages.sequential()) return "a stage reads the weights of the step before, and here are two maps";
  return "";
}

double DifferentialEvaluator::lambda_init() const {
  const auto number = static_cast<double>(std::max<int64_t>(1, layer_number(layer, options)));
  return 0.8 - 0.6 * std::exp(-0.3 * (number - 1));
}

Variable DifferentialEvaluator::lambda() const {
  return exp(sum(lambda_q1 * lambda_k1)) - exp(sum(lambda_q2 * lambda_k2)) + lambda_init();
}

Attended DifferentialEvaluator::difference(const StageSet& stages, const AttentionCall& call,
                                           StageContext& context) const {
  DenseEvaluator dense;
  int64_t K = call.queries.size(-1);
  Attended first = dense(stages, part(call, 0, K / 2), context);
  Attended second = dense(stages, part(call, K / 2, K), context);
  Variable share = lambda();
  return {first.context - share * second.context, first.weights - share * second.weights};
}

Attended DifferentialEvaluator::operator()(const StageSet& stages, const AttentionCall& call,
                                           StageContext& context) const {
  Attended seen = difference(stages, call, context);
  if (call.report) Observe::report(seen.weights.value());
  Call named(*this);  // after the report, which belongs to the attention around it
  seen.context = named.result("context", norm(seen.context) * (1 - lambda_init()));
  return seen;
}

Variable DifferentialEvaluator::implied_weights(const StageSet& stages, const AttentionCall& call,
                                                StageContext& context) const {
  return difference(stages, call, context).weights;
}

}  // namespace heed::nn
