#include "nn/attention/evaluators/chunked.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/observe.h"

namespace heed::nn {
std::string ChunkedEvaluator::refuses(const StageSet& stages) const {
  if (stages.sequential()) return "a stage that reads the weights of the step before goes one query at a time";
  if (!stages.normaliser.row_wise()) return "the normaliser needs all rows together";
  return "";
}

Attended ChunkedEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  DenseEvaluator dense;
  int64_t T = call.queries.size(-2);
  if (T == 0) return dense(stages, call, context);
  AttentionCall all_rows = call;
  if (call.restriction.blocks.keep.defined()) {  // a list of blocks is not cut; as a mask it is
    Restriction& r = all_rows.restriction;
    r.allowed = mask_of(r, context.places);
    r.blocks = {}, r.left = r.right = kAnyDistance;
  }
  StageContext whole = context;
  std::vector<Variable> contexts, weights, scores;
  for (int64_t begin = 0; begin < T; begin += chunk) {
    int64_t end = std::min(T, begin + chunk);
    AttentionCall some = rows_of(all_rows, begin, end);
    some.report = false;
    context.places = rows_of(whole.places, begin, end);
    Attended seen = dense(stages, some, context);
    contexts.push_back(seen.context);
    if (call.weights) weights.push_back(seen.weights), scores.push_back(seen.scores);
  }
  context.places = whole.places;
  Attended all{concat(contexts, -2), call.weights ? concat(weights, -2) : Variable()};
  if (call.weights && Observe::active()) all.scores = concat(scores, -2);
  if (call.weights && call.report)
    Observe::report(all.weights.value(),
                    all.scores.defined() ? all.scores.value() : Tensor());  // once, not once per chunk
  return all;
}

}  // namespace heed::nn
