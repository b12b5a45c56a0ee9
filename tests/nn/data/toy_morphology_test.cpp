// French forms of the toy grammar, against tables written by hand.
#include "nn/data/grammar/morphology.h"

#include <doctest/doctest.h>

#include "nn/data/grammar/circumstances.h"
#include "nn/data/grammar/phrases.h"
#include "nn/data/grammar/split.h"
#include "tensor/error.h"

using namespace heed::data::toy;
using heed::data::AlignedPair;

namespace {

std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> result;
  for (const std::string& word : split_words(text)) result.push_back({word, {}, true});
  return result;
}

std::string text(const std::vector<Token>& side) {
  std::string result;
  for (const Token& token : side) result += (result.empty() ? "" : " ") + token.text;
  return result;
}

std::string french(std::string_view before) {
  std::vector<Token> side = tokens(before);
  join_french(side);
  return text(side);
}

std::string english(std::string_view before) {
  std::vector<Token> side = tokens(before);
  join_english(side);
  return text(side);
}

std::string said(const NounChoice& choice) {
  heed::Generator random(1);
  Draft draft(random);
  AlignedPair pair = finish(noun_phrase(draft, choice), "test", draft);
  return joined(pair.source) + " = " + joined(pair.target);
}

NounChoice one(std::string_view name, Determiner determiner, std::vector<const Adjective*> adjectives = {}) {
  return {.noun = &noun(name), .determiner = determiner, .adjectives = std::move(adjectives)};
}

NounChoice many(std::string_view name, Determiner determiner, std::vector<const Adjective*> adjectives = {}) {
  return {.noun = &noun(name), .determiner = determiner, .plural = true, .adjectives = std::move(adjectives)};
}

std::string sentence(std::string_view who, std::string_view action, Tense tense, Polarity polarity) {
  heed::Generator random(1);
  Draft draft(random);
  Subject subject = pronoun_subject(draft, who);
  AlignedPair pair =
      finish(clause(draft, subject, {.verb = &verb(action), .tense = tense, .polarity = polarity}), "test", draft);
  return joined(pair.source) + " = " + joined(pair.target);
}

}  // namespace

TEST_CASE("toy grammar: elision") {
  CHECK(french("le accord") == "l' accord");
  CHECK(french("la école") == "l' école");
  CHECK(french("le homme") == "l' homme");
  CHECK(french("la histoire") == "l' histoire");
  CHECK(french("le œuf") == "l' œuf");
  CHECK(french("le hibou") == "le hibou");  // h aspiré
  CHECK(french("je aime") == "j' aime");
  CHECK(french("je ne ai pas de avion") == "je n' ai pas d' avion");
  CHECK(french("elle se arrête") == "elle s' arrête");
  CHECK(french("je me arrête") == "je m' arrête");
  CHECK(french("parce que elle") == "parce qu' elle");
  CHECK(french("il ne y a pas") == "il n' y a pas");
  CHECK(french("le chat la rue de terre") == "le chat la rue de terre");
}

TEST_CASE("toy grammar: contraction") {
  CHECK(french("de le pont") == "du pont");
  CHECK(french("de les rues") == "des rues");
  CHECK(french("à le marché") == "au marché");
  CHECK(french("à les hôpitaux") == "aux hôpitaux");
  CHECK(french("de le hôpital") == "de l' hôpital");
  CHECK(french("de la gare à la école") == "de la gare à l' école");
  CHECK(english("a apple and a european egg and a useful old chair") ==
        "an apple and a european egg and a useful old chair");
}

