#include "nn/data/grammar/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heed::data::toy {
namespace {

void append(std::vector<Token>& to, std::vector<Token> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

bool small_word(std::string_view text) { return text == "de" || text == "à" || text == "en"; }

struct Possessive {
  const char *english, *masculine, *feminine, *plural;
};

const Possessive& possessive(Determiner determiner) {
  static constexpr Possessive table[] = {
      {"my", "mon", "ma", "mes"}, {"our", "notre", "notre", "nos"}, {"your", "votre", "votre", "vos"}};
  return table[determiner == Determiner::my ? 0 : determiner == Determiner::our ? 1 : 2];
}

// Adds the determiner to both sides; `next` is the French word that will follow it.
void determine(Draft& draft, Phrase& phrase, const NounChoice& choice, int noun_meaning, std::string_view next,
               bool adjective_first) {
  bool feminine = choice.noun->gender == Gender::feminine, plural = choice.plural;
  const char* definite = plural ? "les" : feminine ? "la" : "le";
  auto both = [&](std::string_view english, std::string_view french, Sort sort = Sort::function) {
    int meaning = draft.meaning();
    say(phrase.english, english, meaning, sort);
    say(phrase.french, french, meaning, sort);
  };
  auto french_only = [&](std::string_view french) {
    say(phrase.french, french, noun_meaning, Sort::function, Strength::weak);
  };
  switch (choice.determiner) {
    case Determiner::none:
      return;
    case Determiner::generic:
      return french_only(definite);
    case Determiner::the:
      return both("the", definite);
    case Determiner::a:
    case Determiner::not_a: {
      bool countable_one = !plural && !(choice.noun->kinds & kind::mass);
      if (choice.determiner == Determiner::a) {
        if (countable_one) return both("a", feminine ? "une" : "un");
        if (plural) return french_only(adjective_first ? "de" : "des");
        french_only("de");  // partitive article; a later pass contracts de + le to du
        return french_only(definite);
      }
      return countable_one ? both("a", "de") : french_only("de");
    }
    case Determiner::this_:
      if (plural) return both("these", "ces");
      return both("this", feminine ? "cette" : starts_with_vowel(next) ? "cet" : "ce");
    case Determiner::my:
    case Determiner::our:
    case Determiner::your: {
      const Possessive& row = possessive(choice.determiner);
      return both(row.english, plural                                 ? row.plural
                               : feminine && !starts_with_vowel(next) ? row.feminine
                                                                      : row.masculine);
    }
    case Determiner::two_to_six: {
      const Pair& number = numbers()[draft.below(numbers().size())];
      return both(number.english, number.french, Sort::content);
    }
  }
}

}  // namespace

void Phrase::add(Phrase next) {
  append(english, std::move(next.english));
  append(french, std::move(next.french));
}

const Noun& Draft::noun_of(Kinds any) {
  std::vector<Kinds>
      single;  // first draw a kind, then a noun of it, so that small classes are as frequent as large ones
  for (Kinds bit = 1; bit != 0; bit <<= 1) {
    if (any & bit) single.push_back(bit);
  }
  std::vector<const Noun*> found = nouns_of(single[below(single.size())]);
  return *found[below(found.size())];
}

void Draft::combine(const Adjective& quality, const Noun& noun) {
  auto same = [&quality](const Adjective& each) { return std::string_view(each.english) == quality.english; };
  for (std::span<const Adjective> reasons : {animal_adjectives(), way_adjectives()}) {
    if (std::any_of(reasons.begin(), reasons.end(), same)) return;
  }
  combinations_.push_back(fmt::format("{}+{}", quality.english, noun.english));
}

void Draft::combine(const Verb& verb, const Noun& object) {
  if (object.kinds & kind::way) return;
  combinations_.push_back(fmt::format("{}+{}", verb.english, object.english));
}

const Adjective* Draft::attributive(const Noun& noun) {
  std::vector<const Adjective*> found = attributive_of(noun);
  if (found.empty()) return nullptr;
  return found[below(found.size())];
}

void say(std::vector<Token>& side, std::string_view spoken, int meaning, Sort sort, Strength strength) {
  std::vector<std::string> words = split_words(spoken);
  for (const std::string& each : words) {
    bool small = words.size() > 1 && small_word(each);
    side.push_back({each, {{meaning, strength == Strength::sure && !small}}, sort == Sort::content && !small});
  }
}

Phrase word(Draft& draft, std::string_view english, std::string_view french, Sort sort) {
  Phrase phrase;
  int meaning = draft.meaning();
  say(phrase.english, english, meaning, sort);
  say(phrase.french, french, meaning, sort);
  return phrase;
}

Phrase noun_phrase(Draft& draft, const NounChoice& choice) {
  const Noun& noun = *choice.noun;
  Agreement agreement{.gender = noun.gender, .plural = choice.plural};
  int noun_meaning = draft.meaning();
  std::string head = choice.plural ? noun.french_plural : noun.french;
  std::vector<Token> english, before, after;
  say(before, head, noun_meaning, Sort::content);
  for (auto it = choice.adjectives.rbegin(); it != choice.adjectives.rend(); ++it) {  // from the noun outwards
    const Adjective& adjective = **it;
    int meaning = draft.meaning();
    std::vector<Token> form;
    say(form, adjective_form(adjective, agreement, before.front().text), meaning, Sort::content);
    if (adjective.before_noun) {
      append(form, std::move(before));
      before = std::move(form);
    } else {
      append(after, std::move(form));
    }
    std::vector<Token> outer;
    say(outer, adjective.english, meaning, Sort::content);
    append(outer, std::move(english));
    english = std::move(outer);
    draft.combine(adjective, noun);
  }
  say(english, choice.plural ? noun.english_plural : noun.english, noun_meaning, Sort::content);
  Phrase phrase;
  bool adjective_first = std::any_of(choice.adjectives.begin(), choice.adjectives.end(),
                                     [](const Adjective* a) { return a->before_noun; });
  determine(draft, phrase, choice, noun_meaning, before.front().text, adjective_first);
  append(before, std::move(after));
  phrase.add({std::move(english), std::move(before)});
  return phrase;
}

Subject noun_subject(Draft& draft, const NounChoice& choice) {
  return {noun_phrase(draft, choice), {.gender = choice.noun->gender, .plural = choice.plural}};
}

Subject pronoun_subject(Draft& draft, std::string_view english) {
  struct Row {
    std::string_view english, french;
    Agreement agreement;
  };
  static constexpr Row table[] = {
      {"i", "je", {Person::first, Gender::masculine, false}},
      {"you", "vous", {Person::second, Gender::masculine, false}},
      {"he", "il", {Person::third, Gender::masculine, false}},
      {"she", "elle", {Person::third, Gender::feminine, false}},
      {"we", "nous", {Person::first, Gender::masculine, true}},
      {"they", "ils", {Person::third, Gender::masculine, true}},
  };
  const Row* row =
      std::find_if(std::begin(table), std::end(table) - 1, [&](const Row& each) { return each.english == english; });
  return {word(draft, row->english, row->french, Sort::function), row->agreement};
}

AlignedPair finish(Phrase phrase, std::string_view family, const Draft& draft) {
  join_english(phrase.english);
  join_french(phrase.french);
  AlignedPair pair;
  pair.family = family;
  pair.combinations = draft.combinations();
  for (const Token& token : phrase.english) {
    pair.source.push_back(token.text);
    pair.source_content.push_back(token.content);
  }
  for (size_t t = 0; t < phrase.french.size(); ++t) {
    const Token& french = phrase.french[t];
    pair.target.push_back(french.text);
    pair.target_content.push_back(french.content);
    for (size_t s = 0; s < phrase.english.size(); ++s) {
      bool linked = false, sure = false;
      for (Tie a : phrase.english[s].ties) {
        for (Tie b : french.ties) {
          if (a.meaning != b.meaning) continue;
          linked = true;
          sure = sure || (a.sure && b.sure);
        }
      }
      if (linked) pair.links.push_back({static_cast<int>(s), static_cast<int>(t), sure});
    }
  }
  return pair;
}

}  // namespace heed::data::toy
