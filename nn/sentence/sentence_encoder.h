// SentenceEncoder: text to one vector a sentence. A model of masked words with what belongs to it: how a line becomes
// tokens, which number each has, and how annotations are pooled.
//
//   [CLS] tok_1 .. tok_n [SEP]   ->   annotations [n + 2, D]   ->   pooled [D]
//
//   SentenceEncoder e = SentenceEncoder::load("run/model.safetensors");
//   Tensor v = e.vectors({"i am a student", "je suis étudiant"});            // [2, D]
//
// Every token counts for the pooling, [CLS] and [SEP] too, as in sentence-transformers: `cls` is the state of [CLS]
// (Devlin et al., NAACL 2019), `mean` what Reimers and Gurevych (EMNLP 2019) found best. A line without words is a row
// of zeros. One file holds everything needed to use it, and to train on: nn/sentence/training.h.
#pragma once

#include <map>
#include <optional>

#include "nn/data/masked_words.h"
#include "nn/models/translator.h"
#include "nn/sentence/masked_word_model.h"
#include "nn/sentence/sentence_vectors.h"
#include "nn/text/bpe.h"
#include "nn/text/tokenizer.h"
#include "nn/text/vocabulary.h"

namespace heed::nn {

struct SentenceEncoderParts {
  text::Tokenizer tokenizer;
  text::Vocabulary vocabulary;  // with text::masked_specials
  std::optional<text::Bpe> bpe = {};
};

class SentenceEncoder {
 public:
  // The vocabulary's size is taken from parts, two kinds of words from here. ValueError for a vocabulary without the
  // specials.
  SentenceEncoder(SentenceEncoderParts parts, const TransformerOptions& options, uint64_t seed);

  std::vector<int64_t> pieces(const std::vector<std::string>& words) const;  // ids without [CLS] and [SEP]
  std::vector<int64_t> encode(const std::vector<std::string>& words) const;  // with; none for no words
  data::TextMarks marks() const;
  data::MaskingOptions masking() const;
  Annotations annotate(const Tensor& ids, const Tensor& lengths) const;
  // "a sentence may have at most .. tokens ..; got .." where the model has no positions for it, else "".
  std::string too_long(const std::vector<std::string>& words) const;

  // InputError for a sentence that is too long.
  Tensor vectors(const std::vector<std::vector<std::string>>& sentences, const SentenceVectorOptions& options) const;
  Tensor vectors(const std::vector<std::string>& lines) const;  // pooled as the encoder says

  // `extra` metadata travels with the file and comes back from load.
  void save(const std::string& path, const std::map<std::string, std::string>& extra = {}) const;
  // IoError when the file is missing, damaged, or of another program.
  static SentenceEncoder load(const std::string& path);

  SentenceEncoderParts parts;
  MaskedWordModel model;
  std::string pooling = "mean";  // what its vectors are meant to be read with
  std::map<std::string, std::string> extra;
};

// The encoder of a translator as one of sentences: its annotations of tok_1 .. tok_n </s>, pooled. `cls` is the first
// token there, and for a model with one fixed vector every pooling is that vector.
Tensor sentence_vectors(const Translator& translator, const std::vector<std::vector<std::string>>& sentences,
                        const SentenceVectorOptions& options = {});

}  // namespace heed::nn
