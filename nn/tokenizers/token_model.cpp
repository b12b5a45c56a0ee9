// Tables of tokens, and the models by their names.
#include "nn/tokenizers/token_model.h"

#include <fmt/format.h>

#include "nn/text/unicode.h"
#include "nn/tokenizers/stages.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

constexpr int64_t most_missing = 100'000;  // numbers that a small vocabulary may leave out

// A word is a token, or it is unknown: the vocabularies before 2016, and what the other models are compared with.
struct WordLevel final : TokenModel {
  WordLevel(TokenTable words, const std::string& name) : TokenModel(std::move(words)), unknown(table.id_of(name)) {}
  void append_pieces(std::string_view word, std::vector<Piece>& pieces) const override {
    std::optional<int64_t> id = table.id_of(word);
    if (!id) id = unknown;
    if (id) pieces.push_back({*id, 0, word.size()});  // without an unknown token the word is left out
  }
  std::optional<int64_t> unknown;
};

std::string text_or_none(const io::Json& entry, std::string_view key) {  // null is the same as a missing key
  const io::Json* value = entry.find(key);
  return value == nullptr || value->is_null() ? "" : value->as_string();
}

Model byte_pairs_of(const io::Json& entry) {
  BytePairOptions options{.unknown = text_or_none(entry, "unk_token"),
                          .prefix = text_or_none(entry, "continuing_subword_prefix"),
                          .suffix = text_or_none(entry, "end_of_word_suffix"),
                          .fuse_unknown = entry.boolean("fuse_unk", false),
                          .byte_fallback = entry.boolean("byte_fallback", false),
                          .ignore_merges = entry.boolean("ignore_merges", false)};
  if (const io::Json* dropout = entry.find("dropout"); dropout != nullptr && dropout->is_number())
    if (dropout->as_number() != 0) entry.refuse("dropout", "must be 0: heed always splits a word alike");
  for (const io::Json& merge : entry.list("merges")) {  // "a b", or since 2024 ["a", "b"]
    if (merge.is_string()) {
      const std::string& both = merge.as_string();
      size_t space = std::min(both.find(' '), both.size());
      options.merges.emplace_back(both.substr(0, space), both.substr(std::min(space + 1, both.size())));
    } else {
      if (merge.elements().size() != 2) entry.refuse("merges", "must be pairs of tokens; got " + merge.dump());
      options.merges.emplace_back(merge.elements()[0].as_string(), merge.elements()[1].as_string());
    }
  }
  return byte_pairs(table_of(entry.inner("vocab")), std::move(options));
}

Model unigram_of(const io::Json& entry) {
  UnigramOptions options{.byte_fallback = entry.boolean("byte_fallback", false)};
  for (const io::Json& piece : entry.list("vocab")) {
    if (piece.elements().size() != 2)
      entry.refuse("vocab", "must be pairs of a piece and its score; got " + piece.dump());
    options.pieces.emplace_back(piece.elements()[0].as_string(), piece.elements()[1].as_number());
  }
  if (const io::Json* unknown = entry.find("unk_id"); unknown != nullptr && !unknown->is_null())
    options.unknown = unknown->as_integer();
  return unigram(std::move(options));
}

}  // namespace

void TokenTable::add(const std::string& token, int64_t id, size_t count) {
  if (id < 0 || id > 4 * static_cast<int64_t>(count) + most_missing)
    throw IoError(fmt::format("vocabulary: the id of a token must fit a vocabulary of {} tokens; got {} for {}", count,
                              id, text::in_quotes(token)));
  if (id >= end()) tokens_.resize(static_cast<size_t>(id) + 1);
  tokens_[static_cast<size_t>(id)] = token;
  ids_[token] = id;
}

std::optional<int64_t> TokenTable::id_of(std::string_view token) const {
  auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

const std::string* TokenTable::token(int64_t id) const {
  if (id < 0 || id >= end()) return nullptr;
  const std::string& token = tokens_[static_cast<size_t>(id)];
  return token.empty() && id_of("") != id ? nullptr : &token;
}

TokenTable table_of(const io::Json& vocabulary) {
  TokenTable table;
  for (const io::Member& token : vocabulary.items()) table.add(token.key, token.value.as_integer(), vocabulary.size());
  return table;
}

TokenTable table_of(const std::vector<std::string>& names) {
  TokenTable table;
  for (size_t i = 0; i < names.size(); ++i) table.add(names[i], static_cast<int64_t>(i), names.size());
  return table;
}

Model model_of(const io::Json& entry) {
  const std::string type = entry.text("type", entry.contains("merges") ? "BPE" : "WordPiece");  // before 2020, none
  size_t which = choice_of(entry, "type", type, {"BPE", "WordPiece", "Unigram", "WordLevel"});
  if (which == 0) return byte_pairs_of(entry);
  if (which == 2) return unigram_of(entry);
  TokenTable table = table_of(entry.inner("vocab"));
  if (which == 3) return std::make_unique<WordLevel>(std::move(table), entry.text("unk_token", "<unk>"));
  return wordpiece(std::move(table), {.unknown = entry.text("unk_token", "[UNK]"),
                                      .prefix = entry.text("continuing_subword_prefix", "##"),
                                      .longest_word = entry.integer("max_input_chars_per_word", 100)});
}

}  // namespace heed::tokenizers
