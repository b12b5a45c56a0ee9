// Every property of every entry of the catalogue; and that the catalogue says what the code can do, no more, no less.
#include "nn/catalogue/catalogue.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "nn/attention/pipeline.h"
#include "tests/nn/attention/gradients_of_module.h"
#include "tests/nn/attention/subject.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::nn_test;
using nn::CatalogueEntry;
using nn::Kind;

namespace {

// Those of the test cases that hold a property, too: each runs once, whatever the number of entries that have it.
std::map<std::string, std::vector<Check>> all_checks() {
  std::map<std::string, std::vector<Check>> all = checks();
  for (const auto& [property, run] : test_cases_that_hold())
    all[property].emplace_back([run = run, done = false](const CatalogueEntry&) mutable {
      if (!std::exchange(done, true)) run();
    });
  return all;
}

// The words of "there are a, b, c" in what a maker says to a name that it does not know.
std::set<std::string> known_to(const std::string& sentence) {
  std::string list = sentence.substr(sentence.find("there are ") + 10);
  std::set<std::string> out;
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(", ", at), list.size());
    out.insert(list.substr(at, end - at));
    at = end + 2;
  }
  return out;
}

}  // namespace

TEST_CASE("catalogue: every entry holds every property of its kind, but for those it is exempt from, and its own") {
  auto all = all_checks();
  // Under a sanitizer, which looks at addresses and not at numbers, each entry has a third of its properties, and each
  // property a third of its entries.
  size_t first = 0, of = 1;
#ifdef HEED_SANITIZED
  of = 3;
#endif
  for (const CatalogueEntry& entry : nn::catalogue()) {
    size_t turn = first++;
    for (const std::string& property : nn::properties_of(entry)) {
      if (turn++ % of != 0) continue;
      if (property == "gradient") continue;                                                     // below: another suite
      if (const char* only = std::getenv("HEED_PROPERTY"); only && property != only) continue;  // mutation/run.sh
      std::string where = entry.id + " " + entry.name + ": " + property;
      CAPTURE(where);
      REQUIRE_MESSAGE(all.contains(property), "a property without a test");
      for (const Check& check : all[property]) check(entry);
    }
  }
}

TEST_CASE("catalogue: entries are complete, and exempt from nothing that does not exist") {
  std::set<std::string> ids, names;
  for (const CatalogueEntry& entry : nn::catalogue()) {
    CAPTURE(entry.id);
    CHECK(ids.insert(entry.id).second);
    CHECK(names.insert(entry.name).second);
    for (const std::string& text : {entry.id, entry.name, entry.family, entry.formula, entry.paper, entry.shapes,
                                    entry.cost, nn::name_of(entry.kind)})
      CHECK_FALSE(text.empty());
    CHECK((entry.year >= 1964 && entry.year <= 2026));
    CHECK((entry.tier >= 1 && entry.tier <= 4));
    CHECK_FALSE(entry.own.empty());
    CHECK((entry.picture != nullptr) == (entry.kind == Kind::scope));
    const std::vector<std::string>& of_kind = nn::properties_of(entry.kind);
    std::set<std::string> once(of_kind.begin(), of_kind.end());
    for (const std::string& property : entry.own) CHECK_MESSAGE(once.insert(property).second, property << " twice");
    for (const auto& exempt : entry.exempt) {
      const std::string& property = exempt.first;
      CHECK_MESSAGE(std::count(of_kind.begin(), of_kind.end(), property) == 1, "exempt from unknown " << property);
      CHECK_FALSE(exempt.second.empty());
    }
    if (std::count(of_kind.begin(), of_kind.end(), "masked_keys_are_absent") == 1) CHECK(bool(subject_of(entry)));
    std::vector<std::string> held = nn::properties_of(entry);
    CHECK(nn::case_row(entry).empty() == (std::count(held.begin(), held.end(), "gradient") == 0));
  }
  CHECK(nn::catalogue().size() >= 140);
}

TEST_CASE("catalogue: every id of the plan has an entry") {
  const std::map<char, int> last{{'A', 17}, {'B', 15}, {'C', 18}, {'D', 11}, {'E', 26}, {'F', 14}, {'G', 24},
                                 {'H', 11}, {'I', 11}, {'J', 29}, {'K', 16}, {'L', 13}, {'M', 15}};
  std::set<std::string> there{"K11", "K14"};           // H2O and StreamingLLM came before, as G4c and G4b
  for (const CatalogueEntry& entry : nn::catalogue())  // A14b is a second entry of A14
    there.insert(entry.id.substr(0, entry.id.find_last_of("0123456789") + 1));
  int planned = 0;
  for (auto [letter, count] : last)
    for (int i = 1; i <= count; ++i, ++planned) {
      std::string id = letter + std::to_string(i);
      CAPTURE(id);
      CHECK(there.contains(id));
    }
  CHECK(planned == 147 + 73);
}

