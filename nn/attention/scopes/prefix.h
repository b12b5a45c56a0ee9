// Prefix language model (UniLM, "Unified language model pre-training", where it is the mask for sequence to sequence;
// Raffel et al., section 3.2.1, have the name): the first P words, such as a source, are read in both directions. i is
// the place of the query, j that of the key, from 0. P >= S is no mask. (Liu et al., "Generating Wikipedia by
// summarizing long sequences", ICLR 2018, put source and target into one sequence first, with a mask that is causal
// everywhere: P = 0.)
#pragma once

#include "nn/attention/scopes/pattern.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct PrefixScope final : Scope {
  struct Settings {
    int64_t prefix = 16;
    void fields(OptionFields& f) { f("prefix", prefix, "P, words that all words see", {0, 1e9}); }
  };
  static constexpr About about{
      .names = {"C12", "prefix", "prefix-LM", "prefix language model"},
      .formula = "j <= i or j < P",
      .paper = {"Dong et al. (UniLM), NeurIPS 2019; Raffel et al. (T5), JMLR 2020", 2019, 2},
      .idea =
          "The first words see each other in both directions, and all later words see what comes before them. So a "
          "single stack of layers can read a source like an encoder and write like a decoder. With a prefix of length "
          "zero it is a causal mask.",
      .wrong =
          "If the prefix is read word by word with a cache, it becomes causal. The whole prefix has to be read in one "
          "call.",
      .shapes = "mask [T, S]",
      .cost = "P S + (T - P)^2 / 2 scores have an effect",
      .own = {"golden_mask", "only_blocks_with_a_key_are_computed", "given_places_count_like_counted_ones",
              "no_prefix_is_causal_all_prefix_is_global"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& m) { return picture_of(chosen<PrefixScope>({.prefix = 4}), m); }

  PrefixScope(const ScopeOptions& o, Generator&) : length(o.settings.as<Settings>().prefix) {}
  Restriction operator()(const Variable&, const Variable&, StageContext& context) const override {
    return pattern("prefix", context.places, [this](int64_t, int64_t i, int64_t j) { return j <= i || j < length; });
  }
  bool by_place() const override { return true; }
  int64_t length;  // P
};

}  // namespace heed::nn
