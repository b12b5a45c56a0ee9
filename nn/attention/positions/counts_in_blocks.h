// Marks a position scheme whose factors grow with the place of a word (xPos): a query gets exp(-c p), a key exp(c p),
// and only their product exp(-c (t - s)) stays within the range of the type. No pair of factors can serve all places,
// so places are counted in blocks of N words:
//
//   turned      word p of block J = p / N (rounded towards 0) has the factor of p - J N       kept in memories
//   recounted   a factor of its block more, as if all places were counted from the place r    made for each call
//
// Queries and keys of one block need nothing more. Otherwise the evaluator gets up to N queries at a time
// (evaluators/by_blocks.h), counted from the first of them: then the factor of every query and of every earlier key is
// at most 1, and what underflows is 0 in the product too. B batch, n words, K width of a head.
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
  // How many words after its query a key may be, so that the factor of their product is within the range of the type.
  virtual int64_t words_ahead(DType) const = 0;
  // x [B, n, K] or [B, H, n, K], turned, as if its places were counted from `from`, one place for each row of `places`
  // or one for all. Keys after the place `last` of their row become 0.
  struct Recount {
    std::vector<int64_t> from = {}, last = {};
    bool key = false;
  };
  virtual Variable recounted(const Variable& x, const PlaceRows& places, const Recount& count) const = 0;
};

}  // namespace heed::nn
