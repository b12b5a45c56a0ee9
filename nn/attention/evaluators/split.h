// The split evaluator (split-K, as in flash-decoding; each part would be one device of ring attention): the keys are
// cut into parts, attention to each part is computed by itself, and the partial results are merged (partial.h).
//
//   c = o of merge(part_1, .., part_P),   part_p = attention to keys [p S / P, (p + 1) S / P)
//
// The numbers are those of dense up to rounding, except under dropout, which is drawn per part. Without gradients it
// holds the scores of one part at a time, [B, H, T, S / P]. A score that overflows to +inf makes its part infinitely
// large and the context NaN. P the number of parts; a part without keys is left out.
#pragma once

#include "nn/attention/evaluators/partial.h"

namespace heed::nn {

struct SplitEvaluator final : Evaluator {
  SplitEvaluator(const EvaluatorOptions& o, Generator&) : parts(o.settings.whole("parts")) {}
  std::string refuses(const StageSet& stages) const override { return why_not_in_parts(stages); }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool shows_weights() const override { return false; }
  int64_t parts;  // P
};

}  // namespace heed::nn