TEST_CASE("toy grammar: articles and adjectives agree, most adjectives move behind the noun") {
  const Adjective *small = &adjective("small"), *old = &adjective("old"), *beautiful = &adjective("beautiful"),
                  *fresh = &adjective("new"), *black = &adjective("black"), *white = &adjective("white"),
                  *wooden = &adjective("wooden"), *happy = &adjective("happy");
  CHECK(said(one("cat", Determiner::a, {small, black})) == "a small black cat = un petit chat noir");
  CHECK(said(one("chair", Determiner::the, {white})) == "the white chair = la chaise blanche");
  CHECK(said(many("chair", Determiner::the, {white})) == "the white chairs = les chaises blanches");
  CHECK(said(many("cat", Determiner::a)) == "cats = des chats");
  CHECK(said(many("cat", Determiner::a, {small})) == "small cats = de petits chats");
  CHECK(said(many("horse", Determiner::a, {black})) == "black horses = des chevaux noirs");
  CHECK(said(many("desk", Determiner::this_, {old})) == "these old desks = ces vieux bureaux");
  CHECK(said(one("man", Determiner::this_)) == "this man = cet homme");
  CHECK(said(one("man", Determiner::this_, {old})) == "this old man = ce vieil homme");
  CHECK(said(many("man", Determiner::the, {old})) == "the old men = les vieux hommes");
  CHECK(said(one("bird", Determiner::a, {beautiful})) == "a beautiful bird = un bel oiseau");
  CHECK(said(one("bird", Determiner::a, {beautiful, small})) == "a beautiful small bird = un beau petit oiseau");
  CHECK(said(one("plane", Determiner::a, {fresh})) == "a new plane = un nouvel avion");
  CHECK(said(one("story", Determiner::my)) == "my story = mon histoire");
  CHECK(said(one("story", Determiner::my, {old})) == "my old story = ma vieille histoire");
  CHECK(said(one("aunt", Determiner::my, {happy})) == "my happy aunt = ma tante heureuse");
  CHECK(said(many("friend", Determiner::our)) == "our friends = nos amis");
  CHECK(said(one("table", Determiner::a, {wooden})) == "a wooden table = une table en bois");
  CHECK(said(one("potato", Determiner::a)) == "a potato = une pomme de terre");
  CHECK(said(many("potato", Determiner::not_a)) == "potatoes = de pommes de terre");
  CHECK(said(one("bread", Determiner::a)) == "bread = du pain");
  CHECK(said(one("water", Determiner::a)) == "water = de l' eau");
  CHECK(said(one("meat", Determiner::not_a)) == "meat = de viande");
  CHECK(said(one("coffee", Determiner::generic)) == "coffee = le café");
  CHECK(said(one("owl", Determiner::the)) == "the owl = le hibou");
}

TEST_CASE("toy grammar: some things are counted, if they are many and are there") {
  heed::Generator random(1);
  Draft draft(random);
  int counted = 0, many = 0;
  for (int i = 0; i < 1000; ++i) {
    CHECK(random_indefinite(draft, noun("cat"), true).determiner == Determiner::not_a);
    NounChoice choice = random_indefinite(draft, noun("cat"), false);
    bool has_number = choice.determiner == Determiner::two_to_six;
    CHECK((!has_number || choice.plural));
    many += choice.plural, counted += has_number;
  }
  CHECK(counted > many / 5);
  CHECK(counted < many / 2);
}

TEST_CASE("toy grammar: negation splits, pasts agree with être") {
  using enum Polarity;
  CHECK(sentence("he", "eat", Tense::present, negated) == "he doesn't eat = il ne mange pas");
  CHECK(sentence("i", "eat", Tense::past, negated) == "i didn't eat = je n' ai pas mangé");
  CHECK(sentence("she", "eat", Tense::past, plain) == "she ate = elle a mangé");
  CHECK(sentence("we", "eat", Tense::present, never) == "we never eat = nous ne mangeons jamais");
  CHECK(sentence("they", "look", Tense::past, often) == "they often looked for = ils ont souvent cherché");
  CHECK(sentence("she", "go", Tense::past, plain) == "she went = elle est allée");
  CHECK(sentence("they", "come", Tense::past, negated) == "they didn't come = ils ne sont pas venus");
  CHECK(sentence("she", "stop", Tense::past, never) == "she never stopped = elle ne s' est jamais arrêtée");
  CHECK(sentence("i", "wake", Tense::present, plain) == "i wake up = je me réveille");
  CHECK(sentence("we", "walk", Tense::present, negated) == "we don't walk = nous ne nous promenons pas");
  CHECK(sentence("you", "see", Tense::present, always) == "you always see = vous voyez toujours");
  CHECK(sentence("he", "like", Tense::present, plain) == "he likes = il aime bien");
}

TEST_CASE("toy grammar: the lexicon answers for what it lacks") {
  CHECK_THROWS_AS(adjective("purple"), heed::ValueError);
  CHECK_THROWS_AS(verb("fly"), heed::ValueError);
  for (const Adjective& each : adjectives()) {
    CAPTURE(each.english);
    CHECK(((each.attributive | each.predicative) != 0));
  }
}
