// The same text in five kinds of vocabulary, all learned from it with the same number of tokens, in the format of
// tokenizer.json, so that the library reads them as it reads published ones.
//
// clang-format off
//   words               a word, or [UNK]
//   WordPiece           BERT: lower case; from the left the longest known piece, ## inside words
//   byte-level BPE      GPT-2: merges of bytes, written in letters: Ġ is a space
//   unigram             T5: the most probable pieces; ▁ begins a word
//   BPE, byte fallback  Llama: merges of letters; an unknown letter becomes bytes <0xE2>
//
//   bytes               the baseline: byte-level BPE without merges
// clang-format on
#pragma once

#include "nn/tokenizers/learn.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "tutorials/34_tokens/merges.h"
#include "tutorials/34_tokens/unigram.h"

namespace from_text {

using heed::io::Json;
using tokenizers::PublishedTokenizer;

struct Kind {
  std::string name;
  PublishedTokenizer tokenizer;
  int64_t size;  // tokens
  std::optional<int64_t> unknown;
};

inline Json typed(const char* type) { return Json::object({{"type", type}}); }
inline Json spaces_as_marks() {  // ▁ before each word, in place of the space
  return Json::object({{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}});
}
inline Kind kind_of(const std::string& name, Json file, const char* unknown = "") {
  PublishedTokenizer tokenizer = PublishedTokenizer::described_by(std::move(file));
  const int64_t size = tokenizer.vocabulary_size();
  std::optional<int64_t> id = tokenizer.id_of(unknown);
  return {name, std::move(tokenizer), size, id};
}

// The most frequent words, cut at spaces and signs.
inline Kind word_vocabulary(const Texts& texts, int64_t most) {
  const tokenizers::Splitter split = tokenizers::splitter_of(typed("BertPreTokenizer"));
  std::map<std::string, int64_t> counts;
  for (const std::string& line : texts.learned)
    for (const tokenizers::AlignedText& word : split(tokenizers::AlignedText(line))) ++counts[word.text()];
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [word, count] : counts) order.emplace_back(-count, word);
  std::ranges::sort(order);
  Json vocabulary = Json::object({{"[UNK]", 0}});
  for (size_t i = 0; i < order.size() && std::ssize(vocabulary.items()) < most; ++i)
    vocabulary.set(order[i].second, static_cast<int64_t>(i) + 1);
  Json model = Json::object({{"type", "WordLevel"}, {"unk_token", "[UNK]"}, {"vocab", vocabulary}});
  return kind_of("words", Json::object({{"pre_tokenizer", typed("BertPreTokenizer")}, {"model", model}}), "[UNK]");
}

inline Kind wordpiece_vocabulary(const Texts& texts, int64_t most) {
  return kind_of("WordPiece", tokenizers::learn_wordpiece(texts.learned, {.vocabulary = most}).tokenizer, "[UNK]");
}

// `merges`: at most so many.
inline Kind byte_vocabulary(const std::vector<std::string>& lines, int64_t most, const std::string& name) {
  Json file = tokenizers::learn_byte_pairs(lines, {.vocabulary = std::max<int64_t>(most, 264)}).tokenizer;
  if (most > 256) return kind_of(name, std::move(file));
  Json model = file.inner("model");  // the bytes alone
  model.set("merges", Json::array());
  Json bytes = Json::object();
  for (const auto& token : model.inner("vocab").items())
    if (token.value.as_integer() < 3 + 256) bytes.set(token.key, token.value);
  model.set("vocab", bytes);
  file.set("model", model);
  return kind_of(name, std::move(file));
}

inline Kind unigram_vocabulary(const Texts& texts, int64_t most) {
  text::StringCounts words;
  const text::WordCounts counts = counted(texts.learned);
  for (const auto& [word, count] : counts.counts()) words["▁" + word] = count;
  Json pieces = Json::array({Json::array({"<unk>", -100.0})});
  for (const auto& [piece, score] : learn_unigram(words, most - 1)) pieces.push(Json::array({piece, score}));
  const Json model = Json::object({{"type", "Unigram"}, {"unk_id", 0}, {"vocab", pieces}});
  return kind_of("unigram",
                 Json::object({{"pre_tokenizer", spaces_as_marks()}, {"decoder", spaces_as_marks()}, {"model", model}}),
                 "<unk>");
}

// <unk>, 256 bytes, the letters, then merges.
inline Kind fallback_vocabulary(const Texts& texts, int64_t most) {
  std::set<std::string> known;
  Json vocabulary = Json::object(), merges = Json::array();
  auto add = [&](const std::string& token) {
    if (known.insert(token).second) vocabulary.set(token, std::ssize(known) - 1);
  };
  add("<unk>");
  for (unsigned b = 0; b < 256; ++b) add(tokenizers::byte_token(static_cast<unsigned char>(b)));
  std::map<std::string, int64_t> letters;
  for (const Counted& word : spelled(texts.learned))
    for (const std::string& letter : word.pieces) letters[letter] += word.count;
  for (const auto& [letter, count] : letters)
    if (count >= 2) add(letter);
  const text::Bpe bpe = text::Bpe::learn(counted(texts.learned),
                                         {.merges = most, .min_frequency = 2, .style = text::BpeStyle::begin_of_word});
  const std::vector<std::string> lines = bpe.to_lines();
  for (size_t i = 1; i < lines.size() && std::ssize(known) < most; ++i) {  // after a line for the style
    const size_t space = lines[i].find(' ');
    const std::string left = lines[i].substr(0, space), right = lines[i].substr(space + 1);
    if (!known.contains(left) || !known.contains(right)) continue;
    add(left + right);
    merges.push(lines[i]);
  }
  const Json model = Json::object(
      {{"type", "BPE"}, {"unk_token", "<unk>"}, {"byte_fallback", true}, {"vocab", vocabulary}, {"merges", merges}});
  const Json spaces =
      Json::object({{"type", "Replace"}, {"pattern", Json::object({{"String", "▁"}})}, {"content", " "}});
  const Json first = Json::object({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  const Json decoder = Json::object(
      {{"type", "Sequence"}, {"decoders", Json::array({spaces, typed("ByteFallback"), typed("Fuse"), first})}});
  return kind_of("BPE, byte fallback",
                 Json::object({{"pre_tokenizer", spaces_as_marks()}, {"decoder", decoder}, {"model", model}}));
}

inline tokenizers::Tokens tokens_of(const Kind& kind, std::string_view line) {
  return kind.tokenizer.encode(line, {.add_special = false}).tokens;
}

}  // namespace from_text
