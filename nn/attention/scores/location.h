// The location-based score (Luong, Pham and Manning, EMNLP 2015, section 3.1):
//
//   e_t = W q_t        W [max_source, Q]: one row per source position
//
// The score does not depend on the keys: it can learn at which positions to attend, but not which words to attend to.
// In the course it is the control that shows how much the keys contribute. A source shorter than the table uses its
// first rows.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct LocationScore final : Score {
  using Options = ScoreOptions;
  LocationScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys,
                  StageContext&) const override;  // ShapeError if S > max_source
  bool by_place() const override { return true; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [max_source, Q]
};

}  // namespace heed::nn
