// How words change in the toy grammar: agreement, conjugation, and elision and contraction between two French words.
//
//   le + accord -> l' accord      ce + animal -> cet animal      de + le -> du      à + les -> aux
//
// Source: any grammar of French. An h is mute (l'homme, l'hôpital) unless it is in a list of exceptions (le hibou).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nn/data/grammar/lexicon.h"

namespace heed::data::toy {

enum class Person { first, second, third };

struct Agreement {  // what a French noun phrase passes on to the words that agree with it
  Person person = Person::third;
  Gender gender = Gender::masculine;
  bool plural = false;
};

// A meaning shared with tokens of the other language. Weak ties become possible links, the others sure links.
struct Tie {
  int meaning;
  bool sure;
};

struct Token {
  std::string text;
  std::vector<Tie> ties;
  bool content;
};

std::vector<std::string> split_words(std::string_view phrase);  // at spaces

bool starts_with_vowel(std::string_view french);  // also before a mute h; such a word elides the word before it

std::string adjective_form(const Adjective& adjective, Agreement agreement, std::string_view next);
std::string participle_form(std::string_view participle, Agreement agreement);  // signé, signée, signés, signées
std::string present_form(const Verb& verb, Agreement agreement);
std::string english_present(const Verb& verb, Agreement agreement);

// The forms of être: present (suis) and imperfect (étais); of avoir: present (ai); and of English "be".
std::string etre_present(Agreement agreement);
std::string etre_imperfect(Agreement agreement);
std::string avoir_present(Agreement agreement);
std::string be_present(Agreement agreement);
std::string be_past(Agreement agreement);

// Passes over a finished sentence. French: elision, then contraction (two tokens become one, which keeps the ties of
// both). English: "a" before a vowel sound becomes "an".
void join_french(std::vector<Token>& tokens);
void join_english(std::vector<Token>& tokens);

}  // namespace heed::data::toy
