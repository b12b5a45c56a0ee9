// The results of a league: one row for each variant, architecture, task and seed. Rows are a file (league.json), a
// table of the terminal and a page, and the results that come with heed are read as the results of your own.
//
//   Results all = read_results("out/league/league.json");
//   for (const std::string& line : table_of(all.rows, io::console(1))) fmt::print("{}\n", line);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/io/console.h"
#include "nn/io/json.h"

namespace heed::league {

// A variant in one architecture: an option of heed train (`option`) and its value (`text`). Both are empty for a
// variant that needs no option.
struct Entrant {
  std::string id, name, family, architecture;
  std::string option = {}, text = {};
  bool control = false;
};

struct Sizes {  // the same for every entrant; a folder contains one league with one set of sizes
  int64_t steps = 600, batch = 32, asked = 200;
  int64_t symbols = 8;
  double budget = 0;  // maximum training time of each entrant, in seconds; 0: no limit
  bool operator==(const Sizes&) const = default;
};

struct Curve {
  std::vector<double> steps = {}, right = {};
};
struct Row {
  Entrant entrant;
  std::string task;
  uint64_t seed = 1;
  std::string refused = {};  // why it could not be trained; then nothing below is set
  int64_t parameters = 0, steps = 0;
  double loss = 0;                                                    // of the last twentieth of the steps, per symbol
  double inside = 0, inside_exact = 0, beyond = 0, beyond_exact = 0;  // %
  int64_t steps_to_90 = -1;                           // first measured step with 90 % of the positions right; -1: never
  double microseconds = 0, bytes = 0, work = 0;       // of one training step: median, peak of live bytes, multiply-adds
  double work_slope = 0, time_slope = 0;              // exponents of the length, of attention alone; 0: none measured
  Curve curve = {};                                   // empty, as are the weights, for all seeds but the first
  std::vector<std::string> source = {}, target = {};  // of the sentence below
  std::vector<double> weights = {};                   // [target and </s>, source and </s>]; empty: no weights
};

struct Results {
  Sizes sizes = {};
  std::vector<Row> rows = {};
};
// copy, reverse, sort, recall, selective-copy, translate.
const std::vector<std::string>& league_tasks();
// The key of a row: two rows of a file must not share one.
std::string key_of(const std::string& task, const Entrant& entrant, uint64_t seed);
void set_entrant(io::Json& row, const Entrant& entrant);
Entrant entrant_from(const io::Json& row);                              // InputError for an id that the catalogue lacks
std::string without(const std::string& path, const std::string& what);  // an error's text without the path before it
// {"program", "sizes", "rows"}, a line for each row. InputError, which names the file and the row (from 1), if
// something is missing, unknown, out of range or there twice.
Results read_results(const std::string& path);
void write_results(const std::string& path, const Results& results);
io::Json to_json(const Sizes& sizes);
std::string in_words(const Sizes& sizes);  // "600 steps of 32 sequences"

// The results that come with heed, tutorials/league/recorded/*.json: those of copy, reverse and recall, then those of
// the translation. Empty if the source tree is gone.
std::vector<Results> recorded_results(const std::string& root);
// Why a variant translates less than 95 % of the unseen sentences: recorded/held_back.txt, by id.
std::map<std::string, std::string> recorded_reasons(const std::string& root);

// The seeds of one entrant on one task.
struct Seeds {
  std::vector<const Row*> rows = {};  // at least one
  const Row& first() const { return *rows.front(); }
  double mean(double Row::*what) const;
  std::string with_spread(double Row::*what) const;  // "97.2 (96.1 to 98.3)"
  int64_t steps_to_90() const;                       // of the slowest; -1 if one of them never came there
};
std::string who(const Entrant& entrant);                          // "additive, transformer"
std::vector<std::string> tasks_in(const std::vector<Row>& rows);  // in their order
std::vector<Seeds> by_entrant(const std::vector<Row>& rows,
                              const std::string& task);  // best first; without refused ones

// The table of the terminal, the means of the seeds. The order does not depend on times.
std::vector<std::string> table_of(const std::vector<Row>& rows, const io::Console& console);
// "Trained for fewer than 60 steps, .."; empty if no row was.
std::string cut_short(const std::vector<Row>& rows, const Sizes& sizes);
// The results of one entry of the catalogue, one line per architecture: "transformer: copy 99.8 %, ..".
std::vector<std::string> lines_about(const std::string& id, const std::vector<Results>& results);

}  // namespace heed::league
