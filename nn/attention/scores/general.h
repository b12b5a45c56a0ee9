// The general, or bilinear, score (Luong, Pham and Manning, EMNLP 2015, section 3.1):
//
//   e_ts = q_t W k_s        W [Q, K]
//
// W is a learned linear map from keys to queries, so the two may have different widths and different representations.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct GeneralScore final : Score {
  using Options = ScoreOptions;
  GeneralScore(const Options& options, Generator& rng);
  Variable prepare(const Variable& keys) const override;  // W k_s: [B, S, K] -> [B, S, Q]
  Variable scores(const Variable& query, const Variable& prepared, StageContext&) const override;
  std::optional<double> product_scale() const override { return 1; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [Q, K]
};

}  // namespace heed::nn
