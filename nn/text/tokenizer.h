// Splits a sentence into tokens and joins them again.
//
// clang-format off
//   space   splits at ASCII white space and does nothing else: for corpora that are already
//           tokenised (Multi30k, WMT)
//   words   for raw text: standardises spelling (NFC, lower case, one kind of space, of apostrophe
//           and of quote), splits off punctuation, and treats apostrophes by the grammar of
//           English (a contraction is one word) and French (an elided word is a word of its own):
//             "I didn't sign l’Accord."  -> i didn't sign l' accord .
//             "Aujourd'hui, j'ai faim !" -> aujourd'hui , j' ai faim !
// clang-format on
//
// join(split(text)) is equal to the text except for case and spelling, and split(join(split(text))) = split(text).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// Whether there is a space before ? ! : ; % and inside « »: "Who?" (English, German, ...) or "Qui ?" (French).
enum class Spacing { tight, spaced };

struct Tokenizer {
  enum class Kind { space, words };

  Kind kind = Kind::words;
  Spacing spacing = Spacing::tight;  // used only by join of `words`

  // The tokens of one sentence. InputError for malformed UTF-8.
  std::vector<std::string> split(std::string_view text) const;

  // One line of text. `space` joins the tokens with spaces.
  std::string join(const std::vector<std::string>& tokens) const;

  // "space", "words" or "words-spaced", as stored in checkpoints. from_name also reads what a user types after
  // --tokenize; an unknown name is an InputError that lists the known ones.
  std::string name() const;
  static Tokenizer from_name(std::string_view name);
};

// The convention of a corpus: spaced if most of its ? ! : ; follow white space. join uses it for a target language.
Spacing observed_spacing(const std::vector<std::string>& lines);

// "l'" "qu'" "jusqu'" ...: a word that French shortens before a vowel and writes together with the next word.
bool is_elision(std::string_view token);

}  // namespace heed::text
