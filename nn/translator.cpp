#include "nn/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "nn/decode/seq2seq_search.h"
#include "nn/io/json.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

using text::Vocabulary;

Seq2SeqOptions sized(Seq2SeqOptions o, const TranslatorParts& parts) {
  o.source_vocabulary = parts.source.size();
  o.target_vocabulary = parts.target.size();
  return o;
}

Seq2Seq make_model(const Seq2SeqOptions& options, uint64_t seed) {
  Generator rng(seed);
  Seq2Seq model(options, rng);
  assign_paths(model, "translator");
  return model;
}

constexpr int64_t rows_at_once = 320;  // of a search

int64_t length_limit(int64_t source_length) { return 2 * source_length + 10; }

// The source word that a step looked at most; the end mark does not count.
size_t heaviest(const std::vector<float>& weights, size_t words) {
  auto end = weights.begin() + static_cast<std::ptrdiff_t>(std::min(words, weights.size()));
  return static_cast<size_t>(std::max_element(weights.begin(), end) - weights.begin());
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

constexpr const char* kKind = "heed.kind";
constexpr const char* kKindValue = "seq2seq translator 2";

Seq2SeqOptions options_from(const io::Json& j, text::PairTokenizers& tokenizers) {
  Seq2SeqOptions o = seq2seq_options_from(j);
  tokenizers = {text::Tokenizer::from_name(j.text("source_tokenizer")),
                text::Tokenizer::from_name(j.text("target_tokenizer"))};
  return o;
}

}  // namespace

Translator::Translator(TranslatorParts p, Seq2SeqOptions options, uint64_t seed)
    : parts(std::move(p)), model(make_model(sized(options, parts), seed)) {}

data::EncodedPair Translator::encode(const text::TokenPair& pair) const {
  return {parts.source.encode(pair.source, {.append_stop = true}), parts.target.encode(pair.target)};
}
std::vector<data::EncodedPair> Translator::encode(const std::vector<text::TokenPair>& pairs) const {
  std::vector<data::EncodedPair> out;
  for (const auto& p : pairs) out.push_back(encode(p));
  return out;
}

Translation Translator::translate(const std::string& sentence, const TranslateOptions& options) const {
  std::vector<std::vector<std::string>> one{parts.tokenizers.source.split(sentence)};
  return translate(one, options)[0];
}

std::vector<Translation> Translator::translate(const std::vector<std::vector<std::string>>& sentences,
                                               const TranslateOptions& options, int64_t batch_size) const {
  if (options.beam < 1) throw ValueError(fmt::format("translate: needs a beam of at least 1; got {}", options.beam));
  set_training(model, false);
  std::vector<Translation> out(sentences.size());
  std::vector<data::EncodedPair> encoded;
  std::vector<size_t> places;  // sentences with at least one word
  for (size_t i = 0; i < sentences.size(); ++i) {
    out[i].source = sentences[i];
    for (const auto& word : sentences[i])
      if (!parts.source.contains(word)) out[i].unknown.push_back(word);
    if (sentences[i].empty()) continue;
    encoded.push_back(encode(text::TokenPair{sentences[i], {}}));
    places.push_back(i);
  }
  auto finish = [&](Translation& t, const Hypothesis& h) {
    t.log_probability = h.log_probability;
    t.finished = h.finished;
    for (size_t k = 0; k < h.tokens.size(); ++k) {
      std::string word = parts.target.token(h.tokens[k]);
      if (h.tokens[k] == Vocabulary::unk && options.replace_unknown && !h.weights[k].empty())
        word = t.source[heaviest(h.weights[k], t.source.size())];
      t.target.push_back(std::move(word));
    }
    for (const auto& row : h.weights) t.weights.insert(t.weights.end(), row.begin(), row.end());
    t.text = parts.tokenizers.target.join(t.target);
  };
  // Sentences of like length go together; each has its own length limit, so the longest of a batch does not matter.
  // A beam makes several rows of each, so fewer go together.
  int64_t together = std::min(batch_size, std::max<int64_t>(1, rows_at_once / options.beam));
  for (auto& members : data::sorted_batches(encoded, together)) {
    data::Batch batch = data::make_batch(encoded, members);
    Seq2SeqSearch search(model, batch.source, batch.lengths);
    SearchOptions limits{.length_penalty = options.length_penalty};
    for (int64_t m : members) {
      limits.source_lengths.push_back(static_cast<int64_t>(encoded[static_cast<size_t>(m)].source.size()));
      limits.max_lengths.push_back(length_limit(limits.source_lengths.back()));
    }
    auto place = [&](size_t r) -> Translation& { return out[places[static_cast<size_t>(members[r])]]; };
    if (options.beam > 1) {
      auto found = beam_search_all(search, options.beam, limits);
      for (size_t r = 0; r < members.size(); ++r) finish(place(r), found[r].front());
    } else {
      auto found = greedy(search, limits);
      for (size_t r = 0; r < members.size(); ++r) finish(place(r), found[r]);
    }
  }
  return out;
}

