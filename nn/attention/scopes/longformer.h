// A window and global tokens (Longformer, section 3.1): the first g words see all words and are seen by all.
//
// The result is a mask and the list of its blocks of 64 x 64 that are not empty. The tiled evaluator computes only
// these blocks, so its work grows with T, not T^2. The mask itself has T S bytes, one for all batches and heads, and is
// written anew at each call; that is the part that still grows with T^2. The paper's projections for global tokens are
// left out, since a scope decides who sees whom; projections belong to the module around the pipeline. Cached decoding
// keeps all keys, since the global ones are always in reach.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct LongformerScope final : Scope {
  struct Settings {
    int64_t window = 256;
    int64_t global = 1;
    void fields(OptionFields& f) {
      f("window", window, "D, keys on each side", {0, 1e9});
      f("global", global, "g, the first words: they see all words and are seen by all", {0, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C7", "longformer", "sliding window with global tokens", "BigBird without its random blocks"},
      .formula = "|i - j| <= D or i < g or j < g",
      .paper = {"Beltagy, Peters and Cohan, 2020 (Longformer)", 2020, 2},
      .idea =
          "Most words attend to a window, while a few global words attend to all words, and all words attend to them. "
          "Two layers connect any two positions through a global word. The [CLS] token and the words of a question are "
          "natural choices for the global words.",
      .wrong =
          "In the paper the global tokens have projections of their own. Here they use the same projections as all "
          "other words.",
      .shapes = "mask [T, S], blocks [T / 64, S / 64]",
      .cost = "T (2 D + 1) + 2 g T scores count; a mask of T S bytes",
      .own = {"all_global_is_full_attention", "global_words_see_and_are_seen", "work_grows_with_the_length",
              "blocks_hold_what_is_allowed", kLinearCost},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<LongformerScope>({.window = 2, .global = 2}), m); }

  using Options = ScopeOptions;
  LongformerScope(const Options& o, Generator&) : settings(o.settings.as<Settings>()) {}
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  Settings settings;
};

}  // namespace heed::nn
