// Translator: a trained model together with its tokenisers, which turn text into tokens, and its vocabularies, which
// give each token a number. With byte-pair encoding (BPE) the model's tokens are pieces of words.
//
//   Translator t = Translator::load("model.safetensors");
//   t.translate("I am a student").text        // "je suis étudiant"
//
// One file holds everything that is needed to use it: the parameters by name, and as metadata the tokenisers, BPE
// merges, vocabularies and sizes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/data/batches.h"
#include "nn/decode/search.h"
#include "nn/models/translation_model.h"
#include "nn/text/bpe.h"
#include "nn/text/pairs.h"
#include "nn/text/vocabulary.h"

namespace heed::nn {

class Translator;

// nn/decode/search.h and constraints.h say what each does. Lengths and n-grams count the model's tokens.
struct TranslateOptions {
  int64_t beam = 1;              // 1: greedy
  bool replace_unknown = false;  // <unk> becomes the source word with the maximum weight (needs attention)
  double length_penalty = 1;
  int64_t min_length = 0;
  int64_t no_repeat_ngram = 0;
  std::vector<std::string> prefix = {};  // words with which every translation begins
  int64_t groups = 1;                    // of the beam
  double diversity = 0.5;
  std::vector<const Translator*> ensemble = {};  // further models with the same vocabularies, averaged with this one
  bool keep_weights = true;                      // whether a Translation has its alignment
  // Several batches are searched at the same time, each on one thread, which keeps all processors busy. Hooks of the
  // models are then called by several threads, and an Observe or a Profile of the caller sees only a part.
  bool several_at_once = false;
};

struct Translation {
  std::vector<std::string> source, target;  // the model's tokens (pieces, with BPE), without </s>
  std::vector<std::string> words;           // the target, with the BPE pieces joined into words
  std::string text;                         // the target as one line
  std::vector<std::string> unknown;         // source tokens outside the vocabulary, each once
  double log_probability = 0;
  double score = 0;  // by which the search ranks translations
  bool finished = true;
  // The alignment that the decoder used: one row for each target token and one for </s>, one column for each source
  // token and one for </s>; row-major. Empty for a model without attention, or without TranslateOptions::keep_weights.
  std::vector<float> weights;
  int64_t rows() const { return static_cast<int64_t>(weights.size()) / columns(); }
  int64_t columns() const { return static_cast<int64_t>(source.size()) + 1; }
};

struct TranslatorParts {
  text::PairTokenizers tokenizers;
  text::Vocabulary source, target;
  std::optional<text::Bpe> bpe = {};  // shared by both languages
};

// translate, align and save do not modify the Translator: several threads may call them at the same time, as long as no
// thread trains or changes it meanwhile.
class Translator {
 public:
  // The vocabulary sizes are taken from `parts`. Throws ValueError for the output "pointer", and for an output that
  // copies (AnyPaper::output) if there are two vocabularies. An output that copies can write source words that
  // are not in the vocabulary.
  Translator(TranslatorParts parts, const AnyPaper& paper, uint64_t seed);

  data::EncodedPair encode(const text::TokenPair& pair) const;  // takes words
  std::vector<data::EncodedPair> encode(const std::vector<text::TokenPair>& pairs) const;

  static constexpr int64_t kSentences = 256;  // of a batch
  Translation translate(const std::string& sentence, const TranslateOptions& options = {}) const;
  // Translates many sentences, given as lists of words, in batches of sentences of similar length; the result does not
  // depend on the batches. `batch_size` is the maximum number of sentences; long sentences and beams make it smaller.
  // An empty list gives an empty text. Throws InputError for a sentence with more tokens than the model has positions.
  std::vector<Translation> translate(const std::vector<std::vector<std::string>>& sentences,
                                     const TranslateOptions& options = {}, int64_t batch_size = kSentences) const;
  // Returns "a sentence may have at most .. tokens ..; got .." if the model has too few positions for it, else "".
  std::string too_long(const std::vector<std::string>& words) const;
  // The best `count` translations of each sentence, best first, and fewer if the search has ended with fewer: each text
  // once, with the best score of those that write it. ValueError for a count that is larger than the beam.
  std::vector<std::vector<Translation>> translate_n_best(const std::vector<std::vector<std::string>>& sentences,
                                                         int64_t count, const TranslateOptions& options = {},
                                                         int64_t batch_size = kSentences) const;
  // Computes the alignment for a given translation, by teacher forcing; rows and columns as in Translation.
  Translation align(const text::TokenPair& pair) const;

  // The `extra` metadata is stored in the file, and load returns it.
  void save(const std::string& path, const std::map<std::string, std::string>& extra) const;
  // Throws IoError if the file is missing or damaged, is from another program, or was saved before any training.
  static Translator load(const std::string& path);

  TranslatorParts parts;
  TranslationModel model;
  int64_t epochs = 0;  // number of epochs trained so far
  std::map<std::string, std::string> extra;

 private:
  std::vector<std::string> pieces(const std::vector<std::string>& words) const;
  std::unique_ptr<SearchModel> search(const data::Batch& batch, const TranslateOptions& options) const;
  void finish(Translation& translation) const;  // fills in words and text from the target
  bool copies_ = false;                         // unknown words get numbers, so that the output can copy them
};

}  // namespace heed::nn