TEST_CASE("catalogue: every check belongs to an entry") {
  std::set<std::string> used;
  for (const CatalogueEntry& entry : nn::catalogue())
    for (const std::string& property : nn::properties_of(entry)) used.insert(property);
  for (const auto& check : all_checks())
    CHECK_MESSAGE(used.contains(check.first), check.first << " is never asked for");
}

TEST_CASE("catalogue: every property has a planted fault that it must report, and every name there is a property") {
  std::ifstream list(source_dir() + "/tests/mutation/faults.txt");
  std::set<std::string> used, proved;
  for (const CatalogueEntry& entry : nn::catalogue())
    for (const std::string& property : nn::properties_of(entry)) used.insert(property);
  for (std::string line; std::getline(list, line);) {
    size_t kind = line.find(": ");  // kind: properties, or test_x: a test
    if (kind == std::string::npos || line.find_first_of("#<>=") == 0) continue;
    std::istringstream who(line.substr(kind + 2));
    for (std::string property; who >> property && !property.starts_with("test_");) proved.insert(property);
  }
  for (const std::string& property : used) CHECK_MESSAGE(proved.contains(property), property << " has no fault");
  for (const std::string& property : proved) CHECK_MESSAGE(used.contains(property), property << " is no property");
}

TEST_CASE("trap 21, a catalogue that claims what the code lacks: names are those that can be built") {
  Generator rng(1);
  auto listed = [](Kind kind, const std::string& but) {
    std::set<std::string> out;
    for (const CatalogueEntry& entry : nn::catalogue())
      if (entry.kind == kind && entry.name != but) out.insert(entry.name);
    return out;
  };
  CHECK(listed(Kind::score, "") == known_to(message_of<ValueError>([&] { nn::make_score({.name = "?"}, rng); })));
  CHECK(listed(Kind::scope, "padding") ==  // the padding is not chosen, it comes with the lengths
        known_to(message_of<ValueError>([&] { nn::make_scope({.name = "?"}, rng); })));
  CHECK(listed(Kind::normaliser, "") ==
        known_to(message_of<ValueError>([&] { nn::make_normaliser({.name = "?"}, rng); })));
  for (const CatalogueEntry& entry : nn::catalogue()) {
    CAPTURE(entry.id);
    if (entry.kind == Kind::score) CHECK(entry.options.score.name == entry.name);
    if (entry.kind == Kind::normaliser) CHECK(entry.options.normaliser.name == entry.name);
    if (entry.kind == Kind::scope && entry.name != "padding") CHECK(entry.options.scope.name == entry.name);
  }
}

TEST_CASE("catalogue: an entry is found by its id or its name, whatever it is exempt from is not a property") {
  CHECK(nn::catalogue_entry("A5").name == "additive");
  CHECK(&nn::catalogue_entry("additive") == &nn::catalogue_entry("A5"));
  std::vector<std::string> held = nn::properties_of(nn::catalogue_entry("A8"));
  CHECK(std::count(held.begin(), held.end(), "weights_depend_on_keys") == 0);
  CHECK(std::count(held.begin(), held.end(), "keys_are_not_read") == 1);
  CHECK(nn::name_of(Kind::training_rule) == "training rule");
}

// The one walk over the modules of the case table; autograd.gradcheck walks its operations.
TEST_SUITE("gradcheck") {
  TEST_CASE("case table: modules, first and second order") {
    double first = 0, second = 0;
    for (const CaseRow& row : module_cases()) {
      const RowReport& report = *gradients_of_module(row.name);
      REQUIRE(report.cases.size() == row.cases.size());
      for (const CaseReport& r : report.cases) {
        CHECK_MESSAGE(r.first.passed, row.name << " " << r.at->label << ": " << to_string(r.first));
        CHECK_MESSAGE(r.second.passed, row.name << " " << r.at->label << ", second order: " << to_string(r.second));
      }
      CHECK(report.passed);
      first = std::max(first, report.worst_first);
      second = std::max(second, report.worst_second);
    }
    CHECK(first <= kFirstOrderTolerance);
    CHECK(second <= kSecondOrderTolerance);
    MESSAGE(fmt::format("worst relative error: first order {:.1e}, second order {:.1e}", first, second));
  }

  TEST_CASE("catalogue: the gradient of every entry") {
    const auto all = all_checks();
    for (const CatalogueEntry& entry : nn::catalogue()) {
      std::vector<std::string> held = nn::properties_of(entry);
      CAPTURE(entry.id);
      if (std::count(held.begin(), held.end(), "gradient"))
        for (const Check& check : all.at("gradient")) check(entry);
    }
  }
}
