// The training loop: epochs over batches, validation, the best parameters kept, early stopping, and a clean end on
// Ctrl-C.
//
//   for each epoch:  for each batch:  loss, backward, clip, Adam step        then: validation loss; keep if best
//
// What stages inside the model add to the loss (nn/penalties.h) is part of what is differentiated, and is recorded
// apart by name: the losses below stay comparable with each other, with and without penalties. Validation collects
// none.
//
// It knows a model only as a function from a batch to logits, so every sequence model trains with it. What else a step
// and the end of an epoch can be stands in fit_options.h.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "nn/data/batches.h"
#include "nn/module.h"
#include "nn/optim/window_average.h"
#include "nn/train/checkpoint.h"
#include "nn/train/fit_options.h"

namespace heed::nn {

struct EpochRecord {
  int64_t epoch = 0;      // from 1
  double train_loss = 0;  // mean over target tokens, with smoothing and dropout as trained
  double valid_loss = 0;  // mean negative log-likelihood a target token, </s> included, teacher-forced, no smoothing
  double seconds = 0;
  bool best = false;
  std::optional<double> bleu = {};               // of the validation set, where the model has a judge for it
  std::map<std::string, double> penalties = {};  // by name, each times its weight; the mean over the epoch's steps
  double valid_perplexity() const;
};

// What fit asks of a model.
struct FitModel {
  std::vector<NamedVariable> parameters;
  std::function<Variable(const data::Batch&)> logits;  // [B, T, V]
  std::function<void(bool)> set_training;
  Parts parts;  // what a checkpoint holds of it: model and generators, and what else must go on exactly
  std::function<double()> bleu = {};  // translates the validation set; optional
  // For models that learn from something else than the next word; optional.
  //   batch   what a batch is made of its members (epoch 0: for validation), where it is not data::make_batch
  //   loss    the mean over batch.tokens, instead of the cross-entropy of the logits
  std::function<data::Batch(const std::vector<data::EncodedPair>&, const std::vector<int64_t>& members, int64_t epoch)>
      batch = {};
  std::function<Variable(const data::Batch&)> loss = {};
};
template <class M>  // M: (source, lengths, target_in) -> logits
FitModel fit_model(M& model) {
  return {named_parameters(model),
          [&model](const data::Batch& b) { return model(b.source, b.lengths, b.target_in); },
          [&model](bool training) { set_training(model, training); },
          Parts{part("model", model), generators_part("generators", model)},
          {}};
}

struct FitStep {
  int64_t epoch = 0, step = 0, of_steps = 0;  // steps over all epochs; with batches by tokens of_steps is near
  double loss = 0;
  int64_t tokens = 0;
  double learning_rate = 0;
  std::map<std::string, double> penalties = {};  // by name, each times its weight; what `loss` does not contain
};
struct FitWatcher {  // all optional
  std::function<void(const FitStep&)> on_step;
  std::function<void(const EpochRecord&)> on_epoch;  // the model holds the parameters that were validated
  // Likewise, where they are to be kept: the best so far, or with keep "last" every epoch's. The place to save them.
  std::function<void(const EpochRecord&)> on_best;
};

struct FitResult {
  std::vector<EpochRecord> history;
  int64_t best_epoch = 0;  // 0: none was finished
  bool interrupted = false;
};

// A run that can be stopped between any two steps, and resumed elsewhere to the same bits:
//
//   FitRun run(model, train, valid, options);  while (!run.done()) run.step();  FitResult result = run.finish();
//
// Its checkpoint has the parts model, generators, optimizer, schedule and progress, and one for the averages where
// weights says so: ema or average. Under progress stand in the metadata epoch, batch (of the epoch), total and tokens
// (of the epoch's loss), seconds, best_epoch, best_measure, stopped, and what the run must agree in when it goes on:
// seed, batch_size, batch_tokens, accumulate, pairs, clip, label_smoothing, and epochs where the schedule is laid out
// for them; as tensors history [epochs finished, 5] (train loss, validation loss, seconds, best, BLEU or NaN),
// best.<parameter>, those to keep, and penalties.<name> [epochs finished + 1]: the mean of each epoch, NaN where it had
// none, and the sum over the steps of the epoch under way, NaN before the first.
class FitRun {
 public:
  FitRun(const FitModel& model, const std::vector<data::EncodedPair>& train,
         const std::vector<data::EncodedPair>& valid, const FitOptions& options);
  FitRun(const FitRun&) = delete;
  FitRun& operator=(const FitRun&) = delete;

  bool done() const;
  void step(const FitWatcher& watcher = {});  // one batch; after the last of an epoch, end_epoch
  void end_epoch(
      const FitWatcher& watcher = {});  // validates and keeps the best; does nothing before an epoch's first step
  FitResult finish();                   // the best parameters back into the model
  // Validates the parameters as they are between two steps, and changes nothing of the run: for one that must stop in
  // the middle of an epoch. on_best is called where they would be kept.
  EpochRecord look(const FitWatcher& watcher = {});
  int64_t steps() const { return optimizer_->steps(); }
  int64_t all_steps() const { return all_steps_; }
  int64_t epoch() const { return progress_.epoch; }  // under way
  double seconds() const;                            // of work, over all its parts
  const std::vector<EpochRecord>& history() const { return progress_.history; }

  void save(const std::string& path) { save_checkpoint(path, parts_); }
  // IoError, and run and model as they were: a checkpoint of another model, other data or other options.
  void load(const std::string& path) { load_checkpoint(path, parts_); }

 private:
  io::SafeTensors save_progress() const;
  void load_progress(const io::SafeTensors& file, const std::string& what);
  std::vector<std::vector<int64_t>> batches_of(int64_t epoch) const;
  int64_t steps_of_epoch() const;                                       // so far
  EpochRecord validate(const std::function<void(EpochRecord&)>& work);  // work sees the validated parameters

  FitModel model_;
  const std::vector<data::EncodedPair>&train_, &valid_;
  FitOptions options_;
  std::unique_ptr<Adam> optimizer_;
  int64_t all_steps_;
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<ParameterAverage> ema_;  // either, or neither
  std::unique_ptr<WindowAverage> window_;
  Parts parts_;

  struct Progress {
    int64_t epoch = 1, batch = 0;  // under way, and the steps taken in it
    double total = 0;              // of its losses, each times its tokens
    int64_t tokens = 0;
    double seconds = 0;
    std::map<std::string, double> penalties;  // sums over the steps of the epoch
    int64_t best_epoch = 0;
    double best_measure = std::numeric_limits<double>::infinity();  // the smaller the better: loss, or -BLEU
    bool stopped = false;                                           // by patience
    std::vector<EpochRecord> history;
    std::vector<Tensor> best;  // parameters to keep, as they were validated
  };
  static Fields fields(Progress& p);
  Progress progress_;
  int64_t batches_epoch_ = 0;  // which epoch batches_ are those of
  std::vector<std::vector<int64_t>> batches_;
};

// Trains, and leaves the model with its best parameters, in evaluation mode. Interrupted by Ctrl-C
// (nn/train/interrupt.h) it stops after the current step, validates, and keeps the best. Errors: InputError for an
// empty training or validation set, Error when the loss is not finite (says at which step).
FitResult fit(const FitModel& model, const std::vector<data::EncodedPair>& train,
              const std::vector<data::EncodedPair>& valid, const FitOptions& options, const FitWatcher& watcher = {});

// Mean negative log-likelihood a target token. The model should be in evaluation mode.
double mean_loss(const FitModel& model, const std::vector<data::EncodedPair>& pairs, int64_t batch_size = 128);

}  // namespace heed::nn
