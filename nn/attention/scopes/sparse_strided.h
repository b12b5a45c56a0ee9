// The strided pattern of the Sparse Transformer ("Generating Long Sequences with Sparse Transformers", section 4.3):
// two sets of about sqrt(S) keys, so that any two words are two layers apart. A decoder joins it with the causal scope,
// as a causal transformer does by itself. The paper gives the two sets to one head (here), to two heads, or to two
// layers. i: place of the query, j: place of the key. It suits data with a period, like the rows of an image.
#pragma once

#include <cstdlib>

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct SparseStridedScope final : Scope {
  struct Settings {
    int64_t stride = 16;
    void fields(OptionFields& f) {
      f("stride", stride, "l, distance of the far keys, and neighbours on each side", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C6", "sparse_strided", "Sparse Transformer, strided"},
      .formula = "|i - j| <= l or (i - j) mod l = 0",
      .paper = {"Child, Gray, Radford and Sutskever (Sparse Transformer), 2019", 2019, 2},
      .idea =
          "Each query sees its neighbours and every l-th word. Any earlier word is two layers away: one step of the "
          "stride, then one inside the neighbourhood. With l near the root of the length, the number of scores grows "
          "with the length times its root.",
      .wrong = "The pattern alone sees later words too. The paper's decoder also has a causal mask.",
      .shapes = "mask [T, S]",
      .cost = "T (2 l + S / l) scores have an effect: about T sqrt(S) with l = sqrt(S)",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "two_hops_reach_everything_before"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<SparseStridedScope>({.stride = 3}), m); }

  SparseStridedScope(const ScopeOptions& o, Generator&) : stride(o.settings.as<Settings>().stride) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("sparse_strided", context.places, [this](int64_t, int64_t i, int64_t j) {
      return std::abs(i - j) <= stride || (i - j) % stride == 0;
    });
  }
  int64_t stride;  // l
};

}  // namespace heed::nn
