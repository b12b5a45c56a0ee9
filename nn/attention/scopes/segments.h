// Packed segments: several sentences share a row, and a word attends only to words of its own sentence (Krell et al.,
// "Efficient Sequence Packing without Cross-contamination", 2021). The mask is block-diagonal.
//
//   row                 a a a b b c        index n of a word in its row, from 0
//   places p            0 1 2 0 1 0        as Places::query_at and key_at give them
//   n - p               0 0 0 3 3 5        where the word's sentence begins: the same for all its words
//   allowed(t, s)     = begin of query t == begin of key s
//
// Places that are only counted are one sentence, and nothing is masked. The padding before a prompt has place 0 at each
// index, so it belongs to no sentence. This is for self-attention: queries and keys of one row. Where segment numbers
// are at hand instead, same_segment (nn/transformer/packing.h) makes the same mask of them.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct SegmentScope final : Scope {
  SegmentScope(const ScopeOptions&, Generator&) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
};

}  // namespace heed::nn
