// The result of a scope: the pairs of query and key that it allows, in the form that is cheapest to evaluate.
//
//   allowed(t, s) = -left <= place(s) - place(t) <= right  and  allowed[.., t, s]  and  blocks[t / size, s / size]
//
// Evaluators that work block by block never compute a block that left, right or the list of blocks excludes: a window
// of D keys on each side costs T (2 D + 1) products, not T S. mask_of writes the same as one mask. T queries, S keys.
#pragma once

#include <vector>

#include "nn/attention/stage.h"

namespace heed::nn {

constexpr int64_t kAnyDistance = int64_t{1} << 40;

// keep [ceil(T / size), ceil(S / size)] bool: false where no pair of the block is allowed. Undefined: every block.
struct Blocks {
  int64_t size = 0;
  Tensor keep = {};
};

struct Restriction {
  int64_t left = kAnyDistance, right = kAnyDistance;  // how far before, and after, its query a key may be
  Tensor allowed = {};                                // bool, broadcastable to [B, T, S] or [B, H, T, S]
  Blocks blocks = {};
  Variable bias = {}, factor = {};  // bias + scores, factor * weights; broadcastable to [B, T, S] or [B, H, T, S]
  bool renormalise = false;         // divide by the sum of a row after the factor
};

// One mask for left, right, allowed and the blocks, broadcastable to [B, T, S] or [B, H, T, S]; undefined: everything.
Tensor mask_of(const Restriction& restriction, const Places& places);
// all_of allows what both allow: it adds the biases and multiplies the factors; ValueError for blocks of two sizes.
// any_of allows what either allows; ValueError if one of them has a bias or a factor.
Restriction all_of(const Restriction& a, const Restriction& b);
Restriction any_of(const Restriction& a, const Restriction& b, const Places& places);

}  // namespace heed::nn
