// Training and measuring an assembled translator.
//
//   for each epoch, for each batch:   teacher forcing, loss, backward, clip, one step of the optimiser
//
// All five are pieces (pieces.h). The learning rate grows for 50 steps and then falls along a line to a twentieth, as
// in the main job without its cosine.
#pragma once

#include "nn/models/translator.h"
#include "tutorials/app/mine/model.h"

namespace heed::app {

struct MineTraining {
  int64_t epochs = 6, batch_size = 32;
  double learning_rate = 0.01, clip = 1;
  uint64_t seed = 1;
};

// Interrupted after Ctrl-C.
void train_mine(Assembled& model, const std::vector<data::EncodedPair>& pairs, const MineTraining& training);

// How the translations of sentences compare with their references.
struct MineScore {
  int64_t sentences = 0, exact = 0;
  double bleu = 0;  // the mean over those whose reference has at least 4 words
  double percent() const { return 100.0 * static_cast<double>(exact) / static_cast<double>(sentences); }
};
using Translate = std::function<std::vector<std::string>(const data::EncodedPair&)>;
MineScore score_mine(const Pieces& pieces, const nn::TranslatorParts& parts,
                     const std::vector<data::EncodedPair>& pairs, const Translate& translate);

// One sentence: greedy for a width of 0, else by beam search.
std::vector<std::string> translate_mine(const Assembled& model, const nn::TranslatorParts& parts,
                                        const data::EncodedPair& pair, size_t width);

}  // namespace heed::app
