// The cosine score, or content addressing (Graves, Wayne and Danihelka, "Neural Turing Machines", 2014, eq. 5 and 6):
//
//   e_ts = beta q_t . k_s / (|q_t| |k_s| + eps)        beta = softplus(raw) > 0, learned; eps = 1e-6
//
// Only the directions of query and key matter, not their lengths. |e_ts| <= beta, so beta limits how sharp the weights
// can become. Queries and keys must have the same width.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct CosineScore final : Score {
  using Options = ScoreOptions;
  CosineScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;
  bool keeps_rotations() const override { return true; }
  Variable beta() const;  // []
  void visit(Visitor& v) override { v.parameter("raw_beta", raw_beta); }
  Options options;
  Variable raw_beta;  // []
};

}  // namespace heed::nn
