// The well-known example sentences, and the pronoun family with its features: built by the grammar, not from text.
#include <algorithm>
#include <string_view>
#include <utility>

#include "nn/data/grammar/families.h"
#include "nn/data/grammar/pronouns.h"
#include "nn/data/grammar/split.h"
#include "nn/data/grammar/toy_corpus.h"

namespace heed::data {

using namespace toy;  // this file uses many names of the grammar

std::vector<ToyShowcase> showcase_sentences(Direction direction) {
  std::vector<ToyShowcase> sentences;
  Generator none;
  auto show = [&](std::string_view family, auto make) {
    Draft draft(none);
    AlignedPair pair = finish(make(draft), family, draft);
    ToySplit split = split_of(pair);
    sentences.push_back({directed(pair, direction), split});
  };
  show("identity", [](Draft& draft) {
    return identity_of(draft, pronoun_subject(draft, "i"), Tense::present, Polarity::plain, noun("student"));
  });
  show("affection", [](Draft& draft) {
    return affection_of(draft, pronoun_subject(draft, "i"), verb("love"), Polarity::plain, verb("read"));
  });
  show("title", [](Draft& draft) {
    return noun_phrase(draft, {.noun = &noun("machine"),
                               .determiner = Determiner::none,
                               .plural = true,
                               .adjectives = {&adjective("thinking")}});
  });
  show("agreement", [](Draft& draft) {
    Topic topic{.act = &noun("agreement"),
                .body = &noun("area"),
                .adjectives = {&adjective("european"), &adjective("economic")}};
    return agreement_of(draft, topic, act_verbs()[0], Polarity::plain, months()[7], "1992");
  });
  for (size_t i : {0u, 1u}) {
    show("pronoun", [i](Draft& draft) { return pronoun_of(draft, pronoun_choices()[i]); });
  }
  return sentences;
}

std::vector<PronounExample> pronoun_family(Direction direction) {
  std::vector<PronounExample> family;
  for (const PronounChoice& choice : pronoun_choices()) {
    Generator none;
    Draft draft(none);
    AlignedPair english_first = finish(pronoun_of(draft, choice), "pronoun", draft);
    const Noun& antecedent = choice.points_to_animal ? *choice.animal : *choice.way;
    PronounExample example;
    example.split = split_of(english_first);
    example.pair = directed(english_first, direction);
    example.animal = choice.animal->english;
    example.way = choice.way->english;
    example.adjective = choice.reason->english;
    example.points_to_animal = choice.points_to_animal;
    example.feminine = antecedent.gender == Gender::feminine;
    auto position = [](const std::vector<std::string>& words, std::string_view word) {
      return static_cast<int>(std::find(words.begin(), words.end(), word) - words.begin());
    };
    const bool french_first = direction == Direction::fr_en;
    const int it = position(english_first.source, "it");
    const int il = position(english_first.target, example.feminine ? "elle" : "il");
    example.pronoun_source = french_first ? il : it;
    example.pronoun_target = french_first ? it : il;
    example.animal_source =
        position(example.pair.source, french_first ? choice.animal->french : choice.animal->english);
    example.way_source = position(example.pair.source, french_first ? choice.way->french : choice.way->english);
    example.adjective_source = static_cast<int>(example.pair.source.size()) - 1;
    family.push_back(std::move(example));
  }
  return family;
}

}  // namespace heed::data
