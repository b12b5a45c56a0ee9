// A model of tokens cuts a word into pieces of its vocabulary. One file for each of the algorithms:
//
//   WordLevel   the word, or unknown                        token_model.cpp
//   WordPiece   the longest known piece, then the next one  wordpiece.cpp
//   BPE         merges, in the order of their learning      byte_pairs.cpp
//   Unigram     the most probable pieces (Viterbi)          unigram.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/io/json.h"
#include "nn/text/vocabulary.h"

namespace heed::tokenizers {

// Names of tokens and their numbers, in both directions. A number may be missing, and two names may share one.
class TokenTable {
 public:
  // IoError if the id is negative or far beyond `count`, the number of tokens that there will be.
  void add(const std::string& token, int64_t id, size_t count);
  std::optional<int64_t> id_of(std::string_view token) const;
  const std::string* token(int64_t id) const;  // nullptr if no token has it
  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  int64_t end() const { return static_cast<int64_t>(tokens_.size()); }  // the largest id, plus 1

 private:
  std::vector<std::string> tokens_;
  text::StringCounts ids_;
};
TokenTable table_of(const io::Json& vocabulary);             // {"the": 0, ..}
TokenTable table_of(const std::vector<std::string>& names);  // 0, 1, ..

struct Piece {
  int64_t id;
  size_t begin, end;      // bytes of the word
  bool verbatim = false;  // is its name the text itself? (of an unknown character in Unigram)
};

class TokenModel {
 public:
  explicit TokenModel(TokenTable tokens) : table(std::move(tokens)) {}
  virtual ~TokenModel() = default;
  virtual void append_pieces(std::string_view word, std::vector<Piece>& pieces) const = 0;
  const TokenTable table;
};
using Model = std::unique_ptr<TokenModel>;

Model model_of(const io::Json& entry);  // of a tokenizer.json

struct WordPieceOptions {
  std::string unknown = "[UNK]", prefix = "##";
  int64_t longest_word = 100;  // characters
};
Model wordpiece(TokenTable table, const WordPieceOptions& options);  // InputError if the table has no `unknown`

struct BytePairOptions {
  std::vector<std::pair<std::string, std::string>> merges = {};
  std::string unknown = "";    // "": an unknown character is left out
  std::string prefix = "";     // of all characters of a word but the first
  std::string suffix = "";     // of the last
  bool fuse_unknown = false;   // neighbours that are unknown become one token
  bool byte_fallback = false;  // an unknown character becomes its bytes
  bool ignore_merges = false;  // a word that is a token stays whole, even if no merges lead to it
};
Model byte_pairs(TokenTable table, BytePairOptions options);  // InputError for a merge with tokens that the table lacks
std::string byte_token(unsigned char byte);                   // <0x0A>

struct UnigramOptions {
  std::vector<std::pair<std::string, double>> pieces = {};  // with the log of their probability; their ids are 0, 1, ..
  std::optional<TokenTable> names = {};                     // the ids, if they are others
  std::vector<bool> in_text = {};                           // may a text contain the piece? empty: all may
  std::optional<int64_t> unknown = {};
  bool byte_fallback = false;
  // As Universal Sentence Encoder Lite cuts (classes.cpp): a character is unknown, with the score 0, where no piece
  // begins; an end that nothing reaches has the score 0 and an unknown character before it; a later candidate replaces
  // one that is not larger, or whose sum is 0.
  bool lite = false;
  bool in_floats = false;  // add the scores in 32 bits, as sentencepiece does; rounding then makes other sums equal
};
Model unigram(UnigramOptions options);  // InputError without pieces, or if `unknown` is no token

}  // namespace heed::tokenizers
