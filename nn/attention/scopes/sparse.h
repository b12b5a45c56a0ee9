// The two patterns of the Sparse Transformer (Child, Gray, Radford and Sutskever, "Generating Long Sequences with
// Sparse Transformers", 2019, section 4.3). Each joins two sets of about sqrt(S) keys, so that any two words are two
// layers apart. i: place of the query, j: place of the key.
//
//   strided   |i - j| <= l   or   (i - j) mod l = 0                    neighbours, every l-th word
//   fixed     floor(i / l) = floor(j / l)   or   j mod l >= l - c      the own block, the last c words of each
//
// With l near sqrt(S) there are about 2 sqrt(S) keys for each query. The paper has a decoder: join them with the causal
// scope (causal&sparse_strided:16), as a causal transformer does by itself. It gives the two sets to one head (here),
// to two heads, or to two layers. "strided" suits data with a period, like the rows of an image; "fixed" suits text,
// which has none: there, the last words of a block sum it up.
#pragma once

#include <cstdlib>

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct SparseStridedScope final : Scope {
  SparseStridedScope(const ScopeOptions& o, Generator&) : stride(o.settings.whole("stride")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("sparse_strided", context.places, [this](int64_t, int64_t i, int64_t j) {
      return std::abs(i - j) <= stride || (i - j) % stride == 0;
    });
  }
  int64_t stride;  // l
};

struct SparseFixedScope final : Scope {
  SparseFixedScope(const ScopeOptions& o, Generator&)
      : block(o.settings.whole("block")), last(o.settings.whole("last")) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("sparse_fixed", context.places, [this](int64_t, int64_t i, int64_t j) {
      return i / block == j / block || j % block >= block - last;
    });
  }
  bool by_place() const override { return true; }
  int64_t block, last;  // l, c
};

}  // namespace heed::nn
