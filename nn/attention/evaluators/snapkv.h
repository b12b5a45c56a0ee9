// SnapKV (Li et al., NeurIPS 2024): of a long prompt each head keeps only the words that its last words read most, and
// decoding then reads those, the last words, and what it has written itself (memories/chosen_prompt.h).
//
// The prompt is the first call that continues an empty memory; it is read as a whole, with ordinary outputs. A text
// that comes word by word is never shortened. All words at once, in training, are read as ever. Words keep their places
// in the text, so rotary positions stay right, but heads keep different words: a position that adds a bias by distance
// is refused.
#pragma once

#include "nn/attention/evaluators/dense.h"
#include "nn/attention/memories/chosen_prompt.h"
#include "nn/attention/positions/counts_in_blocks.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct SnapKV final : Evaluator {
  struct Settings {
    int64_t capacity = 2048;
    int64_t window = 32;
    int64_t pooled = 5;
    void fields(OptionFields& f) {
      f("capacity", capacity, "c, words of a prompt that are kept", {1, 1e9});
      f("window", window, "w, last words of the prompt, which vote and are kept; at most c", {1, 1e9});
      f("pooled", pooled, "2 p + 1, neighbours over which votes are averaged; odd", {1, 1001});
    }
  };
  static constexpr About about{
      .names = {"K12", "snapkv", "SnapKV"},
      .formula = "of a prompt the c - w words with the largest mean over 2 p + 1 neighbours of sum_(last w t) w_ts",
      .paper = {"Li et al., NeurIPS 2024", 2024, 4},
      .idea =
          "What the last words of a prompt read is what the answer will read, because they ask the question. Their "
          "weights are votes for the words before them, and each head keeps the words with the most votes. Votes are "
          "averaged over neighbours, so that whole phrases are kept and not single words.",
      .wrong =
          "The weights of the last words on each other are no votes. Each query head chooses for itself, so heads that "
          "shared their keys have keys of their own afterwards.",
      .shapes = "[B, H, c + words after the prompt, K] and as many values",
      .cost = "2 (c + n) D products per step after a prompt of any length; 2 H (c + n) K numbers per sentence",
      .own = {"a_prompt_keeps_what_its_end_reads", "a_short_prompt_is_kept"},
      .cases = "MultiHeadAttention",
      .architecture = "transformer",
      .option = "evaluator",
      .text = "snapkv",
  };

  SnapKV(const EvaluatorOptions& o, Generator&) : SnapKV(o.settings.as<Settings>()) {}
  explicit SnapKV(const Settings& s);  // ValueError for a window beyond the capacity, or an even number of neighbours
  std::string refuses(const StageSet& stages) const override {
    if (stages.sequential()) return "a stage reads the weights of the step before, of keys that may be forgotten since";
    if (!stages.scope.only_limits_order()) return "it chooses the keys that are kept, so the scope must not";
    if (stages.score.by_place()) return "the score knows keys by their places from the first one on";
    if (stages.position.has_bias() || stages.position.has_read())
      return "each head keeps other words, and the position adds a bias by their distances";
    const bool rotates = stages.position.turns() && !(stages.score.keeps_rotations() && stages.score.any_width());
    if (rotates || dynamic_cast<const ReadsPlaces*>(&stages.position) ||
        dynamic_cast<const CountsInBlocks*>(&stages.position))
      return "a stage reads places themselves, and padding would shift those in the text";
    return "";
  }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override {
    return DenseEvaluator()(stages, call, context);
  }
  std::unique_ptr<AttentionMemory> memory(const StageSet&) const override {
    return std::make_unique<ChosenPrompt>(
        PromptBudget{.capacity = settings.capacity, .window = settings.window, .pooled = settings.pooled});
  }
  Settings settings;
};

}  // namespace heed::nn
