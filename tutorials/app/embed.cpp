// heed embed: one vector per line, from the encoder of a translator (heed train, heed translate), a sentence encoder
// (lesson 25) or a published model (heed get).
//
//   heed embed --model run < sentences.txt > vectors.txt          one line per sentence, numbers separated by blanks
//   heed embed --model run --npy vectors.npy < sentences.txt      [lines, D] f32, for numpy.load
//
// As many vectors as lines: one without words is a row of zeros, or what a published model makes of its special tokens
// alone. A number is written so that reading it gives the same 32 bits.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "nn/io/npy.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/embedder.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

void print(const Tensor& rows) {  // [lines, D]
  std::string text;
  const float* x = rows.data<float>();
  for (int64_t i = 0, D = rows.size(1); i < rows.count(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", x[i], (i + 1) % D ? ' ' : '\n');
  fmt::print("{}", text);
}

void embed_lines(const Embedder& embedder, const std::string& prompt, const std::string& npy) {
  text::LineReader reader(std::cin, "standard input");
  SplitLines waiting;
  std::vector<float> kept;  // with --npy, whose header says how many there are
  int64_t lines = 0, width = 0;
  auto computed = [&](const SplitLines& some) {
    Tensor rows = embedder.vectors(some, prompt);
    width = rows.size(1);
    lines += rows.size(0);
    if (npy.empty()) return print(rows);
    kept.insert(kept.end(), rows.data<float>(), rows.data<float>() + rows.count());
  };
  auto answer = [&] { for_lines(std::exchange(waiting, {}), lines + 1, computed); };
  try {
    for (std::string line; reader.next(line);) {
      waiting.push_back(embedder.prepared(line, reader.line_number()));
      if (waiting.size() >= kSentencesAtOnce) answer();
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
  EmbedderOptions model;
  std::string npy, prompt;
  std::optional<int64_t> threads;
  Options options(
      "heed embed",
      "Computes one sentence vector for each line of standard input and prints its numbers to standard output.");
  options.add("--model", &model.folder, "folder of a saved translator, a sentence encoder or a published model")
      .required()
      .placeholder("DIR");
  options
      .add("--pooling", &model.pooling,
           "how token vectors become one sentence vector; default: that of the encoder, else mean")
      .one_of(nn::sentence_poolings());
  options.flag("--normalize", &model.normalize, "scale vectors to length 1, so that their dot product is the cosine");
  options
      .add("--prompt", &prompt,
           "the prompt that comes before each line, by its name in config_sentence_transformers.json; default: the one "
           "that this file calls the default")
      .placeholder("NAME");
  options.add("--npy", &npy, "write the vectors, [lines, D] in f32, to the .npy file F instead").placeholder("F");
  options.add("--threads", &threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.epilogue(
      "There are as many vectors as lines: of models of heed, a line without words\n"
      "gives a row of zeros. Sentence encoders put [CLS] before a line and [SEP] after it;\n"
      "translators put </s> after it. The pooling counts these as tokens.\n"
      "Published models are folders in the layout of Hugging Face (./heed get\n"
      "downloads them), or Universal Sentence Encoder Lite as npm has it. With\n"
      "modules.json a vector is what those modules make of the tokens, otherwise the\n"
      "mean of the last states. Such a model puts its own tokens around every line, an\n"
      "empty one too (but for that encoder, which has none), and leaves out the end of\n"
      "a line that is too long for it.");
  options.parse(argc, argv);
  common.threads = threads;
  apply_common(common);
  require_place("embed: --npy", npy);  // before the work
  require_apart("embed: --npy", npy, {model.folder});
  const Embedder embedder("embed", model);
  if (!embedder.published() && !prompt.empty())
    throw InputError(
        fmt::format("embed: --prompt is for published models that have prompts; got \"{}\"", model.folder));
  embed_lines(embedder, embedder.published() ? embedder.published()->prompt(prompt) : "", npy);
  return 0;
}

}  // namespace heed::app
