// What variants of attention can do: each stands in one small causal model, which is trained on the tasks of
// nn/data/tasks/abilities.h. Rows are a file, a table of the terminal and a page, as those of the league (rows.h).
#pragma once

#include "tutorials/league/results/rows.h"
#include "tutorials/report/report.h"

namespace heed::league {

constexpr double kRight = 95;  // % of the answers, from which on a task counts as learned

struct AbilitySizes {  // the same for every entrant
  int64_t steps = 3000, batch = 32, asked = 100;
  int64_t symbols = 16;
  bool operator==(const AbilitySizes&) const = default;
};

// One variant on one task with one seed.
struct AbilityRow {
  Entrant entrant;
  std::string task;
  uint64_t seed = 1;
  std::string refused = {};                    // why it could not be trained; then nothing below is set
  int64_t parameters = 0, steps = 0;           // fewer steps than the sizes say: it made no error any more
  int64_t to_95 = -1;                          // first measured step with 95 % of the answers right; -1: never
  double bytes = 0, work = 0;                  // kept after 256 words of one text; multiply-adds for each of them
  std::vector<double> sizes = {}, right = {};  // tested sizes, % of the answers right; those of training come first
  std::vector<double> exact = {};              // % of the sequences without an error
  int64_t trained = 1;                         // how many of the sizes occur in training
};
struct AbilityResults {
  AbilitySizes sizes = {};
  std::vector<AbilityRow> rows = {};
};

std::string key_of(const AbilityRow& row);
AbilityResults read_abilities(const std::string& path);  // errors as in read_results
void write_abilities(const std::string& path, const AbilityResults& results);
// Those that come with heed, tutorials/league/recorded/abilities.json. No rows if there are none.
AbilityResults recorded_abilities(const std::string& root);

// The seeds of one variant on one task.
struct AbilitySeeds {
  std::vector<const AbilityRow*> rows = {};  // at least one
  const AbilityRow& first() const { return *rows.front(); }
  double right(size_t size) const;  // the median of the seeds
  int64_t to_95() const;            // of the median seed; -1: never
  // learns: 95 % right at the largest size of training, and that within half of the steps;
  // slowly: within all of them; cannot: not. Of the median seed.
  std::string verdict(const AbilitySizes& sizes) const;
  std::string cell(const AbilitySizes& sizes) const;        // "learns 99 x4"
  std::string short_cell(const AbilitySizes& sizes) const;  // "+99x4"
  std::string told(const std::string& verdict, const char* gap) const;
  int64_t stretch() const;  // x4: the largest size with 95 % right, by that of training
};
std::vector<AbilitySeeds> ability_seeds(const std::vector<AbilityRow>& rows, const std::string& task);

// A line for each variant, a column for each task; and the page with the numbers behind it.
std::vector<std::string> ability_table(const AbilityResults& results, const io::Console& console);
report::Report ability_page(const AbilityResults& results, const std::string& title);

}  // namespace heed::league
