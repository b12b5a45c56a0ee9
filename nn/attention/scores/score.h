// The score of attention: how well does key s answer query t?
//
//   e = score(q, k)        q [B, T, Q], k [B, S, K] -> e [B, T, S]
//
// Any real number will do; the normaliser makes weights of them. What depends on the keys alone is done once a sentence
// (`prepare`), not once a step. A score is chosen by its name; the catalogue lists them all (nn/attention/catalogue.h).
// B batch, T queries, S keys, Q and K the widths of a query and a key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"

namespace heed::nn {

struct ScoreOptions {
  std::string name = "additive";
  int64_t query = 0, key = 0;  // Q, K
  int64_t width = 0;           // additive, concat: the hidden layer; reduced_rank: the rank. 0: as the query
  int64_t max_source = 0;      // location: the longest source
  double sharpness = 1;        // cosine: beta at the start
};

struct Score : Module {
  virtual ~Score() = default;
  Score() = default;
  Score(Score&&) = default;
  Score& operator=(Score&&) = default;

  virtual Variable prepare(const Variable& keys) const { return keys; }                    // [B, S, K] -> P
  virtual Variable operator()(const Variable& query, const Variable& prepared) const = 0;  // [B, T, Q], P -> [B, T, S]
  virtual void visit(Visitor&) {}
};

// ValueError for a name that is not known; ShapeError for widths that this score cannot join.
std::unique_ptr<Score> make_score(const ScoreOptions& options, Generator& rng);

}  // namespace heed::nn
