// Learned absolute positions: a table with one row per position, trained like a word embedding (Vaswani, section 3.5,
// found them as good as sinusoids). W [P, D]. Rows beyond the longest training sentence keep their initial values.
#pragma once

#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct LearnedPositions final : EmbeddingPosition {
  static constexpr About about{
      .names = {"F2", "learned", "position embeddings"},
      .formula = "y_t = x_t + W[first + t]",
      .paper = {"Gehring et al., ICML 2017; Vaswani et al., NeurIPS 2017", 2017, 1},
      .idea =
          "Each position has a row in a table, which is added to the word vector and learned with everything else. It "
          "is the simplest way to tell positions apart. Only the data can teach the model that neighbouring rows "
          "belong to neighbouring positions.",
      .wrong = "A position beyond the table has no row, and positions that are rare in training are hardly trained.",
      .shapes = "x [B, T, D], W [P, D] -> [B, T, D]",
      .cost = "B T D sums; P D parameters",
      .own = {"only_rows_that_were_seen_learn", "beyond_the_table_is_an_error"},
      .exempt = {{"padded_after_is_alone", "it is added to each word by itself, before attention"},
                 {"padded_before_is_alone", "it is added to each word by itself, before attention"},
                 {"padding_is_never_read", "it is added to each word by itself, before attention"}},
      .cases = "LearnedPositions",
  };

  struct Options {
    int64_t positions, width;  // P, D
    double std = 0.02;         // the initial values are drawn from N(0, std^2)
  };
  static std::unique_ptr<EmbeddingPosition> made(const EmbeddingPositionOptions& o, Generator& rng) {
    return std::make_unique<LearnedPositions>(Options{.positions = o.max_positions, .width = o.width}, rng);
  }
  LearnedPositions(const Options& options, Generator& rng);
  Variable operator()(const Variable& x, int64_t first = 0) const override;  // IndexError for a position >= P
  Variable operator()(const Variable& x, const Tensor& places) const override;
  int64_t limit() const override { return options.positions; }
  void visit(Visitor& v) override { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [P, D]
};

}  // namespace heed::nn
