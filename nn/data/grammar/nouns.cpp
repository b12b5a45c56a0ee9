// The nouns of the toy grammar. Columns: English, English plural, French, French plural, gender, kinds.
#include <fmt/format.h>

#include "nn/data/grammar/lexicon.h"
#include "tensor/error.h"

namespace heed::data::toy {
namespace {
using namespace kind;
constexpr Gender m = Gender::masculine, f = Gender::feminine;

// clang-format off
const Noun noun_table[] = {
    // people
    {"man", "men", "homme", "hommes", m, person | folk | adult},
    {"woman", "women", "femme", "femmes", f, person | folk | adult},
    {"boy", "boys", "garçon", "garçons", m, person | folk},
    {"girl", "girls", "fille", "filles", f, person | folk},
    {"child", "children", "enfant", "enfants", m, person | folk},
    {"king", "kings", "roi", "rois", m, person | folk},
    {"queen", "queens", "reine", "reines", f, person | folk},
    {"father", "", "père", "", m, person | folk | adult | kin},
    {"mother", "", "mère", "", f, person | folk | adult | kin},
    {"brother", "brothers", "frère", "frères", m, person | folk | adult | kin},
    {"sister", "sisters", "sœur", "sœurs", f, person | folk | adult | kin},
    {"uncle", "uncles", "oncle", "oncles", m, person | folk | adult | kin},
    {"aunt", "aunts", "tante", "tantes", f, person | folk | adult | kin},
    {"friend", "friends", "ami", "amis", m, person | folk | adult | kin},
    {"neighbour", "neighbours", "voisin", "voisins", m, person | folk | adult | kin},
    // professions, with the feminine form for "she is a student" -> "elle est étudiante"
    {"student", "students", "étudiant", "étudiants", m, person | profession, "étudiante"},
    {"teacher", "teachers", "professeur", "professeurs", m, person | profession, "professeure"},
    {"doctor", "doctors", "médecin", "médecins", m, person | profession, "médecin"},
    {"baker", "bakers", "boulanger", "boulangers", m, person | profession, "boulangère"},
    {"farmer", "farmers", "fermier", "fermiers", m, person | profession, "fermière"},
    {"singer", "singers", "chanteur", "chanteurs", m, person | profession, "chanteuse"},
    {"lawyer", "lawyers", "avocat", "avocats", m, person | profession, "avocate"},
    {"nurse", "nurses", "infirmier", "infirmiers", m, person | profession, "infirmière"},
    {"engineer", "engineers", "ingénieur", "ingénieurs", m, person | profession, "ingénieure"},
    {"artist", "artists", "artiste", "artistes", m, person | profession, "artiste"},
    {"president", "", "président", "", m, officer},
    {"minister", "", "ministre", "", m, officer},
    // animals; the pronoun family uses the first six masculine and the six feminine ones
    {"animal", "animals", "animal", "animaux", m, animal},
    {"cat", "cats", "chat", "chats", m, animal},
    {"dog", "dogs", "chien", "chiens", m, animal},
    {"horse", "horses", "cheval", "chevaux", m, animal},
    {"tiger", "tigers", "tigre", "tigres", m, animal},
    {"elephant", "elephants", "éléphant", "éléphants", m, animal},
    {"mouse", "mice", "souris", "souris", f, animal},
    {"cow", "cows", "vache", "vaches", f, animal},
    {"goat", "goats", "chèvre", "chèvres", f, animal},
    {"turtle", "turtles", "tortue", "tortues", f, animal},
    {"giraffe", "giraffes", "girafe", "girafes", f, animal},
    {"hen", "hens", "poule", "poules", f, animal},
    {"bird", "birds", "oiseau", "oiseaux", m, animal},
    {"owl", "owls", "hibou", "hiboux", m, animal},
    // furniture
    {"table", "tables", "table", "tables", f, furniture | surface},
    {"chair", "chairs", "chaise", "chaises", f, furniture | surface},
    {"bed", "beds", "lit", "lits", m, furniture | surface},
    {"desk", "desks", "bureau", "bureaux", m, furniture | surface},
    {"armchair", "armchairs", "fauteuil", "fauteuils", m, furniture},
    {"lamp", "lamps", "lampe", "lampes", f, furniture},
    {"carpet", "carpets", "tapis", "tapis", m, furniture},
    {"mirror", "mirrors", "miroir", "miroirs", m, furniture},
    {"wardrobe", "wardrobes", "armoire", "armoires", f, furniture},
    // food and drink
    {"apple", "apples", "pomme", "pommes", f, food | dish},
    {"potato", "potatoes", "pomme de terre", "pommes de terre", f, food | dish | cookable},
    {"egg", "eggs", "œuf", "œufs", m, food | dish | cookable},
    {"cake", "cakes", "gâteau", "gâteaux", m, food | dish},
    {"carrot", "carrots", "carotte", "carottes", f, food | dish | cookable},
    {"tomato", "tomatoes", "tomate", "tomates", f, food | dish | cookable},
    {"ice cream", "ice creams", "glace", "glaces", f, food | dish},
    {"bread", "", "pain", "", m, food | mass},
    {"cheese", "", "fromage", "", m, food | mass},
    {"meat", "", "viande", "", f, food | cookable | mass},
    {"rice", "", "riz", "", m, food | cookable | mass},
    {"water", "", "eau", "", f, drink | mass},
    {"milk", "", "lait", "", m, drink | mass},
    {"coffee", "", "café", "", m, drink | mass},
    {"tea", "", "thé", "", m, drink | mass},
    // texts, vehicles, clothes, machines
    {"book", "books", "livre", "livres", m, text | written},
    {"letter", "letters", "lettre", "lettres", f, text | written},
    {"story", "stories", "histoire", "histoires", f, text | written},
    {"newspaper", "newspapers", "journal", "journaux", m, text},
    {"car", "cars", "voiture", "voitures", f, vehicle},
    {"bicycle", "bicycles", "vélo", "vélos", m, vehicle},
    {"boat", "boats", "bateau", "bateaux", m, vehicle},
    {"train", "trains", "train", "trains", m, vehicle},
    {"plane", "planes", "avion", "avions", m, vehicle},
    {"dress", "dresses", "robe", "robes", f, garment},
    {"hat", "hats", "chapeau", "chapeaux", m, garment},
    {"coat", "coats", "manteau", "manteaux", m, garment},
    {"shirt", "shirts", "chemise", "chemises", f, garment},
    {"machine", "machines", "machine", "machines", f, machine},
    {"robot", "robots", "robot", "robots", m, machine},
    {"computer", "computers", "ordinateur", "ordinateurs", m, machine},
    {"doll", "dolls", "poupée", "poupées", f, machine},
    // places
    {"house", "houses", "maison", "maisons", f, building | goal},
    {"school", "schools", "école", "écoles", f, building | goal},
    {"church", "churches", "église", "églises", f, building | goal},
    {"castle", "castles", "château", "châteaux", m, building | goal},
    {"museum", "museums", "musée", "musées", m, building | goal},
    {"hospital", "hospitals", "hôpital", "hôpitaux", m, building | goal},
    {"train station", "", "gare", "", f, building | goal},
    {"market", "", "marché", "", m, body | goal},
    {"village", "", "village", "", m, outdoors | goal},
    {"garden", "", "jardin", "", m, outdoors | room | dining},
    {"kitchen", "", "cuisine", "", f, room | dining},
    {"bedroom", "", "chambre", "", f, room},
    {"bathroom", "", "salle de bain", "", f, room},
    {"door", "doors", "porte", "portes", f, part},
    {"window", "windows", "fenêtre", "fenêtres", f, part},
    {"roof", "roofs", "toit", "toits", m, part},
    {"key", "keys", "clé", "clés", f, part},
    // ways: four of each gender, for the pronoun family
    {"bridge", "", "pont", "", m, way},
    {"path", "", "chemin", "", m, way},
    {"tunnel", "", "tunnel", "", m, way},
    {"boulevard", "", "boulevard", "", m, way},
    {"street", "", "rue", "", f, way},
    {"road", "", "route", "", f, way},
    {"avenue", "", "avenue", "", f, way},
    {"alley", "", "allée", "", f, way},
    // treaties and what they are about
    {"agreement", "agreements", "accord", "accords", m, act},
    {"treaty", "treaties", "traité", "traités", m, act},
    {"report", "reports", "rapport", "rapports", m, act},
    {"law", "laws", "loi", "lois", f, act},
    {"decision", "decisions", "décision", "décisions", f, act},
    {"area", "", "zone", "", f, body},
    {"union", "", "union", "", f, body},
    {"community", "", "communauté", "", f, body},
    {"council", "", "conseil", "", m, body},
};
// clang-format on

}  // namespace

std::span<const Noun> nouns() { return noun_table; }

const Noun& noun(std::string_view english) {
  for (const Noun& entry : noun_table) {
    if (english == entry.english) return entry;
  }
  throw ValueError(fmt::format("toy lexicon: the noun must be in the table; got \"{}\"", english));
}

std::vector<const Noun*> nouns_of(Kinds any) {
  std::vector<const Noun*> found;
  for (const Noun& entry : noun_table) {
    if (entry.kinds & any) found.push_back(&entry);
  }
  return found;
}

}  // namespace heed::data::toy
