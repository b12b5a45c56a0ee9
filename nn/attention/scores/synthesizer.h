// Synthesizer scores (Tay et al., "Synthesizer: rethinking self-attention for transformer models", ICML 2021, section
// 3): attention without a comparison of query and key.
//
// clang-format off
//   dense    e_t = W_2 relu(W_1 q_t + b_1) + b_2     W_2 [N, A]: a score for each place of the
//                                                    source, from the query
//   random   e_ts = R_ts                             R [H, N, N], learned, for all sentences
// clang-format on
//
// Neither reads the keys; dense is the location score (location.h) with a hidden layer, random does not even read the
// query, and can learn fixed patterns such as "the word before". Sources shorter than the table use its first columns,
// and longer ones are refused. In the course they are controls: a task that they solve does not need attention to
// content. N most positions, A hidden width, H heads.
#pragma once

#include "nn/attention/scores/score.h"
#include "nn/layers.h"

namespace heed::nn {

struct DenseSynthesizer final : Score {
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

struct RandomSynthesizer final : Score {
  using Options = ScoreOptions;
  RandomSynthesizer(const Options& options, Generator& rng);
  Variable scores(const Variable& query, const Variable& keys, StageContext& context) const override;
  bool by_place() const override { return true; }
  void visit(Visitor& v) override { v.parameter("table", table); }
  Variable table;  // R [H, N, N]
};

}  // namespace heed::nn
