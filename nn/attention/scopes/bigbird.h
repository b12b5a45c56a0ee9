// BigBird ("Big Bird: Transformers for Longer Sequences", section 2): a window, global and random words, block by
// block. I = floor(i / b), J = floor(j / b): the blocks of b words of a query at i and a key at j.
//
// Each block of queries draws its r blocks among those that it does not see anyway: the r whose hash of (seed, I, J) is
// smallest. So the same seed gives the same blocks in every call, layer and batch, and no state is kept. The draw is
// among all blocks of a source, so it depends on the source's length, which a decoder does not know: this scope is for
// encoders and for attention to a source. Padding takes no part in it. The paper's window joins the first block with
// the last; here the first and last blocks see fewer.
#pragma once

#include "nn/attention/scopes/pattern.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct BigBirdScope final : Scope {
  struct Settings {
    int64_t block = 64;
    int64_t window = 1;
    int64_t global = 1;
    int64_t random = 2;
    int64_t seed = 1;
    void fields(OptionFields& f) {
      f("block", block, "b, words in a block", {1, 1e9});
      f("window", window, "w, blocks on each side", {0, 1e9});
      f("global", global, "g, first blocks that see all and are seen by all", {0, 1e9});
      f("random", random, "r, random blocks for each block of queries", {0, 1e9});
      f("seed", seed, "which random blocks", {0, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C8", "bigbird", "Big Bird"},
      .formula = "of blocks I, J: |I - J| <= w or I < g or J < g or J is one of r that I draws",
      .paper = {"Zaheer et al., NeurIPS 2020", 2020, 2},
      .idea =
          "A query sees a window, the global words, and a few blocks that were drawn at random. Random edges make the "
          "paths between words short, as in a random graph. Whole blocks are drawn, because processors read blocks "
          "faster than single keys.",
      .wrong =
          "The random blocks must be the same in every call of the trained model. Otherwise each call uses a pattern "
          "that was not trained.",
      .shapes = "mask [T, S]",
      .cost = "T b (2 w + 1 + g + r) scores count; a mask of T S bytes",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "every_block_has_as_many_keys", "the_seed_draws_the_blocks", kLinearCost},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
      .more = "not under a causal mask, so a transformer with a decoder refuses it",
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<BigBirdScope>({.block = 1}), m); }

  using Options = ScopeOptions;
  BigBirdScope(const ScopeOptions& options, Generator& unused);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  bool needs_whole_source() const override { return true; }
  // Which of a source's `blocks` blocks of keys a block of queries sees.
  std::vector<bool> seen_by(int64_t query_block, int64_t blocks) const;
  Settings settings;
};

}  // namespace heed::nn