Translation Translator::align(const text::TokenPair& pair) const {
  NoGrad guard;
  set_training(model, false);
  data::Batch batch = data::make_batch({encode(pair)}, {0});
  Tensor weights;
  Tensor log_p = log_softmax_rows(model(batch.source, batch.lengths, batch.target_in, &weights).value());
  Translation t{.source = pair.source,
                .target = pair.target,
                .text = parts.tokenizers.target.join(pair.target),
                .unknown = {},
                .weights = {}};
  for (int64_t k = 0; k < batch.target_out.size(1); ++k)
    t.log_probability += log_p.at({0, k, static_cast<int64_t>(batch.target_out.at({0, k}))});
  if (weights.defined())
    for (double w : weights.to_vector()) t.weights.push_back(static_cast<float>(w));
  return t;
}

void Translator::save(const std::string& path, const std::map<std::string, std::string>& more) const {
  const Seq2SeqOptions& o = model.options;
  io::SafeTensors file = save_state(model);
  file.metadata = more;
  file.metadata[kKind] = kKindValue;
  file.metadata["heed.epochs"] = std::to_string(epochs);
  io::Json described = to_json(o);
  described.set("source_tokenizer", parts.tokenizers.source.name());
  described.set("target_tokenizer", parts.tokenizers.target.name());
  file.metadata["heed.options"] = described.dump();
  file.metadata["heed.source_vocabulary"] = joined(parts.source.to_lines());
  file.metadata["heed.target_vocabulary"] = joined(parts.target.to_lines());
  io::save_safetensors(path, file);
}

Translator Translator::load(const std::string& path) {
  io::SafeTensors file = io::load_safetensors(path);
  auto meta = [&](const char* key) -> const std::string& {
    auto found = file.metadata.find(key);
    if (found == file.metadata.end())
      throw IoError(fmt::format("load: \"{}\": must be a translator saved by heed; got a file without {}", path, key));
    return found->second;
  };
  if (meta(kKind) != kKindValue)
    throw IoError(fmt::format("load: \"{}\": must be a \"{}\"; got \"{}\"", path, kKindValue, meta(kKind)));
  const std::string& epochs = meta("heed.epochs");
  if (epochs.empty() || epochs.size() > 9 || epochs.find_first_not_of("0123456789") != std::string::npos ||
      std::stoll(epochs) == 0)
    throw IoError(fmt::format("load: \"{}\": must hold a trained model; got one that saw \"{}\" epochs", path, epochs));
  Seq2SeqOptions o{.source_vocabulary = 0, .target_vocabulary = 0};
  TranslatorParts parts;
  try {
    o = options_from(io::parse(meta("heed.options"), "its options"), parts.tokenizers);
    parts.source = Vocabulary::from_lines(lines_of(meta("heed.source_vocabulary")));
    parts.target = Vocabulary::from_lines(lines_of(meta("heed.target_vocabulary")));
  } catch (const InputError& error) { throw IoError(fmt::format("load: \"{}\": is damaged: {}", path, error.what())); }
  // The largest parameters must be as the file has them before memory for a model of these sizes is taken.
  const Tensor* output = file.find("output.weight");
  const Tensor* recurrent = file.find("encoder.weight_hh_l0");
  int64_t gates = o.cell == "rnn" ? 1 : o.cell == "gru" ? 3 : 4;
  bool direct = o.readout == Seq2SeqOptions::kDirect;
  if (!output || output->rank() != 2 || output->size(0) != parts.target.size() ||
      (!direct && output->size(1) != o.readout) || !recurrent ||
      !(recurrent->shape() == Shape{gates * o.hidden, o.hidden}))
    throw IoError(
        fmt::format("load: \"{}\": the parameters must fit the sizes and vocabularies that the file names", path));
  Translator t(std::move(parts), o, 0);
  load_state(t.model, file, path);
  set_training(t.model, false);
  t.epochs = std::stoll(epochs);
  t.extra = file.metadata;
  return t;
}

}  // namespace heed::nn
