// Records what a trained translator does, for the panels of the report (tutorials/report/attention_panels.h).
//
//   report::StepperModel m = record_decode(translator, {"the", "agreement", ..}, {.name = "attention"});
//   lesson.report().stepper({.title = "Word by word", .models = {m}});
//
// The model is not changed: attention weights and scores come through nn::Observe, and the decoder is run one word at a
// time as in greedy search, so that the record is of the computation that translates. S source words with </s> and
// padding, H heads, L layers, D width.
#pragma once

#include <string>
#include <vector>

#include "nn/models/translator.h"
#include "tutorials/report/attention_panels.h"

namespace heed::app {

struct RecordOptions {
  std::string name = {};
  int64_t padding = 1;      // <pad> after the sentence, as in a batch with a longer one: the mask has something to do
  int64_t best = 5;         // how many of the likeliest words are kept
  bool change_key = false;  // the experiment: 1 is added to each number of one encoder output, the one with the most
                            // weight at that step, and the weights are computed again. Recurrent models only.
};
// A greedy translation with the state of the decoder, scores, weights and context of every step. A recurrent decoder's
// attention has one head; a transformer's cross-attention has L H, and its context is the head's own, [D / H].
report::StepperModel record_decode(const nn::Translator& translator, const std::vector<std::string>& source,
                                   const RecordOptions& options);

// Every attention of a transformer over a sentence with its true translation: "encoder", "decoder" and
// "cross-attention", with all their layers and heads.
report::ArcsSentence record_heads(const nn::Translator& translator, const text::TokenPair& pair,
                                  const std::string& name);

// The probability of `words` after `written` with every head, and without each head, layer and pair of heads. A head is
// taken away by setting its context to 0, which is the same as setting its columns of out_proj to 0. The parameters are
// changed for this and then restored.
struct AblationQuery {
  std::string name;
  text::TokenPair pair;  // the true translation; `position` is the place of the word to predict in it
  std::size_t position = 0, right = 0;
};
report::AblationPanel record_ablation(nn::Translator& translator, const std::vector<AblationQuery>& queries,
                                      const std::vector<std::string>& words);

// The parameters with shapes and counts, in the order in which visit names them.
std::vector<report::ParameterLine> parameter_lines(const nn::TranslationModel& model);

}  // namespace heed::app
