// What heed look asks of a model, whoever has trained it.
//
//   a published layout                                         look_published.h
//   a transformer of heed train, the encoder of lesson 25      look_own.h
//   a recurrent translator of heed train or heed translate     look_recurrent.h
//
// Calls and answers are those of nn/published/model.h: B variants of the same words, each with other words hidden and
// other heads switched off. A model is opened together with its texts, so it has their words, and knows what its answer
// is: next_word after the last target word, masked_words, classes or sentence_vector (look_subject.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/published/model.h"

namespace heed::app {

struct LookOptions {
  std::string folder, text;
  std::optional<std::string> second = {};
};

struct LookWords {  // of one side
  std::vector<int64_t> ids = {}, kinds = {};
  std::vector<std::string> shown = {};  // as a reader can read them
  std::vector<bool> special = {};       // added by the template: [CLS], [SEP], ..
  int64_t size() const { return static_cast<int64_t>(ids.size()); }
  void add(int64_t id, std::string word, bool of_template, int64_t kind = 0);
  void drop_last();
};

struct LookCache {  // the keys and values that a decoder keeps while its words come in, measured on its memory
  struct Step {
    int64_t words = 0, bytes = 0, of_source = 0;
    std::vector<int64_t> first = {};  // the first word that each layer keeps
  };
  std::vector<Step> steps = {};
  int64_t groups = 0, heads = 0, width = 0;  // heads of keys and values, heads, width of a head
};

struct LookModel {
  virtual ~LookModel() = default;
  std::string family;
  LookWords source, target;                      // of the encoder, and of the decoder; empty where there is none
  int64_t encoder_heads = 0, decoder_heads = 0;  // of each layer; 0: it has no such part
  std::string kind;
  int64_t asking = -1;  // the word that asks, of the target or of the source; -1: all words together
  bool asks_target = false;
  bool recurrent = false;    // look_recurrent.h: one attention, cross; words of the target are not hidden
  bool fills_masks = false;  // could it answer masked_words?
  std::optional<std::string> written = {};  // the whole translation, where a translator of heed has written it
  std::vector<std::string> unknown = {};    // words of the texts that the vocabulary lacks

  virtual std::string attention_of(const std::string& module) const = 0;  // of a module's path: encoder, decoder, cross
  virtual nn::published::Answer read(const nn::published::Inputs& in, const nn::published::Wanted& wanted) const = 0;
  virtual Variable logits(const nn::published::Answer& answer) const = 0;  // [B, V] or [B, classes]; no sentence_vector
  virtual std::string label(int64_t number) const = 0;                     // of a logit
  // The logits of the words for a vector, as if it were the last layer's output: [.., D] -> [.., V]; undefined if the
  // model has no head of words. `normed`: the final norm has been applied.
  virtual Variable words_of(const Variable& x, bool normed) const = 0;
  virtual LookCache cache(const nn::published::Answer& source, int64_t step) const = 0;  // `step` words at a time
};

// InputError of one sentence for a folder or texts that cannot be looked at.
std::unique_ptr<LookModel> look_model(const LookOptions& options);

Tensor same_rows(const std::vector<int64_t>& ids, int64_t B);    // [B, T], each row the same
void require_places(const LookWords& words, int64_t positions);  // positions: of the model; 0: any number
[[noreturn]] void refuse_empty(const char* which);               // a text without words

}  // namespace heed::app
