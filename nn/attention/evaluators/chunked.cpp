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
  std::vector<int64_t> ends;
  for (int64_t begin = 0; begin < T; begin += chunk) ends.push_back(std::min(T, begin + chunk));
  return in_pieces(call, context, ends, [&](const AttentionCall& some, size_t, StageContext& of_piece) {
    return dense(stages, some, of_piece);
  });
}

Attended in_pieces(const AttentionCall& call, StageContext& context, const std::vector<int64_t>& ends,
                   const OfPiece& of_piece) {
  AttentionCall all_rows = call;
  if (call.restriction.blocks.keep.defined()) {  // a list of blocks is not cut; as a mask it is
    Restriction& r = all_rows.restriction;
    r.allowed = mask_of(r, context.places);
    r.blocks = {}, r.left = r.right = kAnyDistance;
  }
  StageContext whole = context;
  std::vector<Variable> contexts, weights, scores;
  for (size_t i = 0; i < ends.size(); ++i) {
    int64_t begin = i == 0 ? 0 : ends[i - 1];
    AttentionCall some = rows_of(all_rows, begin, ends[i]);
    some.report = false;
    context.places = rows_of(whole.places, begin, ends[i]);
    Attended seen = of_piece(some, i, context);
    contexts.push_back(seen.context);
    if (call.weights) weights.push_back(seen.weights), scores.push_back(seen.scores);
  }
  context.places = whole.places;
  Attended all{concat(contexts, -2), call.weights ? concat(weights, -2) : Variable()};
  if (call.weights && scores[0].defined()) all.scores = concat(scores, -2);
  if (call.weights && call.report)
    Observe::report(all.weights.value(),
                    all.scores.defined() ? all.scores.value() : Tensor());  // once, not once per piece
  return all;
}

}  // namespace heed::nn
