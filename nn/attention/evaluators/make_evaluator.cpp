#include "nn/attention/evaluators/evaluator.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::unique_ptr<Evaluator> make_evaluator(const EvaluatorOptions& given, Generator& rng) {
  EvaluatorOptions o = completed_stage(Kind::evaluator, given);
  return stage_entry(Kind::evaluator, o.name).evaluator(o, rng);
}

}  // namespace heed::nn
