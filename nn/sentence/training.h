// The FitModel with which the training loop (nn/train/fit.h) trains a sentence encoder:
//
// clang-format off
//   masked words   EncodedPair::source: a text as [CLS] .. [SEP], or two segments
//                  loss: mean per hidden word
//   contrastive    EncodedPair::source, ::target: a pair with one meaning, both [CLS] .. [SEP]
//                  loss: mean per pair, contrastive.h on the pooled states
// clang-format on
//
// Validation hides the same words each time (those of epoch 0), so that its losses can be compared. The wrong answers
// of a contrastive loss are the other sentences of its batch. So FitOptions::accumulate adds no wrong answers: a step
// of N batches has the mean of N losses, each with the few wrong answers of its own batch. More wrong answers need a
// larger batch.
#pragma once

#include "nn/sentence/contrastive.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/train/fit.h"

namespace heed::nn {

FitModel fit_masked_words(SentenceEncoder& encoder, const data::MaskingOptions& masking);
FitModel fit_contrastive(SentenceEncoder& encoder, const std::string& pooling, const ContrastiveOptions& options = {});

// The share of the hidden words of texts (epoch 0) that the model predicts correctly, in evaluation mode.
double masked_word_accuracy(const SentenceEncoder& encoder, const std::vector<data::EncodedPair>& texts,
                            const data::MaskingOptions& masking);

}  // namespace heed::nn
