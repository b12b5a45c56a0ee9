// Records what a trained translator does, for the panels of the report (tutorials/report/attention_panels.h).
//
//   report::StepperModel m = record_decode(translator, {"the", "agreement", ..}, {.name = "attention"});
//   lesson.report().stepper({.title = "Word by word", .models = {m}});
//
// The model is not changed: nn::Observe reports attention weights and scores, and the decoder runs one word at a time
// as in greedy search, so the record shows the computation that translates. S: source words with </s> and padding, H:
// heads, L: layers, D: width.
#pragma once

#include <string>
#include <vector>

#include "nn/models/translator.h"
#include "tutorials/report/attention_panels.h"

namespace heed::app {

struct RecordOptions {
  std::string name = {};
  int64_t padding = 1;      // number of <pad> after the sentence, as in a batch with a longer one, to show the mask
  int64_t best = 5;         // number of most probable words that are recorded
  bool change_key = false;  // an experiment, recurrent models only: add 1 to each number of the encoder output that has
                            // the largest weight at a step, and compute the weights again
};
// A greedy translation with the state of the decoder, and the scores, weights and context of every step. The attention
// of a recurrent decoder has one head. The cross-attention of a transformer has L H heads, each with a context of its
// own, [D / H].
report::StepperModel record_decode(const nn::Translator& translator, const std::vector<std::string>& source,
                                   const RecordOptions& options);

// All attention weights of a transformer for a sentence and its true translation (teacher forcing): "encoder",
// "decoder" and "cross-attention", with all layers and heads.
report::ArcsSentence record_heads(const nn::Translator& translator, const text::TokenPair& pair,
                                  const std::string& name);

// The probabilities of `words` as the next word, with all heads, and without each head, layer and pair of heads
// (ablation). A head is removed by setting its columns of out_proj to 0, which is the same as setting its context to 0.
// The parameters are restored afterwards.
struct AblationQuery {
  std::string name;
  text::TokenPair pair;  // with the true translation; `position` is the place in it of the word to predict
  std::size_t position = 0;
  std::size_t right = 0;  // the index of the right word in `words`
};
report::AblationPanel record_ablation(nn::Translator& translator, const std::vector<AblationQuery>& queries,
                                      const std::vector<std::string>& words);

// The parameters with shapes and counts, in the order of visit.
std::vector<report::ParameterLine> parameter_lines(const nn::TranslationModel& model);

}  // namespace heed::app
