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
// Every row is written to league.json as soon as it is measured (results/rows.h), so a league can be stopped, resumed
// and given more variants. recorded/ contains the league of all variants, which takes hours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/data/tasks/tasks.h"
#include "tutorials/app/train_options.h"
#include "tutorials/league/results/rows.h"

namespace heed::league {

struct LeagueTask {
  std::string name;
  data::Task task;                        // validation: the lengths of training
  std::vector<data::AlignedPair> beyond;  // longer sequences; for the translation, unseen combinations of words
  std::string inside_name, beyond_name;   // "3 to 8 symbols"
};
// One of league_tasks(). ValueError for another name.
LeagueTask league_task(const std::string& name, const Sizes& sizes, uint64_t seed);

// All controls, and the entries of the catalogue that `variants` lists: ids, names, families or "all", separated by
// commas. `architecture`: seq2seq, transformer or both. InputError for an unknown name.
std::vector<Entrant> entrants(const std::string& variants, const std::string& architecture);
// The options of an entrant's model: those of its architecture's baseline, changed until it has as many parameters as
// that baseline, as nearly as possible (word vectors of a seq2seq, feed-forward width of a transformer).
// InputError, one sentence, if the variant cannot be combined with this architecture.
app::TrainOptions league_model(const Entrant& entrant, const LeagueTask& task);
int64_t league_parameters(const app::TrainOptions& options, const LeagueTask& task);

// Trains and measures one entrant. `step` is called after each training step, and returns whether to go on. The row of
// a run that was stopped is incomplete and must not be used.
Row compete(const Entrant& entrant, const LeagueTask& task, const Sizes& sizes, uint64_t seed,
            const std::function<bool(double loss)>& step);

struct LeagueCommand {
  std::string tasks = "copy", variants = "all", architecture = "both", out = "out/league";
  Sizes sizes;
  int64_t seed = 1, seeds = 1;
};
// "copy,sort" or "all", each task once. InputError for an unknown name.
std::vector<std::string> tasks_of(const std::string& list, const std::vector<std::string>& known = league_tasks());
void print_table(const std::vector<Row>& rows, const Sizes& sizes);  // with its legend
// Trains and measures all that league.json in the folder lacks. Returns the exit code: 0, or 130 if it was interrupted.
int run_league(const LeagueCommand& command);

}  // namespace heed::league
