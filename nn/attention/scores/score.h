// The score of attention: a number that says how well key s matches query t.
//
//   e = score(q, k)        q [.., T, Q], k [.., S, K] -> e [.., T, S]        .. is [B], or [B, H] with heads
//
// A score may be any real number; the normaliser turns scores into weights. The part that depends on the keys alone is
// computed once per sentence (`prepare`) and not once per step. The registry lists all scores (all.cpp). B batch, H
// heads, T queries, S keys, Q and K the widths of a query and a key.
#pragma once

#include <memory>
#include <optional>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct Score : Module {
  using Stage = Score;
  virtual ~Score() = default;
  Score() = default;
  Score(Score&&) = default;
  Score& operator=(Score&&) = default;

  virtual Variable prepare(const Variable& keys) const { return keys; }          // [.., S, K] -> P
  virtual Variable prepare_query(const Variable& query) const { return query; }  // [.., T, Q] -> R
  Variable operator()(const Variable& query, const Variable& prepared, StageContext& context) const;
  Variable operator()(const Variable& query, const Variable& prepared) const;  // without a sequence to keep state for

  // If the score equals scale * prepare_query(q) . prepare(k), returns that scale. Evaluators that never store the
  // scores need this form.
  virtual std::optional<double> product_scale() const { return std::nullopt; }
  // True if it compares vectors of any width, so that it can be asked about a part of a query and a key.
  virtual bool any_width() const { return false; }
  // True if it stays the same when a query and a key are rotated alike, as products and lengths do. Rotary positions
  // then give it distances; any other score sees the places themselves.
  virtual bool keeps_rotations() const { return any_width(); }
  virtual bool by_place() const { return false; }  // true if it depends on where a key is, and not on the key alone
  // True if the score depends on the weights of the previous step. Attention then calls it one query at a time, in
  // training too.
  virtual bool sequential() const { return false; }
  virtual void visit(Visitor&) {}

 protected:
  virtual Variable scores(const Variable& query, const Variable& prepared, StageContext& context) const = 0;
};

// Throws ValueError for a name or a setting that is not in the registry, and ShapeError for widths of query and key
// that the score cannot combine.
std::unique_ptr<Score> make_score(const ScoreOptions& options, Generator& rng);
int64_t width_or(int64_t setting, const ScoreOptions& options);  // the setting; 0 stands for the width of the query

}  // namespace heed::nn
