// What heed embed and heed search compute vectors of sentences with: a translator (heed train, heed translate), a
// sentence encoder (lesson 25), or a published model (heed get). The folder tells which.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/published/sentence.h"
#include "nn/sentence/sentence_encoder.h"
#include "tutorials/app/translate_prompt.h"

namespace heed::app {

struct EmbedderOptions {
  std::string folder;
  std::optional<std::string> pooling = {};  // default: that of the encoder, else mean
  bool normalize = false;
};
constexpr size_t kSentencesAtOnce = 512;

class Embedder {
 public:
  Embedder(std::string command, const EmbedderOptions& options);

  // The line as vectors() takes it: split into words, or whole for a published model. InputError, with its number, for
  // a line that is too long.
  std::vector<std::string> prepared(const std::string& line, int64_t number) const;
  // [lines, D] f32; `prompt` is the text that comes before each line. Called by for_lines, which finds the line that
  // cannot be used.
  Tensor vectors(const SplitLines& lines, const std::string& prompt = "") const;
  const nn::published::SentenceEncoder* published() const { return published_ ? &*published_ : nullptr; }

 private:
  std::string command_;
  nn::SentenceVectorOptions options_ = {};
  std::optional<nn::SentenceEncoder> encoder_ = {};
  std::optional<nn::Translator> translator_ = {};
  std::optional<nn::published::SentenceEncoder> published_ = {};
};

}  // namespace heed::app
