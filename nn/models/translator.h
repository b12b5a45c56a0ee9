// Translator: a trained model with what belongs to it: how text becomes tokens, and which number each token has. With
// byte-pair encoding the model's tokens are pieces of words.
//
//   Translator t = Translator::load("model.safetensors");
//   t.translate("I am a student").text        // "je suis étudiant"
//
// One file holds everything needed to use it: parameters by name, and tokenisers, merges, vocabularies and sizes as
// metadata.
#pragma once

#include <map>
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

struct TranslateOptions {
  int64_t beam = 1;              // 1: greedy
  bool replace_unknown = false;  // a written <unk> becomes the source word it looked at most (with attention)
  double length_penalty = 1;
};

struct Translation {
  std::vector<std::string> source, target;  // the model's tokens (pieces, with BPE), without end marks
  std::vector<std::string> words;           // the target with BPE undone
  std::string text;                         // the target as one line
  std::vector<std::string> unknown;         // source tokens outside the vocabulary
  double log_probability = 0;
  bool finished = true;
  // The alignment that the decoder used: one row for each target token and one for </s>, one column for each source
  // token and one for </s>; row-major. Empty for a model without attention.
  std::vector<float> weights;
  int64_t rows() const { return static_cast<int64_t>(weights.size()) / columns(); }
  int64_t columns() const { return static_cast<int64_t>(source.size()) + 1; }
};

struct TranslatorParts {
  text::PairTokenizers tokenizers;
  text::Vocabulary source, target;
  std::optional<text::Bpe> bpe = {};  // of both languages
};

// Translating, aligning and saving write nothing: several threads may do so at once with one Translator, as long as
// none trains or changes it meanwhile.
class Translator {
 public:
  // Sizes of vocabularies are taken from parts. ValueError for an output that copies (Seq2SeqOptions::output) with two
  // vocabularies, and for a pointer. With such an output, a source word that the vocabulary lacks can be written.
  Translator(TranslatorParts parts, const TranslationModel::Options& options, uint64_t seed);

  data::EncodedPair encode(const text::TokenPair& pair) const;  // of words
  std::vector<data::EncodedPair> encode(const std::vector<text::TokenPair>& pairs) const;

  Translation translate(const std::string& sentence, const TranslateOptions& options = {}) const;
  // Many lists of words at once, in batches; the result does not depend on the batch size. An empty list gives an empty
  // text. InputError for a sentence of more tokens than the model has positions.
  std::vector<Translation> translate(const std::vector<std::vector<std::string>>& sentences,
                                     const TranslateOptions& options = {}, int64_t batch_size = 64) const;
  // "a sentence may have at most .. tokens ..; got .." where the model has no positions for it, else "".
  std::string too_long(const std::vector<std::string>& words) const;
  // The alignment for a given translation (teacher forcing): rows and columns as in Translation.
  Translation align(const text::TokenPair& pair) const;

  // `extra` metadata travels with the file and comes back from load.
  void save(const std::string& path, const std::map<std::string, std::string>& extra) const;
  // IoError when the file is missing, damaged, of another program, or was saved before any training.
  static Translator load(const std::string& path);

  TranslatorParts parts;
  TranslationModel model;
  int64_t epochs = 0;  // trained so far
  std::map<std::string, std::string> extra;

 private:
  std::vector<std::string> pieces(const std::vector<std::string>& words) const;
  void finish(Translation& translation) const;  // words and text from the target
  bool copies_ = false;                         // are unknown words numbered, so that the output can copy them?
};

}  // namespace heed::nn
