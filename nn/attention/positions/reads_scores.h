// Marks a position scheme that reads the scores, because the words themselves decide what it adds:
//
//   e_ts <- e_ts + bias_of_scores(e, q, allowed)     e [B, H, T, S], as the score computed them, before any bias
//
// A row of e must be there as a whole, so evaluators that go through the keys in parts refuse it. It has a bias
// (has_bias), but HeadPosition::bias is not asked for it.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct ReadsScores {
  virtual ~ReadsScores() = default;
  ReadsScores() = default;
  ReadsScores(ReadsScores&&) = default;
  ReadsScores& operator=(ReadsScores&&) = default;
  // queries [B, H, T, K]; allowed bool, broadcastable to the scores: what the query may attend to; undefined: all.
  virtual Variable bias_of_scores(const Variable& scores, const Variable& queries, const Tensor& allowed) const = 0;
};

}  // namespace heed::nn
