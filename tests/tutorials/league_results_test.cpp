// The results of the league that come with the sources: whole, and of this program.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "nn/catalogue/catalogue.h"
#include "tests/source_dir.h"
#include "tutorials/league/league.h"
#include "tutorials/league/results/page.h"

using namespace heed;
using namespace heed::league;

namespace {

std::string key(const std::string& task, const Entrant& e) { return task + " " + e.architecture + " " + e.id; }

}  // namespace

TEST_CASE("league: a file of results is read as it was written") {
  Row trained{.entrant = {"A5", "additive", "scores", "transformer", "score", "additive"}, .task = "copy", .seed = 3};
  trained.parameters = 7, trained.steps = 20, trained.steps_to_90 = -1, trained.inside = 99.25, trained.bytes = 4096;
  trained.curve = {{10, 20}, {50, 99.25}};
  trained.source = {"a", "</s>"}, trained.target = {"</s>"}, trained.weights = {0.25, 0.75};
  Row refused{.entrant = {"F10", "none", "positions", "seq2seq", "positions", "none"}, .task = "copy"};
  refused.refused = "attention: a \"reason\"";
  const std::string path = (std::filesystem::temp_directory_path() / "heed_league_results.json").string();
  write_results(path, {{.steps = 20, .budget = 1.5}, {trained, refused}});
  const Results read = read_results(path);
  std::filesystem::remove(path);
  CHECK(read.sizes == Sizes{.steps = 20, .budget = 1.5});
  REQUIRE(read.rows.size() == 2);
  const Row& r = read.rows[0];
  CHECK(key(r.task, r.entrant) == key(trained.task, trained.entrant));
  CHECK(r.seed == 3);
  CHECK(r.inside == 99.25);
  CHECK(r.bytes == 4096);
  CHECK(r.curve.right == trained.curve.right);
  CHECK(r.weights == trained.weights);
  CHECK(r.source == trained.source);
  CHECK(read.rows[1].refused == refused.refused);
}

TEST_CASE("league: seeds are put together, the slowest of them counts") {
  std::vector<Row> rows;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    Row row{.entrant = {"A5", "additive", "scores", "seq2seq"}, .task = "copy", .seed = seed};
    row.inside = seed == 1 ? 90 : 100, row.steps_to_90 = seed == 1 ? 300 : 60;
    rows.push_back(row);
  }
  const std::vector<Seeds> all = by_entrant(rows, "copy");
  REQUIRE(all.size() == 1);
  CHECK(all[0].mean(&Row::inside) == 95);
  CHECK(all[0].with_spread(&Row::inside) == "95.0 (90.0 to 100.0)");
  CHECK(all[0].steps_to_90() == 300);
  rows[1].steps_to_90 = -1;
  CHECK(by_entrant(rows, "copy")[0].steps_to_90() == -1);
}

TEST_CASE("league: a printed mean is between its printed bounds, which differ") {
  for (const Results& some : recorded_results(source_dir()))
    for (const std::string& task : tasks_in(some.rows))
      for (const Seeds& seeds : by_entrant(some.rows, task))
        for (double Row::*what : {&Row::inside, &Row::inside_exact, &Row::beyond, &Row::beyond_exact}) {
          const std::string text = seeds.with_spread(what);
          CAPTURE(text);
          double mean = 0, low = 0, high = 0;
          if (std::sscanf(text.c_str(), "%lf (%lf to %lf)", &mean, &low, &high) != 3) continue;
          CHECK(low <= mean);
          CHECK(mean <= high);
          CHECK(low < high);
        }
}

// Families J to M came into the catalogue after the results were recorded.
static bool not_yet_recorded(const Entrant& e) { return !e.control && e.id[0] >= 'J' && e.id[0] <= 'M'; }

TEST_CASE("league: the recorded results have every variant that can be trained, three seeds of each task") {
  const std::vector<Results> all = recorded_results(source_dir());
  REQUIRE(all.size() >= 1);
  std::map<std::string, std::set<uint64_t>> seeds;
  std::set<std::string> refused, trained;
  for (const Results& some : all)
    for (const Row& r : some.rows) {
      if (r.refused.empty())
        seeds[key(r.task, r.entrant)].insert(r.seed), trained.insert(r.entrant.id);
      else
        refused.insert(key(r.task, r.entrant));
    }
  for (const Entrant& e : entrants("all", "both")) {
    if (not_yet_recorded(e)) continue;
    for (const char* task : {"copy", "reverse", "recall"}) {
      const std::string row = key(task, e);
      CAPTURE(row);
      CHECK((refused.count(row) == 1 || seeds[row] == std::set<uint64_t>{1, 2, 3}));
    }
  }
  MESSAGE(trained.size() << " variants and controls were trained");
}

