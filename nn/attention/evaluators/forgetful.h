// Evaluators that differ from dense attention in decoding alone, where their memory keeps a bounded number of keys
// (memories/forgetting.h). All words at once are read as ever: such a method is applied to a model that was trained
// without it.
#pragma once

#include "nn/attention/evaluators/dense.h"
#include "nn/attention/memories/forgetting.h"
#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/reads_words.h"

namespace heed::nn {

struct ForgetfulEvaluator : Evaluator {
  explicit ForgetfulEvaluator(const Budget& kept) : budget(kept) {}
  std::string refuses(const StageSet& stages) const override {
    if (stages.sequential()) return "a stage reads the weights of the step before, of keys that may be forgotten since";
    if (!stages.scope.only_limits_order()) return "it chooses the keys that are kept, so the scope must not";
    if (dynamic_cast<const ReadsWords*>(&stages.position))
      return "the position sums over the words between a key and a query, of which some may be forgotten";
    if (budget.heavy > 0 && dynamic_cast<const CountsInBlocks*>(&stages.position))
      return "the position counts factors from places, which differ from head to head";
    if (stages.score.by_place()) return "the score knows keys by their places from the first one on";
    const bool rotates = stages.position.turns() && !(stages.score.keeps_rotations() && stages.score.any_width());
    if (!budget.renumbered && (rotates || reads_places_of(stages.position)))
      return "a stage reads places themselves, and padding would shift those in the text";
    return "";
  }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override {
    return DenseEvaluator()(stages, call, context);
  }
  std::unique_ptr<AttentionMemory> memory(const StageSet&) const override {
    return std::make_unique<ForgettingMemory>(budget);
  }
  Budget budget;
};

}  // namespace heed::nn
