// The dense synthesizer ("Synthesizer: rethinking self-attention for transformer models", section 3): attention without
// a comparison of query and key, the location score (location.h) with a hidden layer. Sources shorter than the table
// use its first columns, and longer ones are refused. In the course it is a control: a task that it solves does not
// need attention to content.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct DenseSynthesizer final : Score {
  struct Settings {
    int64_t max_source = 100;
    int64_t width = 0;
    void fields(OptionFields& f) {
      f("max_source", max_source, "number of positions of the longest source", {1, 16384});
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
    }
  };
  static constexpr About about{
      .names = {"A16", "synthesizer_dense", "dense synthesizer"},
      .formula = "e = W_2 relu(W_1 q + b_1) + b_2, with one row of W_2 per source position",
      .paper = {"Tay et al., ICML 2021", 2021, 4},
      .idea =
          "A small network computes the scores of all positions from the query alone. So the word that reads is not "
          "compared with the other words. The paper asks how much of a transformer needs such comparisons at all.",
      .wrong =
          "The keys have no effect on the weights. The last layer has one row for each position, so there is a longest "
          "sentence.",
      .shapes = "q [B, T, Q], W_1 [A, Q], W_2 [longest source, A] -> e [B, T, S]",
      .cost = "B T A (Q + S) products; A (Q + 1) + (longest source) (A + 1) parameters",
      .own = {"no_key_is_read", "a_short_source_uses_the_first_columns"},
      .exempt = {kWeighsPlaces,
                 kWeighsPlacesBefore,
                 {"weights_depend_on_keys", "it does not read the keys; in the course it is a control"}},
  };

  using Options = ScoreOptions;
  DenseSynthesizer(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext&) const override;  // ShapeError if S > N
  bool by_place() const override { return true; }
  void visit(Visitor& v) override {
    v.child("hidden", hidden);
    v.child("places", places);
  }
  Linear hidden, places;  // W_1, b_1 and W_2, b_2
};

}  // namespace heed::nn
