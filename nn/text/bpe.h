// Byte-pair encoding: words cut into pieces, so that a small vocabulary spells every word.
//
//   learn     begin with characters; again and again join the pair of neighbours that is most frequent in the corpus
//   segment   begin with the characters of a word; join its pairs in the order in which they were learned
//
//   end_of_word     low@@ est     every piece but a word's last carries @@; while learning, the last carries </w>
//   begin_of_word   ▁low est      a word's first piece carries ▁ (SentencePiece's layout)
//
// Frequent words stay whole, rare ones become pieces, and no word is unknown while its characters are known. One Bpe
// over the words of two languages and one Vocabulary over its pieces is a joint vocabulary. Names and numbers that both
// languages share are then cut alike.
// Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units" (ACL 2016). Merges, ties
// and the file are those of their program subword-nmt; ▁ is from Kudo and Richardson, "SentencePiece" (EMNLP 2018).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nn/text/vocabulary.h"

namespace heed::text {

enum class BpeStyle { end_of_word, begin_of_word };

struct BpeOptions {
  int64_t merges = 10000;
  int64_t vocabulary_size = 0;  // if not 0, instead of merges: specials + characters + merges are so many
  int64_t min_frequency = 2;    // a pair that is rarer is not joined
  BpeStyle style = BpeStyle::end_of_word;
};

class Bpe {
 public:
  explicit Bpe(BpeStyle style = BpeStyle::end_of_word) : style_(style) {}  // no merges: every character is a piece

  // Equally frequent pairs: the greatest in the order of code points, first by the left symbol, then by the right one.
  // Words of more than 1,000 characters teach nothing and are left out. Cost: the corpus once, then for each merge the
  // distinct words that hold the pair.
  static Bpe learn(const WordCounts& words, const BpeOptions& options = {});

  // join(segment(tokens)) is tokens, whatever their bytes. Two rules of the merges see to that (may_merge in
  // bpe_symbols.h): a word's last piece never ends with @@, and in the other layout only a first piece begins with ▁.
  // An empty token is a ValueError. Words are remembered, under a lock: several threads may
  // segment at once.
  std::vector<std::string> segment(const std::vector<std::string>& tokens) const;
  std::vector<std::string> join(const std::vector<std::string>& pieces) const;  // a word left open is closed at the end

  int64_t merges() const { return static_cast<int64_t>(merges_.size()); }
  BpeStyle style() const { return style_; }

  // A first line that names the layout, then one merge a line: left, space, right. subword-nmt reads and writes the
  // same ("#version: 0.2"). What from_lines did not get from either is an IoError that names the line.
  std::vector<std::string> to_lines() const;
  static Bpe from_lines(const std::vector<std::string>& lines);

 private:
  struct Merge {
    int64_t rank;   // learned as number rank
    int64_t whole;  // the symbol that it makes
  };
  void append(const std::string& left, const std::string& right);
  int64_t id_of(const std::string& symbol);
  std::vector<std::string> pieces_of(const std::string& word) const;

  BpeStyle style_;
  std::vector<std::string> merges_;               // "left right", in the order of learning
  StringCounts ids_;                              // of the symbols in merges_
  std::unordered_map<uint64_t, Merge> merge_of_;  // pair of symbols, left << 32 | right
  struct Remembered {                             // a copy of a Bpe starts without
    Remembered() = default;
    Remembered(const Remembered&) {}
    Remembered& operator=(const Remembered&) { return *this; }
    std::mutex mutex;
    std::unordered_map<std::string, std::vector<std::string>> words;
  };
  mutable Remembered remembered_;
};

}  // namespace heed::text
