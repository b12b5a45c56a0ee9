#include "tutorials/app/embedder.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/io/file.h"
#include "nn/norm.h"

namespace heed::app {

Embedder::Embedder(std::string command, const EmbedderOptions& o) : command_(std::move(command)) {
  options_ = {.pooling = o.pooling.value_or("mean"), .normalize = o.normalize};
  const auto has = [&](const char* name) { return io::exists(o.folder + "/" + name); };
  const bool graph = has("model.json") && !has("model.safetensors");  // of another library: refused in its own words
  if (nn::published::is_published(o.folder) || has("modules.json") || graph) {
    nn::published::SentenceOpenOptions open;
    if (o.pooling) open.pooling = {*o.pooling};
    published_.emplace(nn::published::SentenceEncoder::open(o.folder, open));
    return;
  }
  const std::string path = o.folder + "/model.safetensors";
  const io::SafeTensors file = io::load_safetensors(path);
  auto kind = file.metadata.find("heed.kind");
  if (kind == file.metadata.end())
    throw IoError(
        fmt::format("load: \"{}\": must be a translator or a sentence encoder saved by heed; got a file without "
                    "heed.kind, in a folder without the config.json of a published model",
                    path));
  if (kind->second.starts_with("sentence encoder")) {
    encoder_.emplace(nn::SentenceEncoder::load(path));
    options_.pooling = o.pooling.value_or(encoder_->pooling);
  } else {
    translator_.emplace(nn::Translator::load(path));
  }
}

std::vector<std::string> Embedder::prepared(const std::string& line, int64_t number) const {
  std::vector<std::string> words;
  std::string fault = line_too_long(line);
  if (fault.empty() && published_) return {line};
  if (fault.empty()) {
    const auto& tokenizer = encoder_ ? encoder_->parts.tokenizer : translator_->parts.tokenizers.source;
    const std::optional<text::Bpe>& bpe = encoder_ ? encoder_->parts.bpe : translator_->parts.bpe;
    words = tokenizer.split(line);
    fault = line_too_long(words, bpe ? &*bpe : nullptr);
  }
  if (fault.empty()) fault = encoder_ ? encoder_->too_long(words) : translator_->too_long(words);
  if (!fault.empty()) throw InputError(fmt::format("{}: {} in line {}", command_, fault, number));
  return words;
}

Tensor Embedder::vectors(const SplitLines& lines, const std::string& prompt) const {
  if (encoder_) return encoder_->vectors(lines, options_);
  if (translator_) return nn::sentence_vectors(*translator_, lines, options_);
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line[0]);
  Tensor rows = published_->encode(texts, {.prompt = prompt});
  NoGrad guard;
  return options_.normalize ? nn::unit_rows(Variable(rows)).value().contiguous() : rows;
}

}  // namespace heed::app
