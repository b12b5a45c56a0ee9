// What the training loop (nn/train/fit.h) is told to train a sentence encoder:
//
//   masked words       texts as [CLS] .. [SEP] (or two segments) in EncodedPair::source;      loss: a word asked for
//   contrastive        pairs that mean the same in EncodedPair::source and ::target, both [CLS] .. [SEP];
//                      loss: a pair, contrastive.h on pooled annotations
//
// Validation hides the same words each time (those of epoch 0), so that its losses can be compared.
#pragma once

#include "nn/sentence/contrastive.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/train/fit.h"

namespace heed::nn {

FitModel fit_masked_words(SentenceEncoder& encoder, const data::MaskingOptions& masking);
FitModel fit_contrastive(SentenceEncoder& encoder, const std::string& pooling, const ContrastiveOptions& options = {});

// Share of the hidden words of texts (epoch 0) that the model names rightly, in evaluation mode.
double masked_word_accuracy(const SentenceEncoder& encoder, const std::vector<data::EncodedPair>& texts,
                            const data::MaskingOptions& masking);

}  // namespace heed::nn
