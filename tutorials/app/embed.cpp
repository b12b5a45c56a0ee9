// heed embed: one vector per line, from the encoder of a translator (heed train, heed translate) or a sentence encoder
// (lesson 25).
//
//   heed embed --model run < sentences.txt > vectors.txt          one line per sentence, numbers separated by blanks
//   heed embed --model run --npy vectors.npy < sentences.txt      [lines, D] f32, for numpy.load
//
// As many vectors as lines: one without words is a row of zeros. A number is written so that reading it gives the same
// 32 bits.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "nn/io/npy.h"
#include "nn/sentence/sentence_encoder.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/common/options.h"

namespace heed::app {
namespace {

constexpr size_t kLinesAtOnce = 512;

// A translator or a sentence encoder, depending on the file.
class Embedder {
 public:
  explicit Embedder(const std::string& path) {
    const io::SafeTensors file = io::load_safetensors(path);
    auto kind = file.metadata.find("heed.kind");
    if (kind == file.metadata.end())
      throw IoError(fmt::format(
          "load: \"{}\": must be a translator or a sentence encoder saved by heed; got a file without heed.kind",
          path));
    if (kind->second.starts_with("sentence encoder"))
      encoder_.emplace(nn::SentenceEncoder::load(path));
    else
      translator_.emplace(nn::Translator::load(path));
  }
  std::string pooling() const { return encoder_ ? encoder_->pooling : "mean"; }
  std::vector<std::string> words(const std::string& line) const {
    return (encoder_ ? encoder_->parts.tokenizer : translator_->parts.tokenizers.source).split(line);
  }
  const text::Bpe* bpe() const {
    const std::optional<text::Bpe>& own = encoder_ ? encoder_->parts.bpe : translator_->parts.bpe;
    return own ? &*own : nullptr;
  }
  std::string too_long(const std::vector<std::string>& words) const {
    return encoder_ ? encoder_->too_long(words) : translator_->too_long(words);
  }
  Tensor vectors(const SplitLines& sentences, const nn::SentenceVectorOptions& options) const {
    return encoder_ ? encoder_->vectors(sentences, options) : nn::sentence_vectors(*translator_, sentences, options);
  }

 private:
  std::optional<nn::SentenceEncoder> encoder_;
  std::optional<nn::Translator> translator_;
};

void print(const Tensor& rows) {  // [lines, D]
  std::string text;
  const float* x = rows.data<float>();
  for (int64_t i = 0, D = rows.size(1); i < rows.count(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", x[i], (i + 1) % D ? ' ' : '\n');
  fmt::print("{}", text);
}

void embed_lines(const Embedder& embedder, const nn::SentenceVectorOptions& options, const std::string& npy) {
  text::LineReader reader(std::cin, "standard input");
  SplitLines waiting;
  std::vector<float> kept;  // with --npy, whose header says how many there are
  int64_t lines = 0, width = 0;
  auto computed = [&](const SplitLines& some) {
    Tensor rows = embedder.vectors(some, options);
    width = rows.size(1);
    lines += rows.size(0);
    if (npy.empty()) return print(rows);
    kept.insert(kept.end(), rows.data<float>(), rows.data<float>() + rows.count());
  };
  auto answer = [&] { for_lines(std::exchange(waiting, {}), lines + 1, computed); };
  try {
    for (std::string line; reader.next(line);) {
      std::vector<std::string> words;
      std::string fault = line_too_long(line);
      if (fault.empty()) {
        words = embedder.words(line);
        fault = line_too_long(words, embedder.bpe());
      }
      if (fault.empty()) fault = embedder.too_long(words);
      if (!fault.empty()) throw InputError(fmt::format("embed: {} in line {}", fault, reader.line_number()));
      waiting.push_back(std::move(words));
      if (waiting.size() >= kLinesAtOnce) answer();
    }
  } catch (const InputError&) {  // what came before is answered all the same; half an .npy file is none
    if (npy.empty()) answer();
    throw;
  }
  answer();
  if (!npy.empty()) io::save_npy(npy, Tensor::from(kept, {lines, width}));
}

}  // namespace

int embed_main(int argc, char** argv) {
  Common common;
  std::string folder, npy;
  std::optional<std::string> pooling;
  bool normalize = false;
  std::optional<int64_t> threads;
  Options options(
      "heed embed",
      "Computes one sentence vector for each line of standard input and prints its numbers to standard output.");
  options.add("--model", &folder, "folder of a saved translator or sentence encoder").required().placeholder("DIR");
  options
      .add("--pooling", &pooling,
           "how token vectors become one sentence vector; default: that of the encoder, else mean")
      .one_of(nn::sentence_poolings());
  options.flag("--normalize", &normalize, "scale vectors to length 1, so that their dot product is the cosine");
  options.add("--npy", &npy, "write the vectors, [lines, D] in f32, to the .npy file F instead").placeholder("F");
  options.add("--threads", &threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.epilogue(
      "A line without words gives a row of zeros, so there are as many vectors as lines. Sentence encoders put [CLS]\n"
      "before a line and [SEP] after it; translators put </s> after it. The pooling counts these as tokens.");
  options.parse(argc, argv);
  common.threads = threads;
  apply_common(common);
  Embedder embedder(folder + "/model.safetensors");
  embed_lines(embedder, {.pooling = pooling.value_or(embedder.pooling()), .normalize = normalize}, npy);
  return 0;
}

}  // namespace heed::app
