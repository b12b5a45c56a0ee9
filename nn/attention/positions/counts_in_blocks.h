// Marks a position scheme whose factors grow with the place p of a word (xPos): a query is multiplied by exp(-c p), a
// key by exp(c p). At a distant place each factor leaves the range of the type, though the factor exp(-c (t - s)) of
// their product does not. So places are counted in blocks of N words:
//
//   turned      word p, in block J = p / N (rounded towards 0), gets the factor of place p - J N; kept in memories
//   recounted   that times the factor of J N - r, as if places were counted from r; computed again in each call
//
// Queries and keys of one block need only the first. Otherwise the evaluator gets queries that are at most N words
// apart (evaluators/by_blocks.h), and r is the first of them. Then the factor of each query, and of each key before r,
// is at most 1. If the factor of such a key underflows to 0, so does that of the product. B batch, n words, H heads, K
// width of a head.
#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// The places of n words: one row for all sentences, or one for each.
struct PlaceRows {
  int64_t rows, n;
  std::vector<int64_t> at = {};  // [rows, n]
  int64_t of(int64_t row, int64_t word) const { return at[static_cast<size_t>((rows > 1 ? row : 0) * n + word)]; }
};

struct CountsInBlocks {
  virtual ~CountsInBlocks() = default;
  CountsInBlocks() = default;
  CountsInBlocks(CountsInBlocks&&) = default;
  CountsInBlocks& operator=(CountsInBlocks&&) = default;

  virtual const std::string& scheme() const = 0;  // its name
  virtual int64_t block_words(DType) const = 0;   // N
  // The number of words that a key may be after its query: further away, the factor of the product could overflow.
  virtual int64_t words_ahead(DType) const = 0;
  // x [B, n, K] or [B, H, n, K] as `turned` returned it, recounted from the places `from`: one for each sentence, or
  // one for all. Keys after the place `last` of their row become 0.
  struct Recount {
    std::vector<int64_t> from = {}, last = {};  // of the same size; `last` for keys only
    bool key = false;
  };
  virtual Variable recounted(const Variable& x, const PlaceRows& places, const Recount& count) const = 0;
};

}  // namespace heed::nn
