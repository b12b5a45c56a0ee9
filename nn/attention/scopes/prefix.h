// Prefix language model: the first P words are read in both directions, all later ones from left to right (Liu et al.,
// "Generating Wikipedia by Summarizing Long Sequences", ICLR 2018; the name is from Raffel et al. (T5), JMLR 2020,
// section 3.2.1).
//
//   allowed(i, j) = j <= i  or  j < P              i: place of the query, j: place of the key, from 0
//
// One stack so does what an encoder and a decoder do: the prefix is the source. P = 0 is a causal mask, P >= S no mask.
// Words of the prefix see each other only if they are read in one call: with a cache, read the prefix as one piece.
#pragma once

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct PrefixScope final : Scope {
  PrefixScope(const ScopeOptions& o, Generator&) : length(o.settings.whole("prefix")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("prefix", context.places, [this](int64_t, int64_t i, int64_t j) { return j <= i || j < length; });
  }
  bool by_place() const override { return true; }
  int64_t length;  // P
};

}  // namespace heed::nn
