#include "nn/data/grammar/morphology.h"

#include <algorithm>
#include <iterator>

namespace heed::data::toy {
namespace {

size_t form_index(Agreement agreement) {             // je, il, nous, vous, ils
  if (agreement.person == Person::second) return 3;  // "you" is always translated as vous
  if (agreement.person == Person::first) return agreement.plural ? 2 : 0;
  return agreement.plural ? 4 : 1;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<std::string> split_words(std::string_view phrase) {
  std::vector<std::string> words;
  while (!phrase.empty()) {
    size_t end = std::min(phrase.find(' '), phrase.size());
    if (end > 0) words.emplace_back(phrase.substr(0, end));
    phrase.remove_prefix(std::min(end + 1, phrase.size()));
  }
  return words;
}

bool starts_with_vowel(std::string_view french) {
  if (is_one_of(french, {"hibou", "hiboux"})) return false;  // with h aspiré, which does not elide
  for (std::string_view start : {"a", "e", "i", "o", "u", "y", "h", "à", "â", "é", "è", "ê", "î", "ô", "û", "œ"}) {
    if (french.starts_with(start)) return true;
  }
  return false;
}

std::string adjective_form(const Adjective& adjective, Agreement agreement, std::string_view next) {
  bool feminine = agreement.gender == Gender::feminine;
  bool changes = !feminine && !agreement.plural && adjective.before_vowel[0] != '\0';
  if (changes && starts_with_vowel(next)) return adjective.before_vowel;
  return adjective.french[(feminine ? 1u : 0u) + (agreement.plural ? 2u : 0u)];
}

std::string participle_form(std::string_view participle, Agreement agreement) {
  std::string form(participle);
  if (agreement.gender == Gender::feminine) form += "e";
  if (agreement.plural) form += "s";
  return form;
}

std::string present_form(const Verb& verb, Agreement agreement) { return verb.present[form_index(agreement)]; }

std::string english_present(const Verb& verb, Agreement agreement) {
  return agreement.person == Person::third && !agreement.plural ? verb.third : verb.english;
}

std::string etre_present(Agreement agreement) {
  constexpr std::array<const char*, 5> forms = {"suis", "est", "sommes", "êtes", "sont"};
  return forms[form_index(agreement)];
}

std::string etre_imperfect(Agreement agreement) {
  constexpr std::array<const char*, 5> forms = {"étais", "était", "étions", "étiez", "étaient"};
  return forms[form_index(agreement)];
}

std::string avoir_present(Agreement agreement) {
  constexpr std::array<const char*, 5> forms = {"ai", "a", "avons", "avez", "ont"};
  return forms[form_index(agreement)];
}

std::string be_present(Agreement agreement) {
  constexpr std::array<const char*, 5> forms = {"am", "is", "are", "are", "are"};
  return forms[form_index(agreement)];
}

std::string be_past(Agreement agreement) {
  constexpr std::array<const char*, 5> forms = {"was", "was", "were", "were", "were"};
  return forms[form_index(agreement)];
}

void join_french(std::vector<Token>& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    std::string& word = tokens[i].text;
    if (!is_one_of(word, {"le", "la", "de", "je", "ne", "me", "se", "que"})) continue;
    if (starts_with_vowel(tokens[i + 1].text)) word.back() = '\'';
  }
  struct Contraction {
    std::string_view first, second, whole;
  };
  constexpr Contraction contractions[] = {
      {"de", "le", "du"}, {"de", "les", "des"}, {"à", "le", "au"}, {"à", "les", "aux"}};
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    for (const Contraction& rule : contractions) {
      if (tokens[i].text != rule.first || tokens[i + 1].text != rule.second) continue;
      tokens[i].text = rule.whole;
      std::copy(tokens[i + 1].ties.begin(), tokens[i + 1].ties.end(), std::back_inserter(tokens[i].ties));
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      break;
    }
  }
}

void join_english(std::vector<Token>& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    std::string_view next = tokens[i + 1].text;
    bool vowel = next.find_first_of("aeiou") == 0 && !is_one_of(next, {"european", "useful", "union"});
    if (tokens[i].text == "a" && vowel) tokens[i].text = "an";
  }
}

}  // namespace heed::data::toy
