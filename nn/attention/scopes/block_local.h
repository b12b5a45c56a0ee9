// Block-local attention with one block of look-back (the one-dimensional local attention of Parmar et al., "Image
// Transformer", ICML 2018; Roy et al., "Routing Transformer", TACL 2021, use it for their local heads).
//
//   allowed(i, j) = floor(i / L) - floor(j / L) is 0 or 1          i: place of the query, j: place of the key
//
// A word sees its own block of L words and the block before it: between L and 2 L - 1 words back. Every block of the
// mask is either full or empty, which suits a processor better than a window whose edge moves with each query. A single
// block (L >= S) is full attention. Inside a block words see later ones: a decoder joins it with the causal scope.
#pragma once

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct BlockLocalScope final : Scope {
  BlockLocalScope(const ScopeOptions& o, Generator&) : block(o.settings.whole("block")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("block_local", context.places, [this](int64_t, int64_t i, int64_t j) {
      int64_t back = i / block - j / block;
      return back == 0 || back == 1;
    });
  }
  bool by_place() const override { return true; }
  int64_t block;  // L
};

}  // namespace heed::nn
