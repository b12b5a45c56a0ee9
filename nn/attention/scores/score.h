// The score of attention: how well does key s answer query t?
//
//   e = score(q, k)        q [.., T, Q], k [.., S, K] -> e [.., T, S]        .. is [B], or [B, H] with heads
//
// Any real number will do; the normaliser turns scores into weights. What depends on the keys alone is computed once
// per sentence (`prepare`), not once per step. The registry lists all scores (nn/attention/registry_scores.cpp). B
// batch, H heads, T queries, S keys, Q and K the widths of a query and a key.
#pragma once

#include <memory>
#include <optional>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct Score : Module {
  virtual ~Score() = default;
  Score() = default;
  Score(Score&&) = default;
  Score& operator=(Score&&) = default;

  virtual Variable prepare(const Variable& keys) const { return keys; }          // [.., S, K] -> P
  virtual Variable prepare_query(const Variable& query) const { return query; }  // [.., T, Q] -> R
  Variable operator()(const Variable& query, const Variable& prepared, StageContext& context) const;
  Variable operator()(const Variable& query, const Variable& prepared) const;  // outside of any sequence

  // Is it scale * prepare_query(q) . prepare(k)? Then that scale: evaluators that never store scores can compute it.
  virtual std::optional<double> product_scale() const { return std::nullopt; }
  // Does it compare vectors of any width, so that it can be asked about a part of a query and a key?
  virtual bool any_width() const { return false; }
  // Does it read the weights of the step before? Then attention calls it one query at a time, in training too.
  virtual bool sequential() const { return false; }
  virtual void visit(Visitor&) {}

 protected:
  virtual Variable scores(const Variable& query, const Variable& prepared, StageContext& context) const = 0;
};

// ValueError for a name or a setting that the registry does not have; ShapeError for widths that this score cannot
// join.
std::unique_ptr<Score> make_score(const ScoreOptions& options, Generator& rng);

}  // namespace heed::nn
