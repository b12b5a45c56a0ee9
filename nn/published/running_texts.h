// Texts that a model writes at the same time. It gives a search the scores of each text's next token, and keeps the
// rows that the search chooses. R texts, V tokens.
#pragma once

#include <vector>

#include "nn/published/word_rules.h"

namespace heed::nn::published {

class RunningTexts {
 public:
  // As generate(): the texts to continue, or to answer.
  RunningTexts(const Model& model, const std::vector<std::vector<int64_t>>& texts, const GenerationOptions& options);

  // The logits of the token after each text. `last`: the tokens written since the last call, one for each text; empty
  // at the first call.
  std::vector<std::vector<double>> next(const std::vector<int64_t>& last = {});
  void keep(const std::vector<int64_t>& rows);  // text i becomes what text rows[i] was

  std::vector<TextSoFar> begun;  // each with what it begins with, and how much may be written

 private:
  const Model& model_;
  Answer source_;
  Tensor mask_;  // where texts have different lengths: of a decoder [R, tokens so far], of sources [R, S]
  Inputs first_;
  TowerMemory memory_;
  std::vector<int64_t> text_of_;  // the text of the call that each row goes on with, or answers
};

}  // namespace heed::nn::published
