// The random synthesizer ("Synthesizer: rethinking self-attention for transformer models", section 3): it can learn
// fixed patterns such as "the word before". Sources shorter than the table use its first columns, and longer ones are
// refused. In the course it is a control: a task that it solves does not need attention to content.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct RandomSynthesizer final : Score {
  struct Settings {
    int64_t max_source = 100;
    void fields(OptionFields& f) {
      f("max_source", max_source, "number of positions of the longest source, and of the longest target", {1, 4096});
    }
  };
  static constexpr About about{
      .names = {"A16b", "synthesizer_random", "random synthesizer"},
      .formula = "e_ts = R_ts, learned",
      .paper = {"Tay et al., ICML 2021", 2021, 4},
      .idea =
          "The scores are a table of learned numbers, one for each pair of positions. Neither query nor key is read. "
          "It is a fixed pattern that the model has found useful on average.",
      .wrong =
          "The table is learned and the same for all sentences. The weights depend on the positions and not on the "
          "words.",
      .shapes = "R [H, longest, longest] -> e [B, T, S]",
      .cost = "no product; H (longest)^2 parameters",
      .own = {"no_key_is_read", "a_short_source_uses_the_first_columns", "no_query_is_read"},
      .exempt = {kWeighsPlaces,
                 kWeighsPlacesBefore,
                 {"queries_may_be_permuted", "the scores of a query depend on its place alone"},
                 {"weights_depend_on_keys", "it does not read the keys; in the course it is a control"}},
  };

  using Options = ScoreOptions;
  RandomSynthesizer(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  void visit(Visitor& v) override { v.parameter("table", table); }
  Variable table;  // R [H, N, N]
};

}  // namespace heed::nn
