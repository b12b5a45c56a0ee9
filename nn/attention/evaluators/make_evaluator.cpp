#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/registry.h"

namespace heed::nn {

int64_t layer_number(int64_t given, const EvaluatorOptions& o) {
  return given > 0 || o.layers == 0 ? given : o.layer + 1;
}

std::unique_ptr<Evaluator> make_evaluator(const EvaluatorOptions& given, Generator& rng) {
  EvaluatorOptions o = completed_stage(Kind::evaluator, given);
  return stage_entry(Kind::evaluator, o.name).evaluator(o, rng);
}

}  // namespace heed::nn
