// A vocabulary: word <-> row of the embedding table, learned by counting.
//
//   0 <pad>  fills a batch up to its longest sentence        2 <s>   begins what a decoder writes
//   1 <unk>  stands for every word that is not in the table  3 </s>  ends a sentence
//   4 ...    the words of the corpus, most frequent first, equal ones in the order of their bytes
//
// A model may need more specials; they stand at 4 ... , before the words: [CLS] whose state stands for the sentence,
// [SEP] between two sentences, [MASK] for a word to guess (Devlin et al., "BERT", NAACL 2019).
// A text cannot name a special: the five characters <pad> typed by a user are an unknown word like any other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::text {

// Lets a map of strings be asked with a string_view.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using StringCounts = std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>>;

// How often each token occurs, sentence by sentence.
class WordCounts {
 public:
  void add(const std::vector<std::string>& tokens);
  const StringCounts& counts() const { return counts_; }

 private:
  StringCounts counts_;
};

struct VocabularyOptions {
  int64_t min_frequency = 1;                    // rarer words stay unknown
  int64_t max_size = 0;                         // at most so many words beside the specials; 0: no limit
  std::vector<std::string> more_specials = {};  // after the four, for example masked_specials
};

inline const std::vector<std::string> masked_specials = {"[CLS]", "[SEP]", "[MASK]"};

class Vocabulary {
 public:
  static constexpr int64_t pad = 0, unk = 1, start = 2, stop = 3, specials = 4;

  Vocabulary();  // the specials alone
  explicit Vocabulary(const WordCounts& words, const VocabularyOptions& options = {});
  explicit Vocabulary(const std::vector<std::vector<std::string>>& sentences, const VocabularyOptions& options = {});

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }  // with the specials
  int64_t id(std::string_view token) const;                              // unk if it is not a known word
  bool contains(std::string_view token) const;                           // specials are not contained
  int64_t first_word() const { return first_word_; }                     // behind all specials
  int64_t special(std::string_view name) const;                          // its id; ValueError if there is none
  const std::string& token(int64_t id) const;                            // IndexError outside [0, size)
  int64_t count(int64_t id) const;  // occurrences in the corpus; for unk, of all words that were cut

  struct EncodeOptions {
    bool append_stop = false;
  };
  std::vector<int64_t> encode(const std::vector<std::string>& tokens, EncodeOptions options) const;
  std::vector<int64_t> encode(const std::vector<std::string>& tokens) const { return encode(tokens, {}); }

  // Up to the first </s>, without <pad> and <s>; <unk> is written as such.
  std::vector<std::string> decode(std::span<const int64_t> ids) const;

  // The known words closest to `word` in spelling (edit_distance), the frequent ones first among equals, none further
  // than max_distance. Default: one less than the letters of `word`, so that at least one of them is kept.
  std::vector<std::string> nearest(std::string_view word, int64_t how_many, int64_t max_distance = -1) const;

  // Known words that match, most frequent first. Without * and ? a pattern means "begins with"; * is any run of
  // characters, ? one character.
  std::vector<std::string> matching(std::string_view pattern, int64_t how_many) const;

  // One line a token, in order of ids: its count, a space, the token; for more_specials the word "special" in place of
  // a count. What from_lines did not get from to_lines is an IoError that names the line.
  std::vector<std::string> to_lines() const;
  static Vocabulary from_lines(const std::vector<std::string>& lines);

 private:
  void append(std::string token, int64_t count);
  void append_special(const std::string& token);
  bool is_special(std::string_view token) const;

  int64_t first_word_ = 0;
  std::vector<std::string> tokens_;
  std::vector<int64_t> counts_;
  StringCounts ids_;  // words only
};

// Fewest insertions, deletions, substitutions and swaps of neighbours that turn a into b, where no place is edited
// twice (optimal string alignment; Damerau 1964, Levenshtein 1966). Symmetric. Counts code points.
int64_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace heed::text