TEST_CASE("league: curves of a family are drawn only where one is far from the median") {
  auto row = [](const char* name, const char* family, std::vector<double> right) {
    Row r;
    r.entrant = {.id = name, .name = name, .family = family, .architecture = "transformer"};
    r.task = "copy", r.curve = {.steps = {30, 60, 90}, .right = std::move(right)};
    return r;
  };
  Results some;
  some.rows = {row("a", "scores", {10, 50, 90}), row("b", "scores", {12, 52, 91}), row("c", "scores", {10, 20, 90}),
               row("d", "scopes", {10, 50, 90}), row("e", "scopes", {12, 60, 91}), row("f", "scopes", {10, 30, 90}),
               row("g", "poolings", {10, 50}),   row("h", "poolings", {99, 99})};
  const std::string page = page_of({some}, "A league").figures().dump();
  const size_t at = page.find("\"title\":\"copy, transformer: scores\"");
  REQUIRE(at != std::string::npos);
  const std::string panel = page.substr(at, page.find("\"title\"", at + 9) - at);
  CHECK(panel.find("one variant is 25 points or more from the median of the family's 3. The other 2 stay nearer.") !=
        std::string::npos);
  CHECK(panel.find("\"median\"") != std::string::npos);
  CHECK(panel.find("\"c\"") != std::string::npos);
  CHECK(panel.find("\"b\"") == std::string::npos);
  CHECK(page.find("copy, transformer: scopes") == std::string::npos);    // 20 points at most
  CHECK(page.find("copy, transformer: poolings") == std::string::npos);  // two have no median
}

TEST_CASE("league: most variants copy, and no control does") {
  int able = 0, all = 0;
  const std::vector<Results> results = recorded_results(source_dir());
  for (const Seeds& seeds : by_entrant(results.front().rows, "copy")) {
    const Entrant& e = seeds.first().entrant;
    CAPTURE(e.name);
    if (e.control) CHECK(seeds.mean(&Row::inside_exact) < 60);
    if (!e.control) ++all, able += seeds.mean(&Row::inside_exact) >= 95;
  }
  CHECK(able > all / 2);
}

TEST_CASE(
    "league: at least 60 variants translate 95 % of the unseen sentences, and no control; the others have a reason") {
  std::set<std::string> able, below, refused;
  const std::vector<Results> all = recorded_results(source_dir());
  for (const Results& some : all)
    for (const Row& r : some.rows) {
      if (r.task != "translate") continue;
      CAPTURE(r.entrant.name);
      if (!r.refused.empty())
        refused.insert(r.entrant.id);
      else if (r.entrant.control)
        CHECK(r.inside_exact < 60);
      else
        (r.inside_exact >= 95 ? able : below).insert(r.entrant.id);
    }
  CHECK(able.size() >= 60);
  for (const Entrant& e : entrants("all", "transformer")) {
    CAPTURE(e.id);
    if (not_yet_recorded(e)) continue;
    CHECK((e.control || able.count(e.id) + below.count(e.id) + refused.count(e.id) > 0));
  }
  const std::map<std::string, std::string> reasons = recorded_reasons(source_dir());
  for (const std::string& id : below) {
    CAPTURE(id);
    CHECK(reasons.count(id) == 1);
  }
  for (const auto& reason : reasons) {
    CAPTURE(reason.first);
    CHECK(below.count(reason.first) == 1);
  }
}

TEST_CASE("league: a recorded row is what this program measures") {
  const Sizes sizes;
  const LeagueTask task = league_task("copy", sizes, 1);
  const std::vector<Entrant> one = entrants("general", "seq2seq");
  const Row measured = compete(one.back(), task, sizes, 1, {});
  const std::vector<Results> all = recorded_results(source_dir());
  for (const Row& r : all.front().rows) {
    if (key(r.task, r.entrant) != key("copy", one.back()) || r.seed != 1) continue;
    CHECK(r.parameters == measured.parameters);
    CHECK(std::abs(r.inside - measured.inside) < 2);  // processors and compilers round differently
    CHECK(std::abs(r.work / measured.work - 1) < 1e-3);
    CHECK(std::abs(r.work_slope - measured.work_slope) < 1e-2);
    return;
  }
  FAIL("the recorded results do not have it");
}
