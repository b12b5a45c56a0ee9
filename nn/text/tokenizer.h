// Splits a sentence into tokens and joins them again.
//
// clang-format off
//   space   only splits at ASCII white space: for corpora that are already tokenised
//           (Multi30k, WMT)
//   words   for raw text: standardises the spelling (NFC, lower case, one kind of space, of
//           apostrophe and of quote), splits off punctuation, and treats apostrophes as English
//           (a contraction is one token) and French (an elided word is a token of its own) do:
//             "I didn't sign l’Accord."  -> i didn't sign l' accord .
//             "Aujourd'hui, j'ai faim !" -> aujourd'hui , j' ai faim !
// clang-format on
//
// join(split(text)) has the words of the text, but its case, spelling and spaces may differ: "Foo,bar" becomes
// "foo, bar". Another split changes nothing more: split(join(split(text))) = split(text).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// How a language writes ? ! : ; % and « »: without spaces, as in "Who?" (English, German, ...), or with spaces, as in
// "Qui ?" (French).
enum class Spacing { tight, spaced };

struct Tokenizer {
  enum class Kind { space, words };

  Kind kind = Kind::words;
  Spacing spacing = Spacing::tight;  // only for join of `words`

  // InputError for malformed UTF-8.
  std::vector<std::string> split(std::string_view text) const;

  // The text as split() spells its tokens (lower case, for example), to look up a word that a user types. InputError as
  // in split().
  std::string spelled(std::string_view text) const;

  // One line of text; for `space`, the tokens with a space between them.
  std::string join(const std::vector<std::string>& tokens) const;

  // "space", "words" or "words-spaced", as stored in checkpoints. from_name also reads what a user types after
  // --tokenize; an unknown name is an InputError that lists the known ones.
  std::string name() const;
  static Tokenizer from_name(std::string_view name);
};

// The convention of a corpus: spaced if most of its ? ! : ; follow white space. For Tokenizer::spacing of the target
// language.
Spacing observed_spacing(const std::vector<std::string>& lines);

// True for "l'", "qu'", "jusqu'", ...: words that French shortens before a vowel and joins to the next word.
bool is_elision(std::string_view token);

}  // namespace heed::text
