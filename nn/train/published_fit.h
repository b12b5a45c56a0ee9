// The FitModels with which the training loop (fit.h) trains published models (nn/published/model.h), whole or by LoRA:
//
// clang-format off
//   masked words   source: a text as [CLS] .. [SEP]                   loss: mean per hidden word
//   next word      source: a window of tokens w_0 .. w_T              loss: mean per token
//   classes        source: a text as [CLS] .. [SEP], target: {class}  loss: mean per text
// clang-format on
//
// All are cross-entropies, so their sums can be compared with that of chance, log V or log C. A checkpoint has the
// parameters that are trained, and no others. B texts, S tokens of the longest, V vocabulary, C classes.
#pragma once

#include "nn/data/masked_words.h"
#include "nn/lora.h"
#include "nn/published/model.h"
#include "nn/train/fit.h"

namespace heed::nn {

struct PublishedFit {
  int64_t pad = 0;            // the token that fills rows
  LoraModel* lora = nullptr;  // if the model is trained by LoRA, its adapters
};
FitModel fit_masked_words(published::Model& model, const data::MaskingOptions& masking, const PublishedFit& options);
FitModel fit_next_word(published::Model& model, const PublishedFit& options);
FitModel fit_classes(published::Model& model, const PublishedFit& options);

// Probabilities [B, C] f32 of the classes, in evaluation mode, in the order of the texts.
Tensor class_probabilities(const published::Model& model, const std::vector<std::vector<int64_t>>& texts, int64_t pad);

// A text as windows of `length` tokens, each predicting its next: a window begins with the last token of the one before
// it, or with `begin` if the model knows such a token (>= 0). What is left over is a shorter window.
std::vector<data::EncodedPair> windows_of(const std::vector<int64_t>& tokens, int64_t length, int64_t begin);

// The words that the model writes after those given, each drawn from its probabilities at this temperature (0: the most
// likely), until `end` or `most` more.
std::vector<int64_t> continued(const published::Model& model, const std::vector<int64_t>& tokens, int64_t most,
                               double temperature, int64_t end, Generator& rng);

}  // namespace heed::nn
