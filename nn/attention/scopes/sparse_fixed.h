// The fixed pattern of the Sparse Transformer ("Generating Long Sequences with Sparse Transformers", section 4.3): the
// two sets of sparse_strided.h, for data without a period. i: place of the query, j: place of the key.
#pragma once

#include "nn/attention/scopes/pattern.h"

namespace heed::nn {

struct SparseFixedScope final : Scope {
  struct Settings {
    int64_t block = 16;
    int64_t last = 1;
    void fields(OptionFields& f) {
      f("block", block, "l, words in a block", {1, 1e9});
      f("last", last, "c, how many words at the end of each block are seen by all", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C6b", "sparse_fixed", "Sparse Transformer, fixed"},
      .formula = "floor(i / l) = floor(j / l) or j mod l >= l - c",
      .paper = {"Child, Gray, Radford and Sutskever (Sparse Transformer), 2019", 2019, 2},
      .idea =
          "The text is cut into blocks, and a query sees its own block. The last words of every block are seen by all, "
          "so they can collect what the block says. Unlike the strided pattern this one suits data without a period, "
          "such as text.",
      .wrong =
          "With only one summary word in each block and one head, everything that a later block learns of this one has "
          "to pass through a single vector.",
      .shapes = "mask [T, S]",
      .cost = "T (l + c S / l) scores have an effect",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "two_hops_reach_everything_before"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<SparseFixedScope>({.block = 4}), m); }

  SparseFixedScope(const ScopeOptions& o, Generator&) : settings(o.settings.as<Settings>()) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("sparse_fixed", context.places, [this](int64_t, int64_t i, int64_t j) {
      const auto [block, last] = settings;
      return i / block == j / block || j % block >= block - last;
    });
  }
  bool by_place() const override { return true; }
  Settings settings;
};

}  // namespace heed::nn
