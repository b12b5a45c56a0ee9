// The words of the toy English-French grammar, as tables: each word in both languages, and which words go together.
//
// A noun has kinds (a set of bits). An adjective or a verb lists the kinds that it goes with, so one paints a chair or
// a table, and feeds a tiger. Words of one class therefore share their contexts, which is what embeddings can learn
// from. Each English word has one French word and vice versa, so that every sentence has exactly one translation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed::data::toy {

enum class Gender { masculine, feminine };

namespace kind {
using Kinds = uint32_t;
constexpr Kinds person = 1u << 0, adult = 1u << 1, kin = 1u << 2, profession = 1u << 3, officer = 1u << 4;
constexpr Kinds animal = 1u << 5, folk = 1u << 25;       // folk: people who are not named by their profession
constexpr Kinds furniture = 1u << 6, surface = 1u << 7;  // surface: one can be on or under it
constexpr Kinds food = 1u << 8, dish = 1u << 27, cookable = 1u << 9, drink = 1u << 10,
                mass = 1u << 11;  // mass: du pain, de l'eau
constexpr Kinds text = 1u << 12, written = 1u << 13;
constexpr Kinds vehicle = 1u << 14, garment = 1u << 15, machine = 1u << 16;
constexpr Kinds building = 1u << 17, room = 1u << 18, outdoors = 1u << 19, dining = 1u << 26,
                goal = 1u << 20;                  // goal: one goes to it
constexpr Kinds way = 1u << 21, part = 1u << 22;  // part: of a building
constexpr Kinds act = 1u << 23, body = 1u << 24;  // an agreement on an area
}  // namespace kind
using kind::Kinds;

struct Noun {
  const char* english;
  const char* english_plural;  // "" if there is none
  const char* french;          // may be several words: "pomme de terre"; the first is the head
  const char* french_plural;
  Gender gender;
  Kinds kinds;
  const char* french_feminine = "";  // professions: "étudiante"
};

struct Adjective {
  const char* english;
  std::array<const char*, 4> french;  // masculine, feminine, masculine plural, feminine plural
  const char* before_vowel;           // masculine singular before a vowel: "vieil"; "" if it does not change
  bool before_noun;                   // "un petit chat", but "un chat noir"
  Kinds attributive;                  // the big X
  Kinds predicative;                  // the X is big
};

// The auxiliary of the past tense. With être, and with a reflexive pronoun, the participle agrees with the subject.
enum class Perfect { avoir, etre, reflexive };  // il a mangé · elle est allée · elle s'est arrêtée

struct Verb {
  const char* english;  // plain form
  const char* third;    // he eats
  const char* past;
  const char* gerund;    // "" if the grammar does not use it
  const char* particle;  // "look for", "wake up"; "" if none
  const char* infinitive;
  std::array<const char*, 5> present;  // je, il, nous, vous, ils
  const char* participle;
  Perfect perfect;
  Kinds objects;  // 0: the verb takes no object
  bool animal_subject = false;
};

// A motion verb and the preposition before its place, "go to" -> "aller à".
struct Motion {
  Verb verb;
  const char* english_preposition;
  const char* french_preposition;
};

// A verb that is used in the passive: "was signed" -> "a été signé".
struct ActVerb {
  const char* english;
  const char* participle;
};

struct Pair {
  const char* english;
  const char* french;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Adjective> origin_adjectives();  // European, ...: in English they stand before the field adjectives
std::span<const Adjective> field_adjectives();   // economic, ...: in English they stand next to the noun
std::span<const Adjective> animal_adjectives();  // the reason why an animal did not cross
// The reason why a street was not crossed; six of each, and none fits the other noun.
std::span<const Adjective> way_adjectives();
std::span<const Verb> transitive_verbs();
std::span<const Verb> intransitive_verbs();
std::span<const Verb> reflexive_verbs();
std::span<const Verb> affection_verbs();  // love, like, hate
const Verb& possession_verb();            // have
std::span<const Motion> motion_verbs();
std::span<const ActVerb> act_verbs();
std::span<const Pair> months();
std::span<const char* const> years();
std::span<const Pair> numbers();  // two to six

const Noun& noun(std::string_view english);  // ValueError if there is none; the next two functions too
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english);

std::vector<const Noun*> nouns_of(Kinds any);  // in the order of the table
std::vector<const Adjective*> attributive_of(const Noun& noun);
std::vector<const Adjective*> predicative_of(const Noun& noun);

}  // namespace heed::data::toy
