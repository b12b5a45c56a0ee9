// The verbs of the toy grammar. Columns: English forms and particle; French infinitive, present (je, il, nous, vous,
// ils) and participle; the auxiliary; the kinds of object that the verb takes.
#include <fmt/format.h>

#include "nn/data/grammar/lexicon.h"
#include "tensor/error.h"

namespace heed::data::toy {
namespace {
using namespace kind;
constexpr Perfect avoir = Perfect::avoir, etre = Perfect::etre;
constexpr bool animals_too = true;
constexpr Kinds goods = furniture | food | drink | text | vehicle | garment | machine;
constexpr Kinds sought = animal | furniture | garment | text | machine;
constexpr Kinds seen = person | animal | furniture | vehicle | machine | building;

// clang-format off
const Verb transitive_table[] = {
    {"eat", "eats", "ate", "eating", "", "manger",
     {"mange", "mange", "mangeons", "mangez", "mangent"}, "mangé", avoir, food, animals_too},
    {"cook", "cooks", "cooked", "cooking", "", "cuisiner",
     {"cuisine", "cuisine", "cuisinons", "cuisinez", "cuisinent"}, "cuisiné", avoir, cookable},
    {"drink", "drinks", "drank", "drinking", "", "boire",
     {"bois", "boit", "buvons", "buvez", "boivent"}, "bu", avoir, drink, animals_too},
    {"read", "reads", "read", "reading", "", "lire", {"lis", "lit", "lisons", "lisez", "lisent"}, "lu", avoir, text},
    {"write", "writes", "wrote", "writing", "", "écrire",
     {"écris", "écrit", "écrivons", "écrivez", "écrivent"}, "écrit", avoir, written},
    {"buy", "buys", "bought", "", "", "acheter",
     {"achète", "achète", "achetons", "achetez", "achètent"}, "acheté", avoir, goods},
    {"sell", "sells", "sold", "", "", "vendre",
     {"vends", "vend", "vendons", "vendez", "vendent"}, "vendu", avoir, goods},
    {"repair", "repairs", "repaired", "", "", "réparer",
     {"répare", "répare", "réparons", "réparez", "réparent"}, "réparé", avoir, furniture | vehicle | machine},
    {"paint", "paints", "painted", "painting", "", "peindre",
     {"peins", "peint", "peignons", "peignez", "peignent"}, "peint", avoir, surface},
    {"wear", "wears", "wore", "", "", "porter",
     {"porte", "porte", "portons", "portez", "portent"}, "porté", avoir, garment},
    {"cross", "crosses", "crossed", "", "", "traverser",
     {"traverse", "traverse", "traversons", "traversez", "traversent"}, "traversé", avoir, way, animals_too},
    {"take", "takes", "took", "", "", "prendre",
     {"prends", "prend", "prenons", "prenez", "prennent"}, "pris", avoir, vehicle | way},
    {"feed", "feeds", "fed", "", "", "nourrir",
     {"nourris", "nourrit", "nourrissons", "nourrissez", "nourrissent"}, "nourri", avoir, animal},
    {"chase", "chases", "chased", "", "", "poursuivre",
     {"poursuis", "poursuit", "poursuivons", "poursuivez", "poursuivent"}, "poursuivi", avoir, animal, animals_too},
    {"see", "sees", "saw", "", "", "voir",
     {"vois", "voit", "voyons", "voyez", "voient"}, "vu", avoir, seen, animals_too},
    {"look", "looks", "looked", "", "for", "chercher",
     {"cherche", "cherche", "cherchons", "cherchez", "cherchent"}, "cherché", avoir, sought, animals_too},
    {"wait", "waits", "waited", "", "for", "attendre",
     {"attends", "attend", "attendons", "attendez", "attendent"}, "attendu", avoir, person | vehicle},
    {"listen", "listens", "listened", "", "to", "écouter",
     {"écoute", "écoute", "écoutons", "écoutez", "écoutent"}, "écouté", avoir, person},
    {"visit", "visits", "visited", "", "", "visiter",
     {"visite", "visite", "visitons", "visitez", "visitent"}, "visité", avoir, building},
};

const Verb intransitive_table[] = {
    {"sing", "sings", "sang", "singing", "", "chanter",
     {"chante", "chante", "chantons", "chantez", "chantent"}, "chanté", avoir, 0},
    {"dance", "dances", "danced", "dancing", "", "danser",
     {"danse", "danse", "dansons", "dansez", "dansent"}, "dansé", avoir, 0},
    {"sleep", "sleeps", "slept", "sleeping", "", "dormir",
     {"dors", "dort", "dormons", "dormez", "dorment"}, "dormi", avoir, 0, animals_too},
    {"work", "works", "worked", "working", "", "travailler",
     {"travaille", "travaille", "travaillons", "travaillez", "travaillent"}, "travaillé", avoir, 0},
};

const Verb reflexive_table[] = {
    {"stop", "stops", "stopped", "", "", "arrêter",
     {"arrête", "arrête", "arrêtons", "arrêtez", "arrêtent"}, "arrêté", Perfect::reflexive, 0, animals_too},
    {"wake", "wakes", "woke", "", "up", "réveiller",
     {"réveille", "réveille", "réveillons", "réveillez", "réveillent"}, "réveillé", Perfect::reflexive, 0},
    {"rest", "rests", "rested", "", "", "reposer",
     {"repose", "repose", "reposons", "reposez", "reposent"}, "reposé", Perfect::reflexive, 0, animals_too},
    {"walk", "walks", "walked", "", "", "promener",
     {"promène", "promène", "promenons", "promenez", "promènent"}, "promené", Perfect::reflexive, 0},
};

const Verb affection_table[] = {
    {"love", "loves", "loved", "", "", "aimer", {"aime", "aime", "aimons", "aimez", "aiment"}, "aimé", avoir, 0},
    {"like", "likes", "liked", "", "", "aimer bien",
     {"aime bien", "aime bien", "aimons bien", "aimez bien", "aiment bien"}, "bien aimé", avoir, 0},
    {"hate", "hates", "hated", "", "", "détester",
     {"déteste", "déteste", "détestons", "détestez", "détestent"}, "détesté", avoir, 0},
};

const Verb possession_table = {"have", "has", "had", "", "", "avoir",
      {"ai", "a", "avons", "avez", "ont"}, "eu", avoir, animal | furniture | vehicle | text | garment | machine};

const Motion motion_table[] = {
    {{"go", "goes", "went", "", "", "aller", {"vais", "va", "allons", "allez", "vont"}, "allé", etre, 0}, "to", "à"},
    {{"return", "returns", "returned", "", "", "retourner",
      {"retourne", "retourne", "retournons", "retournez", "retournent"}, "retourné", etre, 0}, "to", "à"},
    {{"come", "comes", "came", "", "", "venir",
      {"viens", "vient", "venons", "venez", "viennent"}, "venu", etre, 0}, "from", "de"},
    {{"arrive", "arrives", "arrived", "", "", "arriver",
      {"arrive", "arrive", "arrivons", "arrivez", "arrivent"}, "arrivé", etre, 0}, "at", "à"},
};

const ActVerb acts[] = {{"signed", "signé"}, {"adopted", "adopté"}, {"rejected", "rejeté"}, {"published", "publié"}};
// clang-format on

}  // namespace

std::span<const Verb> transitive_verbs() { return transitive_table; }
std::span<const Verb> intransitive_verbs() { return intransitive_table; }
std::span<const Verb> reflexive_verbs() { return reflexive_table; }
std::span<const Verb> affection_verbs() { return affection_table; }
const Verb& possession_verb() { return possession_table; }
std::span<const Motion> motion_verbs() { return motion_table; }
std::span<const ActVerb> act_verbs() { return acts; }

const Verb& verb(std::string_view english) {
  for (std::span<const Verb> entries :
       {transitive_verbs(), intransitive_verbs(), reflexive_verbs(), affection_verbs()}) {
    for (const Verb& entry : entries) {
      if (english == entry.english) return entry;
    }
  }
  for (const Motion& entry : motion_table) {
    if (english == entry.verb.english) return entry.verb;
  }
  throw ValueError(fmt::format("toy lexicon: the verb must be in the table; got \"{}\"", english));
}

}  // namespace heed::data::toy
