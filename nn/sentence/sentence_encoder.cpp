#include "nn/sentence/sentence_encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/init.h"
#include "nn/padding.h"

namespace heed::nn {
namespace {

using text::Vocabulary;

constexpr const char* kKind = "heed.kind";
constexpr const char* kKindValue = "sentence encoder 1";

TransformerOptions sized(TransformerOptions o, const Vocabulary& vocabulary) {
  o.source_vocabulary = o.target_vocabulary = vocabulary.size();
  o.token_types = 2;
  return o;
}

MaskedWordModel make_model(const TransformerOptions& options, const SentenceEncoderParts& parts, uint64_t seed) {
  for (const std::string& name : text::masked_specials) parts.vocabulary.special(name);  // throws if it is missing
  Generator rng(seed);
  MaskedWordModel model(sized(options, parts.vocabulary), rng);
  assign_paths(model, "sentence_encoder");
  return model;
}

// Checked before a model is allocated. The file must contain as many numbers as the model has parameters, so a damaged
// file cannot ask for a model of absurd size.
bool fits(const TransformerOptions& o, const io::SafeTensors& file) {
  int64_t numbers = 0;
  for (const auto& [name, t] : file.tensors) numbers += t.count();
  const Tensor* words = file.find("reader.embedding.words.weight");
  return numbers >= masked_word_parameters(o) && words && words->shape() == Shape{o.source_vocabulary, o.model};
}

}  // namespace

SentenceEncoder::SentenceEncoder(SentenceEncoderParts p, const TransformerOptions& options, uint64_t seed)
    : parts(std::move(p)), model(make_model(options, parts, seed)) {}

std::vector<int64_t> SentenceEncoder::pieces(const std::vector<std::string>& words) const {
  return parts.vocabulary.encode(parts.bpe ? parts.bpe->segment(words) : words);
}

std::vector<int64_t> SentenceEncoder::encode(const std::vector<std::string>& words) const {
  if (words.empty()) return {};
  return data::marked(marks(), pieces(words));
}

data::TextMarks SentenceEncoder::marks() const {
  return {parts.vocabulary.special("[CLS]"), parts.vocabulary.special("[SEP]")};
}

data::MaskingOptions SentenceEncoder::masking() const {
  return {.vocabulary = parts.vocabulary.size(),
          .first_word = parts.vocabulary.first_word(),
          .mask = parts.vocabulary.special("[MASK]")};
}

Annotations SentenceEncoder::annotate(const Tensor& ids, const Tensor& lengths) const {
  Variable x = model.reader(ids, lengths, data::segment_kinds(ids, marks().sep));
  return {.x = x, .words = length_mask(lengths, ids.size(1))};
}

std::string SentenceEncoder::too_long(const std::vector<std::string>& words) const {
  int64_t limit = position_limit(model.options);
  if (limit == 0) return "";
  int64_t tokens = std::ssize(pieces(words)), most = limit - 2;
  if (tokens <= most) return "";
  return fmt::format(
      "a sentence may have at most {} tokens, with [CLS] and [SEP] as many as the model has positions; "
      "got {}",
      most, tokens);
}

Tensor SentenceEncoder::vectors(const std::vector<std::vector<std::string>>& sentences,
                                const SentenceVectorOptions& options) const {
  std::vector<std::vector<int64_t>> encoded;
  for (const auto& words : sentences) {
    if (std::string fault = too_long(words); !fault.empty()) throw InputError("embed: " + fault);
    encoded.push_back(encode(words));
  }
  Evaluating evaluating;
  return sentence_vectors([this](const Tensor& ids, const Tensor& lengths) { return annotate(ids, lengths); },
                          model.options.model, encoded, options);
}

Tensor SentenceEncoder::vectors(const std::vector<std::string>& lines) const {
  std::vector<std::vector<std::string>> sentences;
  for (const std::string& line : lines) sentences.push_back(parts.tokenizer.split(line));
  return vectors(sentences, {.pooling = pooling});
}

void SentenceEncoder::save(const std::string& path, const std::map<std::string, std::string>& more) const {
  io::SafeTensors file = save_state(model);
  file.metadata = more;
  file.metadata[kKind] = kKindValue;
  io::Json described = to_json(model.options);
  described.set("tokenizer", parts.tokenizer.name());
  described.set("pooling", pooling);
  file.metadata["heed.options"] = described.dump();
  file.metadata["heed.vocabulary"] = text::joined_lines(parts.vocabulary.to_lines());
  if (parts.bpe) file.metadata["heed.merges"] = text::joined_lines(parts.bpe->to_lines());
  io::save_safetensors(path, file);
}

SentenceEncoder SentenceEncoder::load(const std::string& path) {
  io::SafeTensors file = io::load_safetensors(path);
  auto meta = [&](const char* key) -> const std::string& {
    auto found = file.metadata.find(key);
    if (found == file.metadata.end())
      throw IoError(
          fmt::format("load: \"{}\": must be a sentence encoder saved by heed; got a file without {}", path, key));
    return found->second;
  };
  if (meta(kKind) != kKindValue)
    throw IoError(fmt::format("load: \"{}\": must be a \"{}\"; got \"{}\"", path, kKindValue, meta(kKind)));
  TransformerOptions o;
  SentenceEncoderParts parts;
  std::string pooling;
  try {
    io::Json described = io::parse(meta("heed.options"), "its options");
    parts.tokenizer = text::Tokenizer::from_name(described.text("tokenizer"));
    pooling = described.text("pooling");
    const auto& names = sentence_poolings();
    if (std::find(names.begin(), names.end(), pooling) == names.end())
      throw IoError(fmt::format("no pooling of this name; got \"{}\"", pooling));
    parts.vocabulary = Vocabulary::from_lines(text::lines_of(meta("heed.vocabulary")));
    if (auto merges = file.metadata.find("heed.merges"); merges != file.metadata.end())
      parts.bpe = text::Bpe::from_lines(text::lines_of(merges->second));
    try {
      for (const std::string& name : text::masked_specials) parts.vocabulary.special(name);
    } catch (const ValueError& error) { throw IoError(error.what()); }
    o = sized(transformer_options_from(described, {"tokenizer", "pooling"}), parts.vocabulary);
  } catch (const Error& error) {  // the options and names are the file's, so whatever they break is its fault
    throw IoError(fmt::format("load: \"{}\": is damaged: {}", path, error.what()));
  }
  if (!fits(o, file))
    throw IoError(
        fmt::format("load: \"{}\": the parameters must fit the sizes and the vocabulary that the file names", path));
  SentenceEncoder e = [&]() -> SentenceEncoder {
    UnsetParameters guard;
    return {std::move(parts), o, 0};
  }();
  e.pooling = pooling;
  e.extra = std::move(file.metadata);
  load_state(e.model, std::move(file), path);
  set_training(e.model, false);
  return e;
}

Tensor sentence_vectors(const Translator& t, const std::vector<std::vector<std::string>>& sentences,
                        const SentenceVectorOptions& options) {
  std::vector<std::vector<int64_t>> encoded;
  for (const auto& words : sentences) {
    if (std::string fault = t.too_long(words); !fault.empty()) throw InputError("embed: " + fault);
    encoded.push_back(words.empty() ? std::vector<int64_t>{} : t.encode({words, {}}).source);
  }
  Evaluating evaluating;
  auto annotate = [&](const Tensor& ids, const Tensor& lengths) -> Annotations {
    return {.x = t.model.model->encoder_outputs(ids, lengths),
            .words = t.model.attends() ? length_mask(lengths, ids.size(1)) : Tensor()};
  };
  const int64_t width =
      annotate(Tensor::from(std::vector<int64_t>{Vocabulary::stop}, {1, 1}), Tensor::from(std::vector<int64_t>{1}, {1}))
          .x.size(2);
  return sentence_vectors(annotate, width, encoded, options);
}

}  // namespace heed::nn
