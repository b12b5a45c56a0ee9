// A training run in its folder:
//
//   config.json           every option, the files, what was read from them, the program's version
//   metrics.jsonl         a line every log_every steps and one per epoch
//   samples.jsonl         one line per epoch: validation sentences with their translations, one alignment
//   last.safetensors      everything needed to go on (nn/train/fit.h), after each epoch and every save_minutes
//   model.safetensors     the translator to use (nn/models/translator.h): the best epoch's, or the last one's
//   report.html           drawn from the files above, after each epoch
//   lock                  marks the folder as a run's, and admits one process at a time (nn/io/owned_folder.h)
//
// Every file but lock and the two records is whole or not there; the records are cut to the checkpoint's step when a
// run is resumed, so a run that was killed loses the steps after the last saving, and ends with the same result.
#pragma once

#include <string>

#include "nn/models/translator.h"
#include "nn/ranks.h"
#include "nn/train/fit.h"
#include "nn/train/run_folder.h"
#include "tutorials/app/train_loop.h"
#include "tutorials/app/train_options.h"
#include "tutorials/app/translate_data.h"

namespace heed::app {

// The translator as it is before training: tokenisers of the data, merges and vocabularies learned from it.
nn::Translator fresh_translator(const TrainOptions& options, const TranslateData& data);

struct TrainFiles {
  std::string source, target, valid_source, valid_target;
  std::string pairs = {};  // one file of both languages, separated by tabs, instead of those four
};
TranslateData read_data(const TrainFiles& files, const TrainOptions& options);

// The contents of config.json. InputError if the data contradict them.
io::Json config_of(const TrainFiles& files, const TrainOptions& options, const TranslateData& data);

class TrainRun {
 public:
  // InputError: options that do not fit together, or do not fit the data. Nothing is written before open.
  // `ranks` share every batch (nn/train/fit.h); with `shard` the state of the optimiser, too.
  TrainRun(const TrainOptions& options, const TranslateData& data, nn::Ranks& ranks = nn::alone(), bool shard = false);
  // Writes into this folder from now on, and continues from its last.safetensors if there is one (`begun`). Rank 0 has
  // the folder; the others give a null pointer.
  void open(nn::RunFolder* folder, bool begun);
  using End = TrainLoop::End;
  End run();
  int64_t steps() const { return run_.steps(); }
  double seconds() const { return run_.seconds(); }  // of work, over all parts of the run
  int64_t epochs() const { return static_cast<int64_t>(run_.history().size()); }

 private:
  void log_epoch(const nn::EpochRecord& record);
  double judge();  // BLEU of the validation set
  nn::FitModel fit_model();
  nn::FitOptions checked_options() const;

  std::string vocabularies() const;  // and the pairs in their numbers, which all ranks must have alike

  nn::Ranks& ranks_;
  bool shard_;
  nn::RunFolder* folder_ = nullptr;
  const TrainOptions& options_;
  const TranslateData& data_;
  nn::Translator translator_;
  std::vector<data::EncodedPair> train_, valid_;
  TrainLoop loop_;
  nn::FitRun run_;
};

// Of the words, BPE undone; in the tokens of the data.
double bleu_of(const std::vector<nn::Translation>& translations, const std::vector<text::TokenPair>& pairs);

// Validation figures of a saved translator.
struct Figures {
  double perplexity = 0, bleu = 0;
};
Figures figures_of(nn::Translator& translator, const TranslateData& data, int64_t beam);

}  // namespace heed::app
