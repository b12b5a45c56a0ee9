// Tokens that are found in the text before anything else happens to it: [MASK], <|endoftext|>, and words that were
// added to a finished vocabulary. Only the text between them goes on to the token model.
//
//   "a <mask> b"  ->  "a", <mask>, " b"          with lstrip, the space before it belongs to the token
//
// Tokens that are `normalized` are looked for in the normalised text (and are normalised themselves), the others in the
// text as it is; at each place the longest wins.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "nn/text/trie.h"
#include "nn/text/vocabulary.h"
#include "nn/tokenizers/stages.h"

namespace heed::tokenizers {

struct AddedToken {
  int64_t id = 0;
  std::string content = {};
  bool single_word = false;  // not within a word
  bool lstrip = false;       // takes the white space to its left
  bool rstrip = false;       // and to its right
  bool normalized = false;
  bool special = true;  // left out by decode(.., skip_special)
};

class AddedTokens {
 public:
  void add(const AddedToken& token);  // replaces one of the same content
  const AddedToken* find(std::string_view content) const;
  const AddedToken* find(int64_t id) const;
  const std::vector<AddedToken>& all() const { return tokens_; }

  struct Part {
    AlignedText text;                   // normalised
    const AddedToken* token = nullptr;  // null: for the splitter and the model
  };
  // Call prepare once the last token is added.
  void prepare(const Normalizer& normalizer);
  std::vector<Part> parts_of(AlignedText text, const Normalizer& normalizer) const;

 private:
  struct Set {
    text::Trie trie = {};
    std::vector<const AddedToken*> tokens = {};
  };
  static std::vector<Part> cut(const AlignedText& text, const Set& set);

  std::vector<AddedToken> tokens_;
  text::StringCounts by_content_;  // index in tokens_
  std::unordered_map<int64_t, size_t> by_id_;
  Set plain_, normalized_;
};

}  // namespace heed::tokenizers
