// The location-based score (section 3.1 of the paper). In the course it is the control that shows how much the keys
// contribute. A source shorter than the table uses its first rows.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

struct LocationScore final : Score {
  struct Settings {
    int64_t max_source = 100;
    void fields(OptionFields& f) {
      f("max_source", max_source, "number of positions of the longest source", {1, 16384});
    }
  };
  static constexpr About about{
      .names = {"A8", "location", "Luong location"},
      .formula = "e = W q, with one row of W per source position",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "The score of a position is computed from the query alone, by a table with one row per position. The model "
          "can learn to look at the third word, but it cannot learn to look for a verb. The official PyTorch tutorial "
          "used such a score from 2017 to 2023 and described it as attention to the encoder's outputs.",
      .wrong =
          "This score is meant to ignore the keys; any other score that ignores them has a bug. Positions beyond its "
          "table have no row.",
      .shapes = "q [B, T, Q], W [longest source, Q] -> e [B, T, S]",
      .cost = "B T S Q products; (longest source) Q parameters",
      .own = {"keys_are_not_read", "short_source_uses_the_first_rows"},
      .exempt = {kWeighsPlaces,
                 {"padded_before_is_alone", "its weights depend on the place of a key in the row"},
                 {"weights_depend_on_keys", "it does not read the keys; in the course it is the control"}},
  };

  using Options = ScoreOptions;
  LocationScore(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys,
                  StageContext&) const override;  // ShapeError if S > max_source
  bool by_place() const override { return true; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [max_source, Q]
};

}  // namespace heed::nn
