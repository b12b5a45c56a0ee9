// Byte-pair encoding (BPE): splits words into pieces (subwords), so that a small vocabulary can spell every word.
//
// clang-format off
//   learn     start with characters; repeatedly merge the most frequent pair of adjacent symbols
//   segment   start with the characters of a word; apply the merges in the order of learning
//
//   end_of_word     low@@ est   every piece of a word but the last ends with @@ (while learning,
//                               the last one ends with </w>)
//   begin_of_word   ▁low est    the first piece of a word begins with ▁ (as SentencePiece does)
// clang-format on
//
// Frequent words stay whole, rare words become pieces, and no word is unknown if its characters are known. For a joint
// vocabulary, learn one Bpe from the words of both languages and make one Vocabulary of its pieces: names and numbers
// that both languages share are then split in the same way.
//
// Source: Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units" (ACL 2016). The
// merges, the order of ties and the file format are those of their program subword-nmt. The mark ▁ is from Kudo and
// Richardson, "SentencePiece" (EMNLP 2018).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nn/text/merging.h"
#include "nn/text/vocabulary.h"

namespace heed::text {

enum class BpeStyle { end_of_word, begin_of_word };

struct BpeOptions {
  int64_t merges = 10000;
  int64_t vocabulary_size = 0;  // if not 0, replaces merges: learn until specials + characters + merges are this many
  int64_t min_frequency = 2;    // rarer pairs are not merged
  BpeStyle style = BpeStyle::end_of_word;
};

class Bpe {
 public:
  explicit Bpe(BpeStyle style = BpeStyle::end_of_word) : style_(style) {}  // no merges: every character is a piece

  // Ties between equally frequent pairs go to the maximum in the order of code points, first of the left symbol, then
  // of the right one. Words of more than 1,000 characters are ignored. Cost: one pass over the corpus, then for each
  // merge the distinct words that contain the pair.
  static Bpe learn(const WordCounts& words, const BpeOptions& options = {});

  // join(segment(tokens)) is equal to tokens, whatever their bytes, because (bpe_symbols.h) the last piece of a word
  // never ends with @@ or, in the other style, only the first piece begins with ▁. ValueError for an empty token. Words
  // are cached under a lock, so several threads may call segment at the same time.
  std::vector<std::string> segment(const std::vector<std::string>& tokens) const;
  // If the last piece of the list says that its word continues, the word ends there all the same.
  std::vector<std::string> join(const std::vector<std::string>& pieces) const;

  int64_t merges() const { return static_cast<int64_t>(merges_.size()); }
  BpeStyle style() const { return style_; }

  // A first line that names the style, then one merge per line: left, space, right. With end_of_word this is the format
  // of subword-nmt ("#version: 0.2"). from_lines throws an IoError that quotes the first line that is wrong.
  std::vector<std::string> to_lines() const;
  static Bpe from_lines(const std::vector<std::string>& lines);

 private:
  void append(const std::string& left, const std::string& right);
  int64_t id_of(const std::string& symbol);
  std::vector<std::string> pieces_of(const std::string& word) const;

  BpeStyle style_;
  std::vector<std::string> merges_;               // "left right", in the order of learning
  StringCounts ids_;                              // ids of the symbols in merges_
  std::unordered_map<uint64_t, Merge> merge_of_;  // pair_key of the two; rank: in the order of learning
  struct Remembered {                             // the cache; the copy of a Bpe starts with an empty one
    Remembered() = default;
    Remembered(const Remembered&) {}
    Remembered& operator=(const Remembered&) { return *this; }
    std::mutex mutex;
    std::unordered_map<std::string, std::vector<std::string>> words;
  };
  mutable Remembered remembered_;
};

}  // namespace heed::text
