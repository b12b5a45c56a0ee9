// What variants of attention can do (heed attention --compare --abilities): rows, verdicts, models, a short training.
#include "tutorials/league/abilities.h"

#include <fmt/format.h>

#include <filesystem>

#include "nn/io/file.h"
#include "nn/transformer/language_model.h"
#include "tests/nn/support.h"
#include "tutorials/league/league.h"
#include "tutorials/league/results/pattern.h"

using namespace heed;
using namespace heed::league;
using bad_input::message_of;

namespace {

AbilityRow row_of(uint64_t seed, double inside, double beyond, int64_t to_95) {
  return {.entrant = {"A1", "dot", "scores", "transformer", "score", "dot"},
          .task = "copy",
          .seed = seed,
          .parameters = 7,
          .steps = 100,
          .to_95 = to_95,
          .bytes = 64,
          .work = 9,
          .sizes = {16, 32, 64},
          .right = {inside, beyond, beyond},
          .exact = {1, 2, 3}};
}
AbilitySeeds seeds_of(const std::vector<AbilityRow>& rows) {
  AbilitySeeds seeds;
  for (const AbilityRow& r : rows) seeds.rows.push_back(&r);
  return seeds;
}

}  // namespace

TEST_CASE("abilities: a verdict is that of the median seed, and of half of the steps") {
  const AbilitySizes sizes{.steps = 100};
  const std::vector<AbilityRow> three{row_of(1, 99, 96, 50), row_of(2, 20, 10, -1), row_of(3, 97.6, 95, 40)};
  AbilitySeeds seeds = seeds_of(three);
  CHECK(seeds.right(0) == 97.6);
  CHECK(seeds.to_95() == 50);
  CHECK(seeds.verdict(sizes) == "learns");
  CHECK(seeds.stretch() == 4);
  CHECK(seeds.cell(sizes) == "learns 97 x4");
  CHECK(seeds.short_cell(sizes) == "+97x4");
  const std::vector<AbilityRow> late{row_of(1, 95, 94, 60), row_of(2, 95, 94, 51), row_of(3, 100, 100, 40)};
  CHECK(seeds_of(late).cell(sizes) == "slowly 95");
  const std::vector<AbilityRow> not_so{row_of(1, 94.9, 94, 30), row_of(2, 94.9, 94, 30), row_of(3, 100, 100, 40)};
  CHECK(seeds_of(not_so).cell(sizes) == "cannot 94");  // 95 was reached on the way, and lost
}

TEST_CASE(
    "abilities: in a terminal of 80 columns nine tasks are two tables, with the names of variants and tasks whole") {
  std::vector<AbilityRow> rows;
  for (const std::string& task : data::ability_names()) {
    rows.push_back(row_of(1, 100, 100, 50));
    rows.back().task = task, rows.back().entrant.name = "stick_breaking", rows.back().entrant.id = "B13";
  }
  rows.push_back(rows.front());
  rows.back().entrant.name = "alibi", rows.back().entrant.id = "F7";  // of the first table alone
  std::string all;
  for (const std::string& line : ability_table({{.steps = 100}, rows}, {})) all += line + "\n";
  for (const std::string& task : data::ability_names()) CHECK(all.find(task) != std::string::npos);
  const size_t first = all.find("stick_breaking"), second = all.find("stick_breaking", first + 1);
  REQUIRE(second != std::string::npos);
  CHECK(all.find("F7 alibi", first) < second);
  CHECK(all.find("F7 alibi", second) == std::string::npos);
}

TEST_CASE("abilities: rows are written and read again, and a damaged row is refused by its number") {
  AbilityResults results{{.steps = 100}, {row_of(1, 99, 96, 50), row_of(2, 20, 10, -1)}};
  results.rows.push_back({.entrant = results.rows[0].entrant, .task = "parity", .refused = "cannot be"});
  const std::string path = (std::filesystem::temp_directory_path() / "heed_abilities.json").string();
  write_abilities(path, results);
  const AbilityResults again = read_abilities(path);
  CHECK(again.sizes == results.sizes);
  REQUIRE(again.rows.size() == 3);
  CHECK(again.rows[1].right == results.rows[1].right);
  CHECK(again.rows[1].to_95 == -1);
  CHECK(again.rows[2].refused == "cannot be");
  const std::string text = io::read_file(path);
  for (const std::array<const char*, 3>& edit :
       {std::array{"\"copy\",\"seed\":2", "\"copy\",\"seed\":1", "row 2"},
        std::array{"\"parity\"", "\"swimming\"", "row 3"}, std::array{"\"A1\"", "\"A99\"", "row 1"},
        std::array{"\"steps\":100", "\"steps\":0", "sizes"}, std::array{"[99.0,", "[199,", "row 1"},
        std::array{"\"trained\":1", "\"trained\":4", "row 1"}}) {
    const char *from = edit[0], *to = edit[1], *said = edit[2];
    CAPTURE(from);
    std::string damaged = text;
    const size_t at = damaged.find(from);
    REQUIRE(at != std::string::npos);
    io::atomic_write(path, damaged.replace(at, std::string(from).size(), to));
    CHECK(message_of<InputError>([&] { read_abilities(path); }).find(said) != std::string::npos);
  }
  std::filesystem::remove(path);
}

