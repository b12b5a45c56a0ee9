// A run of `heed train --from` or `--new`, from its files and options to the folder that it leaves (tune.h lists what
// is in it). heed generate trains so, too (writer.h).
#pragma once

#include <functional>

#include "nn/ranks.h"
#include "tutorials/app/tune_setup.h"

namespace heed::app {

struct TuneJob {
  TuneFiles files;
  std::string out;
  bool resume = false;   // a run that has begun in `out`, whose records have the options `options`
  bool replace = false;  // the run in `out` by this one, once it is known that this one can begin
  TuneOptions options;
  std::string command = "train";    // of heed, for the records
  nn::Ranks* ranks = &nn::alone();  // all read the files; rank 0 writes the folder
  // After each epoch, with the lines of samples.jsonl: text to print above the progress bar, or "".
  std::function<std::string(const nn::EpochRecord&, const TuneSetup&, const io::Json& samples)> on_epoch = {};
};
struct Tuned {
  TuneSetup setup;
  std::vector<nn::EpochRecord> history;
  int64_t steps = 0;
  double seconds = 0;
  bool interrupted = false;
};
// Trains, with a progress bar on standard error, and leaves the best model in `out`. InputError for files and options
// that do not fit together, before anything is written.
Tuned tune(TuneJob& job);

// The records of the run in `out` (training/config.json); null if there is none.
io::Json begun_run(const std::string& out);
// What the run that `before` describes must keep and `now` has otherwise: {"--seed", "1", "2"}. Empty: it can go on.
std::vector<std::string> other_option(const io::Json& before, TuneOptions now);

}  // namespace heed::app
