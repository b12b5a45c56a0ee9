// What heed look asks of every translator that heed has trained: its words, and what it can draw.
//
//   source w_1 .. w_S </s>, target <s> y_1 ..
//
// Without a second text the target is the greedy translation without its last word, which is the answer.
//
// The words are those of the tokenizers, the merges and the vocabularies in model.safetensors. A word that they lack is
// <unk>.
#pragma once

#include <fmt/format.h>

#include "nn/models/translator.h"
#include "tutorials/app/look_model.h"

namespace heed::app {

struct TranslatorLook : LookModel {
  TranslatorLook(nn::Translator translator, const LookOptions& options);
  std::string label(int64_t number) const override;

 protected:
  nn::Translator translator_;
};

// Adds the words of a text: pieces, with BPE. `look` is told which are unknown.
void add_text(const std::vector<std::string>& words, const std::optional<text::Bpe>& bpe,
              const text::Vocabulary& vocabulary, LookModel& look, LookWords& to, int64_t side = 0);
void require_short(const std::string& line);
// InputError, with the reason, for an attention that has no rows of weights that sum to 1, each computed alone.
void require_rows(const nn::Pipeline& attention, const std::string& where);

// A stage that cannot hide words throws ValueError; the user gets its sentence as an InputError.
template <class Work>
auto or_refuse(const Work& work) {
  try {
    return work();
  } catch (const ValueError& error) { throw InputError(fmt::format("look: {}", error.what())); }
}

}  // namespace heed::app
