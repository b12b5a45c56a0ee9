// The location-based score (Luong, Pham and Manning, EMNLP 2015, section 3.1, eq. 9):
//
//   e_t = W q_t        W [max_source, Q]: one row a position
//
// It does not read the keys: it can only learn where to look, never what to look for. In the course it is the control
// that shows what reading the keys is worth. A source shorter than the table uses its first rows.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct LocationScore final : Score {
  using Options = ScoreOptions;
  LocationScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys,
                  StageContext&) const override;  // ShapeError: S above the table
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [max_source, Q]
};

}  // namespace heed::nn
