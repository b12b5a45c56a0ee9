// BigBird: a window, global words and random words, block by block (Zaheer et al., "Big Bird: Transformers for Longer
// Sequences", NeurIPS 2020, section 2).
//
//   I = floor(i / b), J = floor(j / b)              blocks of b words; i: place of the query, j: place of the key
//   allowed(i, j) = |I - J| <= w  or  I < g  or  J < g  or  J is one of the r random blocks of I
//
// The random blocks make the graph of who sees whom an expander: few steps connect any two words, even without the
// global ones. Each block of queries draws its r blocks among those that it does not see anyway: the r whose hash
// of (seed, I, J) is smallest. So the same seed gives the same blocks in every call, layer and batch, and no state
// is kept.
//
// The draw is among all blocks of a source, so it depends on the source's length, which a decoder does not know: this
// scope is for encoders and for attention to a source. Padding takes no part in it. The paper's window joins the first
// block with the last; here the first and last blocks see fewer.
#pragma once

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct BigBirdScope final : Scope {
  using Options = ScopeOptions;
  BigBirdScope(const ScopeOptions& options, Generator& unused);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  bool needs_whole_source() const override { return true; }
  // Which of a source's `blocks` blocks of keys a block of queries sees.
  std::vector<bool> seen_by(int64_t query_block, int64_t blocks) const;
  int64_t block, window, global, random;  // b, w, g, r
  uint64_t seed;
};

}  // namespace heed::nn
