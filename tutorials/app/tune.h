// `heed train --from DIR` and `--new KIND`: a published model is trained on, or a new one begun, and saved as published
// models are, so that it opens wherever they do.
//
// clang-format off
//   heed train --from DIR --labels F --out OUT        an encoder learns to put texts into classes
//   heed train --from DIR --text F --out OUT          goes on with a text: masked or next words
//   heed train --new bert|llama --text F --out OUT    from nothing, with its own tokenizer
// clang-format on
//
//   OUT/config.json model.safetensors tokenizer.json ..   the model with the best validation, for published::open
//   OUT/adapter.safetensors                               with --lora: the adapters apart (nn/lora.h)
//   OUT/training/                                         the run: records, report, state to resume (train_loop.h)
#pragma once

#include <functional>

#include "tutorials/app/tune_setup.h"

namespace heed::app {

// A run from C++. heed generate trains so, too (writer.h).
struct TuneJob {
  TuneFiles files;
  std::string out;
  bool resume = false;   // a run that has begun in `out`, whose records have the options `options`
  bool replace = false;  // the run in `out` by this one, once it is known that this one can begin
  TuneOptions options;
  std::string command = "train";  // of heed, for the records
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

bool asks_to_tune(int argc, char** argv);  // --from, --new, or --resume with such a run in the folder
int train_published(int argc, char** argv);

}  // namespace heed::app
