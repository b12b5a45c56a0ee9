// SentenceEncoder: text to one vector per sentence. It is a masked word model with everything that it needs: the
// tokeniser, the vocabulary, and the pooling of the token states.
//
//   [CLS] tok_1 .. tok_n [SEP]   ->   states [n + 2, D]   ->   pooled [D]
//
//   SentenceEncoder e = SentenceEncoder::load("run/model.safetensors");
//   Tensor v = e.vectors({"i am a student", "je suis étudiant"});            // [2, D]
//
// The pooling uses every token, [CLS] and [SEP] too, as in sentence-transformers: `cls` is the state of [CLS] (Devlin
// et al., NAACL 2019); Reimers and Gurevych (EMNLP 2019) found that `mean` is best. A line without words gives a row of
// zeros. One file holds everything needed to use the encoder, and to train it further: nn/sentence/training.h.
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
  text::Vocabulary vocabulary;  // contains text::masked_specials
  std::optional<text::Bpe> bpe = {};
};

class SentenceEncoder {
 public:
  // Of the options, the vocabulary size is replaced by that of parts, and the number of kinds by two. ValueError for a
  // vocabulary without the special tokens.
  SentenceEncoder(SentenceEncoderParts parts, const TransformerOptions& options, uint64_t seed);

  std::vector<int64_t> pieces(const std::vector<std::string>& words) const;  // the ids, without [CLS] and [SEP]
  // The ids, with [CLS] and [SEP]; empty if there are no words.
  std::vector<int64_t> encode(const std::vector<std::string>& words) const;
  data::TextMarks marks() const;
  data::MaskingOptions masking() const;
  Annotations annotate(const Tensor& ids, const Tensor& lengths) const;
  // "a sentence may have at most .. tokens ..; got .." if the model has too few positions for it, otherwise "".
  std::string too_long(const std::vector<std::string>& words) const;

  // InputError for a sentence that is too long.
  Tensor vectors(const std::vector<std::vector<std::string>>& sentences, const SentenceVectorOptions& options) const;
  Tensor vectors(const std::vector<std::string>& lines) const;  // with the encoder's own pooling

  // The metadata `extra` is stored in the file, and load restores it.
  void save(const std::string& path, const std::map<std::string, std::string>& extra = {}) const;
  // IoError if the file is missing, damaged, or from another program.
  static SentenceEncoder load(const std::string& path);

  SentenceEncoderParts parts;
  MaskedWordModel model;
  std::string pooling = "mean";  // the pooling that the vectors are meant for
  std::map<std::string, std::string> extra;
};

// Uses the encoder of a translator as a sentence encoder: the encoder outputs of tok_1 .. tok_n </s>, pooled. Here
// `cls` is the first token, and for a model with one fixed vector every pooling gives that vector.
Tensor sentence_vectors(const Translator& translator, const std::vector<std::vector<std::string>>& sentences,
                        const SentenceVectorOptions& options = {});

}  // namespace heed::nn
