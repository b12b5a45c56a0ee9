// Byte-pair encoding with a published vocabulary: a word begins as its characters, and the merges of the file are
// applied, the first of the file first.
//
// clang-format off
//   merges:  l o    o w    lo w    e r          l o w e r -> lo w e r -> low e r -> low er
// clang-format on
//
// Sennrich, Haddow and Birch, ACL 2016. What "character" means is what the families differ in:
//   GPT-2, RoBERTa, Qwen, Llama 3   bytes, written in byte letters: no text is unknown (Radford et al., 2019)
//   Llama, Mistral, Gemma           characters; one that the vocabulary lacks becomes its bytes <0xE4>, ..
//   (byte_fallback) others                          characters; one that the vocabulary lacks is unknown, neighbours as
//   one (fuse_unk)
// The merges are the loop of nn/text/merging.h, as for the translators of this course (nn/text/bpe.h).
#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

#include "nn/text/merging.h"
#include "nn/text/unicode.h"
#include "nn/tokenizers/token_model.h"
#include "tensor/error.h"

namespace heed::tokenizers {

namespace {

constexpr size_t longest_remembered = 256, most_remembered = 200'000;

class BytePairs final : public TokenModel {
 public:
  BytePairs(TokenTable tokens, BytePairOptions o) : TokenModel(std::move(tokens)), options_(std::move(o)) {
    if (!options_.unknown.empty()) unknown_ = table.id_of(options_.unknown);
    for (unsigned b = 0; b < 256 && options_.byte_fallback; ++b)
      if (std::optional<int64_t> id = table.id_of(byte_token(static_cast<unsigned char>(b)))) bytes_.push_back(*id);
    if (bytes_.size() < 256) bytes_.clear();
    int64_t rank = 0;
    for (const auto& [left, right] : options_.merges) {
      std::optional<int64_t> l = table.id_of(left), r = table.id_of(right), whole;
      if (right.starts_with(options_.prefix)) whole = table.id_of(left + right.substr(options_.prefix.size()));
      if (left.empty() || right.empty() || !l || !r || !whole)
        throw InputError(
            fmt::format("BPE: a merge must join two tokens of the vocabulary to a third; got {} and {} in merge {}",
                        text::in_quotes(left), text::in_quotes(right), rank + 1));
      merge_of_.insert_or_assign(text::pair_key(*l, *r), text::Merge{rank++, *whole});
    }
    options_.merges.clear();
  }

  void append_pieces(std::string_view word, std::vector<Piece>& pieces) const override {
    if (options_.ignore_merges)
      if (std::optional<int64_t> whole = table.id_of(word)) return pieces.push_back({*whole, 0, word.size()});
    if (word.size() > longest_remembered) return merge(word, pieces);
    std::lock_guard lock(mutex_);
    auto found = remembered_.find(word);
    if (found == remembered_.end()) {
      if (remembered_.size() >= most_remembered) remembered_.clear();
      found = remembered_.emplace(word, std::vector<Piece>()).first;
      merge(word, found->second);
    }
    pieces.insert(pieces.end(), found->second.begin(), found->second.end());
  }

 private:
  // The characters of the word with their ids; bytes, or an unknown token, for those that the vocabulary lacks.
  std::vector<text::MergedSymbol> symbols_of(std::string_view word) const {
    std::vector<text::MergedSymbol> symbols;
    auto add = [&](int64_t id, size_t bytes) {
      symbols.push_back({id, bytes, symbols.size() - 1, symbols.size() + 1});
    };
    bool after_unknown = false;
    for (size_t at = 0, begin = 0; at < word.size(); begin = at) {
      text::next(word, at);
      std::string character(word.substr(begin, at - begin));
      if (begin > 0) character.insert(0, options_.prefix);
      if (at == word.size()) character += options_.suffix;
      std::optional<int64_t> id = table.id_of(character);
      bool unknown = !id && bytes_.empty() && unknown_;
      if (id) add(*id, at - begin);
      for (size_t i = 0; i < character.size() && !id && !bytes_.empty(); ++i)
        add(bytes_[static_cast<unsigned char>(character[i])], 1);
      if (unknown && after_unknown && options_.fuse_unknown)
        symbols.back().bytes += at - begin;
      else if (unknown)
        add(*unknown_, at - begin);
      after_unknown = unknown;
    }
    return symbols;
  }

  void merge(std::string_view word, std::vector<Piece>& pieces) const {
    std::vector<text::MergedSymbol> symbols = symbols_of(word);
    text::merge_symbols(symbols, text::MergeOrder::lowest_first, [this](int64_t left, int64_t right) {
      auto found = merge_of_.find(text::pair_key(left, right));
      return found == merge_of_.end() ? nullptr : &found->second;
    });
    for (size_t i = 0, at = 0; i < symbols.size(); at += symbols[i].bytes, i = symbols[i].right)
      pieces.push_back({symbols[i].id, at, at + symbols[i].bytes});
  }

  BytePairOptions options_;
  std::optional<int64_t> unknown_;
  std::vector<int64_t> bytes_;                          // ids of <0x00> .. <0xFF>; empty if any is missing
  std::unordered_map<uint64_t, text::Merge> merge_of_;  // pair_key of the two
  mutable std::mutex mutex_;                            // of the cache: most words come again
  mutable std::unordered_map<std::string, std::vector<Piece>, text::StringHash, std::equal_to<>> remembered_;
};

}  // namespace

std::string byte_token(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

Model byte_pairs(TokenTable table, BytePairOptions options) {
  return std::make_unique<BytePairs>(std::move(table), std::move(options));
}

}  // namespace heed::tokenizers
