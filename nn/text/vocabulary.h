// A vocabulary maps each word to a row of the embedding table. It is learned by counting.
//
// clang-format off
//   0 <pad>  fills the rows of a batch up to its longest sentence
//   1 <unk>  replaces every word that is not in the table
//   2 <s>    starts the input of a decoder
//   3 </s>   ends a sentence
//   4 ...    the words of the corpus, most frequent first; ties in the order of their bytes
// clang-format on
//
// A model may need more special tokens, which come after these and before the words: [CLS], whose state represents the
// sentence, [SEP] between two sentences, [MASK] for a word to predict (Devlin et al., "BERT", NAACL 2019). A text
// cannot contain a special token: if a user types the five characters <pad>, they are an unknown word like any other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::text {

// The lines of a vocabulary, or of a Bpe, as one text, a newline after each; and back.
std::string joined_lines(const std::vector<std::string>& lines);
std::vector<std::string> lines_of(const std::string& text);

// Lets a map with string keys be searched with a string_view.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using StringCounts = std::unordered_map<std::string, int64_t, StringHash, std::equal_to<>>;

// Counts how often each token occurs. Sentences are added one by one.
class WordCounts {
 public:
  void add(const std::vector<std::string>& tokens);
  const StringCounts& counts() const { return counts_; }

 private:
  StringCounts counts_;
};

struct VocabularyOptions {
  int64_t min_frequency = 1;                    // rarer words are not in the vocabulary
  int64_t max_size = 0;                         // maximum number of words, not counting the specials; 0: no limit
  std::vector<std::string> more_specials = {};  // added after the four, for example masked_specials
};

inline const std::vector<std::string> masked_specials = {"[CLS]", "[SEP]", "[MASK]"};

class Vocabulary {
 public:
  static constexpr int64_t pad = 0, unk = 1, start = 2, stop = 3, specials = 4;

  Vocabulary();  // only the special tokens
  explicit Vocabulary(const WordCounts& words, const VocabularyOptions& options = {});
  explicit Vocabulary(const std::vector<std::vector<std::string>>& sentences, const VocabularyOptions& options = {});

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }  // special tokens included
  int64_t id(std::string_view token) const;                              // unk if the word is not known
  bool contains(std::string_view token) const;                           // false for special tokens
  int64_t first_word() const { return first_word_; }                     // the first id after all special tokens
  int64_t special(std::string_view name) const;                          // its id; ValueError if there is none
  const std::string& token(int64_t id) const;                            // IndexError outside [0, size)
  int64_t count(int64_t id) const;  // occurrences in the corpus; for unk, those of all words left out

  struct EncodeOptions {
    bool append_stop = false;
  };
  std::vector<int64_t> encode(const std::vector<std::string>& tokens, EncodeOptions options) const;
  std::vector<int64_t> encode(const std::vector<std::string>& tokens) const { return encode(tokens, {}); }

  // Decodes up to the first </s>, without <pad> and <s>; <unk> is written as such.
  std::vector<std::string> decode(std::span<const int64_t> ids) const;

  // The known words closest to `word` in spelling (edit_distance), none further than max_distance; among equals, the
  // more frequent first. The default limit is one less than the number of letters of `word`, so that at least one
  // letter is kept.
  std::vector<std::string> nearest(std::string_view word, int64_t how_many, int64_t max_distance = -1) const;

  // Known words that match, most frequent first. * matches any characters, ? exactly one; a pattern without either
  // matches the beginning of a word.
  std::vector<std::string> matching(std::string_view pattern, int64_t how_many) const;

  // One line per token, in order of ids: its count, a space, the token; for more_specials, the word "special" instead
  // of the count. from_lines accepts only such lines; anything else is an IoError that names the line.
  std::vector<std::string> to_lines() const;
  static Vocabulary from_lines(const std::vector<std::string>& lines);

 private:
  void append(std::string token, int64_t count);
  void append_special(const std::string& token);
  bool is_special(std::string_view token) const;

  int64_t first_word_ = 0;
  std::vector<std::string> tokens_;
  std::vector<int64_t> counts_;
  StringCounts ids_;  // words only, without special tokens
};

// The minimum number of insertions, deletions, substitutions and swaps of neighbours that turn a into b, where no
// position is edited twice (optimal string alignment; Damerau 1964, Levenshtein 1966). Symmetric. Counts code points.
int64_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace heed::text
