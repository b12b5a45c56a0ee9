// The adjectives of the toy grammar. Columns: English; French masculine, feminine and their plurals; the form before a
// vowel; position before or after the noun; kinds of noun for "the red X", and for "the X is red". Then months, years
// and numbers.
#include <fmt/format.h>

#include "nn/data/grammar/lexicon.h"
#include "tensor/error.h"

namespace heed::data::toy {
namespace {
using namespace kind;
constexpr bool before = true, after = false;
constexpr Kinds coloured = furniture | vehicle | garment | part;
constexpr Kinds things = furniture | vehicle | garment;

// clang-format off
const Adjective adjective_table[] = {
    // the few that stand before the noun
    {"small", {"petit", "petite", "petits", "petites"}, "",
     before, animal | things | building | dish, animal | things | building},
    {"big", {"grand", "grande", "grands", "grandes"}, "",
     before, animal | things | building | dish, animal | things | building},
    {"beautiful", {"beau", "belle", "beaux", "belles"}, "bel",
     before, animal | things | building, animal | things | building},
    {"new", {"nouveau", "nouvelle", "nouveaux", "nouvelles"}, "nouvel",
     before, things | text | part | building | profession, 0},
    {"old", {"vieux", "vieille", "vieux", "vieilles"}, "vieil",
     before, adult | things | text | building | part, animal | things | machine | building},
    {"good", {"bon", "bonne", "bons", "bonnes"}, "", before, food | drink | text, food | drink},
    {"pretty", {"joli", "jolie", "jolis", "jolies"}, "",
     before, garment | furniture | building, garment | furniture | building},
    {"young", {"jeune", "jeune", "jeunes", "jeunes"}, "", before, person | animal, person | animal},
    // all others stand after it
    {"red", {"rouge", "rouge", "rouges", "rouges"}, "", after, coloured, coloured},
    {"green", {"vert", "verte", "verts", "vertes"}, "", after, coloured, coloured},
    {"blue", {"bleu", "bleue", "bleus", "bleues"}, "", after, coloured, coloured},
    {"black", {"noir", "noire", "noirs", "noires"}, "", after, coloured | animal, coloured | animal},
    {"white", {"blanc", "blanche", "blancs", "blanches"}, "", after, coloured | animal, coloured | animal},
    {"heavy", {"lourd", "lourde", "lourds", "lourdes"}, "", after, furniture | part, furniture | part | machine},
    {"expensive", {"cher", "chère", "chers", "chères"}, "", after, things, things | machine | food},
    {"wooden", {"en bois", "en bois", "en bois", "en bois"}, "", after, surface | part, 0},
    {"famous", {"célèbre", "célèbre", "célèbres", "célèbres"}, "", after, profession, profession},
    {"happy", {"heureux", "heureuse", "heureux", "heureuses"}, "", after, person | animal, person | animal},
    {"lazy", {"paresseux", "paresseuse", "paresseux", "paresseuses"}, "", after, person | animal, person | animal},
    {"fresh", {"frais", "fraîche", "frais", "fraîches"}, "", after, food, food},
    {"cold", {"froid", "froide", "", ""}, "", after, mass, mass},
    {"hot", {"chaud", "chaude", "", ""}, "", after, mass, mass},
    {"interesting", {"intéressant", "intéressante", "intéressants", "intéressantes"}, "",
     after, text | building | profession, text | building | profession},
    {"strange", {"étrange", "étrange", "étranges", "étranges"}, "", after, animal, text | animal | machine},
    {"useful", {"utile", "utile", "utiles", "utiles"}, "", after, machine, text | machine},
    {"thinking", {"pensant", "pensante", "pensants", "pensantes"}, "", after, machine | animal, 0},
    {"talking", {"parlant", "parlante", "parlants", "parlantes"}, "", after, machine | animal, 0},
    {"flying", {"volant", "volante", "volants", "volantes"}, "", after, machine | vehicle | animal, 0},
    {"smiling", {"souriant", "souriante", "souriants", "souriantes"}, "", after, person, 0},
    {"sleeping", {"endormi", "endormie", "endormis", "endormies"}, "", after, person | animal, 0},
};

const Adjective of_animals[] = {
    {"tired", {"fatigué", "fatiguée", "fatigués", "fatiguées"}, "", after, person | animal, person | animal},
    {"sick", {"malade", "malade", "malades", "malades"}, "", after, person | animal, person | animal},
    {"scared", {"effrayé", "effrayée", "effrayés", "effrayées"}, "", after, person | animal, person | animal},
    {"weak", {"faible", "faible", "faibles", "faibles"}, "", after, 0, person | animal},
    {"slow", {"lent", "lente", "lents", "lentes"}, "", after, animal, animal},
    {"young", {"jeune", "jeune", "jeunes", "jeunes"}, "", before, 0, 0},  // this one also stands before the noun
};

const Adjective of_ways[] = {
    {"wide", {"large", "large", "larges", "larges"}, "", after, way, way},
    {"long", {"long", "longue", "longs", "longues"}, "", before, way, way},
    {"narrow", {"étroit", "étroite", "étroits", "étroites"}, "", after, way, way},
    {"busy", {"fréquenté", "fréquentée", "fréquentés", "fréquentées"}, "", after, way, way},
    {"dark", {"sombre", "sombre", "sombres", "sombres"}, "", after, way, way},
    {"slippery", {"glissant", "glissante", "glissants", "glissantes"}, "", after, way, way},
};

const Adjective of_origin[] = {
    {"european", {"européen", "européenne", "", ""}, "", after, body, 0},
    {"american", {"américain", "américaine", "", ""}, "", after, body, 0},
    {"african", {"africain", "africaine", "", ""}, "", after, body, 0},
    {"asian", {"asiatique", "asiatique", "", ""}, "", after, body, 0},
    {"international", {"international", "internationale", "", ""}, "", after, body, 0},
};

const Adjective of_field[] = {
    {"economic", {"économique", "économique", "", ""}, "", after, body, 0},
    {"political", {"politique", "politique", "", ""}, "", after, body, 0},
    {"military", {"militaire", "militaire", "", ""}, "", after, body, 0},
    {"monetary", {"monétaire", "monétaire", "", ""}, "", after, body, 0},
};

const Pair month_table[] = {
    {"january", "janvier"}, {"february", "février"}, {"march", "mars"}, {"april", "avril"},
    {"may", "mai"}, {"june", "juin"}, {"july", "juillet"}, {"august", "août"},
    {"september", "septembre"}, {"october", "octobre"}, {"november", "novembre"}, {"december", "décembre"},
};
const char* const year_table[] = {"1988", "1989", "1990", "1991", "1992", "1993", "1994", "1995"};
const Pair number_table[] = {{"two", "deux"}, {"three", "trois"}, {"four", "quatre"}, {"five", "cinq"}, {"six", "six"}};
// clang-format on

void collect(std::span<const Adjective> entries, bool attributive, Kinds kinds, std::vector<const Adjective*>& found) {
  for (const Adjective& entry : entries) {
    if ((attributive ? entry.attributive : entry.predicative) & kinds) found.push_back(&entry);
  }
}

}  // namespace

std::span<const Adjective> adjectives() { return adjective_table; }
std::span<const Adjective> animal_adjectives() { return of_animals; }
std::span<const Adjective> way_adjectives() { return of_ways; }
std::span<const Adjective> origin_adjectives() { return of_origin; }
std::span<const Adjective> field_adjectives() { return of_field; }
std::span<const Pair> months() { return month_table; }
std::span<const char* const> years() { return year_table; }
std::span<const Pair> numbers() { return number_table; }

const Adjective& adjective(std::string_view english) {
  for (std::span<const Adjective> entries :
       {adjectives(), animal_adjectives(), way_adjectives(), origin_adjectives(), field_adjectives()}) {
    for (const Adjective& entry : entries) {
      if (english == entry.english) return entry;
    }
  }
  throw ValueError(fmt::format("toy lexicon: the adjective must be in the table; got \"{}\"", english));
}

std::vector<const Adjective*> attributive_of(const Noun& noun) {
  std::vector<const Adjective*> found;
  for (std::span<const Adjective> entries : {adjectives(), animal_adjectives(), way_adjectives()}) {
    collect(entries, true, noun.kinds, found);
  }
  return found;
}

std::vector<const Adjective*> predicative_of(const Noun& noun) {
  std::vector<const Adjective*> found;
  for (std::span<const Adjective> entries : {adjectives(), animal_adjectives(), way_adjectives()}) {
    collect(entries, false, noun.kinds, found);
  }
  return found;
}

}  // namespace heed::data::toy
