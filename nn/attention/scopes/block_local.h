// Block-local attention with one block of look-back (also the local heads of Roy et al., "Routing Transformer", TACL
// 2021): blocks of L words; i is the place of the query, j that of the key. A word sees between L and 2 L - 1 words
// back. Inside a block words see later ones: a decoder joins it with the causal scope.
#pragma once

#include "nn/attention/scopes/pattern.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct BlockLocalScope final : Scope {
  struct Settings {
    int64_t block = 64;
    void fields(OptionFields& f) { f("block", block, "L, words in a block", {1, 1e9}); }
  };
  static constexpr About about{
      .names = {"C9", "block_local", "local attention", "block-local with look-back"},
      .formula = "floor(i / L) - floor(j / L) is 0 or 1",
      .paper = {"Parmar et al. (Image Transformer), ICML 2018", 2018, 2},
      .idea =
          "The text is cut into blocks, and a word sees its own block and the one before it. Every block of scores is "
          "full or empty, so no part of a matrix product is wasted. A block as long as the text gives full attention.",
      .wrong = "Without the look-back the first word of a block sees no earlier word at all.",
      .shapes = "mask [T, S]",
      .cost = "2 T L scores have an effect; a mask of T S bytes",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "one_block_is_global", kLinearCost},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<BlockLocalScope>({.block = 3}), m); }

  BlockLocalScope(const ScopeOptions& o, Generator&) : block(o.settings.as<Settings>().block) {}
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
