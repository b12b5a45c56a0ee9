// The league: every variant of attention that can be trained, on the same task with the same data, seed, number of
// steps and (nearly) number of parameters. `heed attention --compare` runs it.
//
//   train     a small encoder-decoder, teacher forcing, Adam, gradients clipped at 1; the learning rate rises for a
//             twentieth of the steps and then falls to 0 in a straight line
//   test      greedy decoding of new sequences, at the lengths of training and at longer ones; a position is right if
//             it has the right symbol, a sequence is exact if all of its positions are right and it ends in time
//   controls  no attention (one fixed vector; recurrent models only), equal weights for all keys (`even`), and weights
//             that are moved to other keys (`shuffled`): a variant that is no better has no use for its weights
//
// Every row is written to league.json as soon as it is measured, so a league can be stopped, resumed and given more
// variants. Times are measured and shown, but the order of the table does not depend on them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/data/tasks/tasks.h"
#include "nn/io/json.h"
#include "tutorials/app/train_options.h"

namespace heed::app {

// A variant in one architecture: an option of heed train (`option`) and its value (`text`). Both are empty for a
// variant that needs no option.
struct Entrant {
  std::string id, name, family, architecture;
  std::string option = {}, text = {};
  bool control = false;
};

struct LeagueSizes {  // the same for every entrant; a folder contains one league with one set of sizes
  int64_t steps = 600, batch = 32, asked = 200;
  int64_t symbols = 8;
  double budget = 0;  // maximum training time of each entrant, in seconds; 0: no limit
  bool operator==(const LeagueSizes&) const = default;
};

struct LeagueTask {
  std::string name;
  data::Task task;                        // validation: the lengths of training
  std::vector<data::AlignedPair> beyond;  // longer ones; of the translation, unseen combinations of words
  std::string inside_name, beyond_name;   // "3 to 8 symbols"
};
// copy, reverse, sort, recall, selective-copy, translate. ValueError for another name.
const std::vector<std::string>& league_tasks();
LeagueTask league_task(const std::string& name, const LeagueSizes& sizes, uint64_t seed);

// All controls, and the entries of the catalogue that `variants` lists: ids, names, families or "all", separated by
// commas. `architecture`: seq2seq, transformer or both. InputError for an unknown name.
std::vector<Entrant> entrants(const std::string& variants, const std::string& architecture);
// The options of an entrant's model: those of its architecture's baseline, changed until it has as many parameters as
// that baseline, as nearly as possible (word vectors of a seq2seq, feed-forward width of a transformer).
// InputError, one sentence, if the variant cannot be combined with this architecture.
TrainOptions league_model(const Entrant& entrant, const LeagueTask& task);
int64_t league_parameters(const TrainOptions& options, const LeagueTask& task);

struct Curve {
  std::vector<double> steps = {}, right = {};
};
struct LeagueRow {
  Entrant entrant;
  std::string task;
  uint64_t seed = 1;
  std::string refused = {};  // why it could not be trained; then nothing below is set
  int64_t parameters = 0, steps = 0;
  double loss = 0;                                                    // of the last twentieth of the steps, per symbol
  double inside = 0, inside_exact = 0, beyond = 0, beyond_exact = 0;  // %
  int64_t steps_to_90 = -1;                      // first measured step with 90 % of the positions right; -1: never
  double microseconds = 0, bytes = 0, work = 0;  // of one training step: median, peak of live bytes, multiply-adds
  double work_slope = 0, time_slope = 0;         // exponents of the length, of attention alone; 0: none measured
  Curve curve = {};
  std::vector<std::string> source = {}, target = {};  // of the sentence below
  std::vector<double> weights = {};                   // [target and </s>, source and </s>]; empty: no weights
};
io::Json to_json(const LeagueRow& row);
LeagueRow league_row_from(const io::Json& json);

// Trains and measures one entrant. `step` is called after each training step, and returns whether to go on. The row of
// a run that was stopped is incomplete and must not be used.
LeagueRow compete(const Entrant& entrant, const LeagueTask& task, const LeagueSizes& sizes, uint64_t seed,
                  const std::function<bool(double loss)>& step);

// The table of the terminal, best first, and the page.
std::vector<std::string> league_table(const std::vector<LeagueRow>& rows);
void write_league_page(const std::string& path, const std::vector<LeagueRow>& rows, const LeagueSizes& sizes,
                       const std::string& title);

struct LeagueCommand {
  std::string tasks = "copy", variants = "all", architecture = "both", out = "out/league";
  LeagueSizes sizes;
  int64_t seed = 1, seeds = 1;
};
// Everything that league.json of the folder lacks. Returns the exit code: 0, or 130 if it was interrupted.
int run_league(const LeagueCommand& command);

}  // namespace heed::app