TEST_CASE("abilities: a statement is shown by the rows that agree with it, and by no others") {
  std::vector<AbilityRow> rows{row_of(1, 99, 96, 50), row_of(1, 99, 80, 50), row_of(1, 60, 50, -1)};
  const std::vector<std::string> names{"path", "rwkv7", "softmax"};
  for (size_t i = 0; i < 3; ++i) rows[i].task = "parity", rows[i].entrant.id = "", rows[i].entrant.name = names[i];
  int found = 0;
  for (const Answer& a : answers({{.steps = 100}, rows})) {
    if (a.statement->wanted == Statement::beyond && a.statement->variants.size() > 1) {
      CHECK(a.shown == std::vector<std::string>{"path 96"});
      CHECK(a.not_shown == std::vector<std::string>{"rwkv7 80"});
      ++found;
    } else if (a.statement->wanted == Statement::cannot && !a.shown.empty()) {
      CHECK(a.shown == std::vector<std::string>{"softmax 60"});
      ++found;
    }
  }
  CHECK(found == 2);
  const std::vector<Entrant> ideas = ability_entrants("ideas");
  CHECK(std::count_if(ideas.begin(), ideas.end(), [](const Entrant& e) { return !e.control; }) == 40);
  for (const Statement& s : statements())
    for (const std::string& name : s.variants) {
      CAPTURE(name);
      CHECK(std::count_if(ideas.begin(), ideas.end(), [&](const Entrant& e) { return e.name == name; }) == 1);
    }
}

TEST_CASE("abilities: every variant has a model of equal size, or a reason") {
  const nn::TransformerOptions plain = ability_model({"B1", "softmax", "", "transformer"}, 20);
  const auto size = [](const nn::TransformerOptions& o) {
    Generator unused(1);
    nn::LanguageModel model(o, unused);
    return static_cast<double>(nn::count_parameters(model));
  };
  int models = 0, reasons = 0;
  std::string unequal;
  for (const Entrant& e : entrants("all", "transformer")) {
    CAPTURE(e.name);
    try {
      const double ratio = size(ability_model(e, 20)) / size(plain);
      ++models;
      if (std::abs(ratio - 1) > 0.05) unequal += fmt::format(" {} {:.2f}", e.name, ratio);
    } catch (const InputError& error) {
      ++reasons;
      CHECK(std::string(error.what()).size() > 20);
    }
  }
  MESSAGE(models << " models, " << reasons << " reasons; more than 5 % larger or smaller:" << unequal);
  CHECK(models >= 100);
}

TEST_CASE("abilities: softmax attention learns to copy a few symbols, equal weights do not") {
  const data::AbilityTask task = data::ability("copy", {.symbols = 4, .longest = 4});
  const AbilitySizes sizes{.steps = 200, .batch = 32, .asked = 50, .symbols = 4};
  double right[2];
  for (int i = 0; i < 2; ++i) {
    const Entrant e = i == 0 ? Entrant{"B1", "softmax", "", "transformer", "normaliser", "softmax"}
                             : Entrant{"-", "even", "controls", "transformer", "normaliser", "even", true};
    const AbilityRow row = measure_ability(e, task, sizes, 1);
    CAPTURE(row.refused);
    REQUIRE(row.right.size() == 4);
    right[i] = row.right[0];
    CHECK(row.trained == 1);
    CHECK(row.bytes == 2 * 2 * 256 * 32 * 4);  // keys and values of two layers
    CHECK(row.work > 0);
  }
  MESSAGE("right: " << right[0] << " and " << right[1] << " %");
  CHECK(right[0] > 90);
  CHECK(right[1] < 70);
}
