#include "nn/attention/evaluators/split.h"

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"

namespace heed::nn {

Attended SplitEvaluator::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  int64_t S = call.values.size(-2);
  if (S == 0 || call.queries.size(-2) == 0) return DenseEvaluator()(stages, call, context);
  Columns columns = columns_of(stages, call, context.places);
  Partial all;
  for (int64_t p = 0; p < parts; ++p) {
    int64_t begin = p * S / parts, end = (p + 1) * S / parts;
    if (begin == end) continue;
    Partial part = part_of(stages, call.queries, slice(call.keys, -2, begin, end), slice(call.values, -2, begin, end),
                           columns, begin, context);
    all = all.context.defined() ? merged(all, part) : part;
  }
  return {all.context};
}

}  // namespace heed::nn
