// From a sentence to its tokens and back.
//
//   space   split on ASCII white space, nothing else: for corpora that were tokenised before (Multi30k, WMT)
//   words   for raw text: one spelling (NFC, lower case, one kind of space, of apostrophe and of quote), punctuation
//           off, and the apostrophes of English and French where their grammar has them:
//             "I didn't sign l’Accord." -> i didn't sign l' accord .      (a contraction is one word; an elided
//             "Aujourd'hui, j'ai faim !" -> aujourd'hui , j' ai faim !     article or pronoun is a word of its own)
//
// join(split(text)) is the text again up to case and spelling, and split(join(split(text))) = split(text).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// Where a space stands before ? ! : ; % and inside « »: "Who?" (English, German, ...) or "Qui ?" (French).
enum class Spacing { tight, spaced };

struct Tokenizer {
  enum class Kind { space, words };

  Kind kind = Kind::words;
  Spacing spacing = Spacing::tight;  // used by join of `words` only

  // The tokens of one sentence. Malformed UTF-8 is an InputError.
  std::vector<std::string> split(std::string_view text) const;

  // One line of text. `space`: the tokens with a space between them.
  std::string join(const std::vector<std::string>& tokens) const;

  // "space", "words" or "words-spaced": what checkpoints store. from_name also reads what a user types after
  // --tokenize; an unknown name is an InputError that lists the known ones.
  std::string name() const;
  static Tokenizer from_name(std::string_view name);
};

// How a corpus writes: spaced if most of its ? ! : ; have white space before them. Decides join for a target language.
Spacing observed_spacing(const std::vector<std::string>& lines);

// "l'" "qu'" "jusqu'" ...: a word that French cuts short before a vowel and writes together with the next one.
bool is_elision(std::string_view token);

}  // namespace heed::text
