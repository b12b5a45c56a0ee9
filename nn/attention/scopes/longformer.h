// A window and global tokens (Beltagy, Peters and Cohan, "Longformer", 2020, section 3.1): most words see their
// neighbours, and the first g words (a [CLS], a question) see all words and are seen by all.
//
//   allowed(i, j) = |i - j| <= D  or  i < g  or  j < g            i, j: places in the sequence, from 0
//
// Any two words are then two layers apart. T (2 D + 1) + 2 g T scores count instead of T^2. The answer is a mask and
// the list of those of its blocks of 64 x 64 that are not empty: the tiled evaluator computes no other, so its work
// grows with T, not T^2. The mask itself has T S bytes, one for all batches and heads, and is written anew at each
// call; that is the part that still grows with T^2.
//
// Not here: Longformer has separate projections of queries, keys and values for the global tokens. A scope decides who
// sees whom; projections belong to the module around the pipeline. Cached decoding keeps all keys, since the global
// ones are always in reach.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct LongformerScope final : Scope {
  using Options = ScopeOptions;
  LongformerScope(const Options& o, Generator&)
      : width(o.settings.whole("window")), tokens(o.settings.whole("global")) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  int64_t width, tokens;  // D, g
};

}  // namespace heed::nn
