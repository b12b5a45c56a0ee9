// The training loop: epochs over batches, validation, the best parameters kept, early stopping, and a clean end on
// Ctrl-C.
//
//   for each epoch:  for each batch:  loss, backward, clip, Adam step        then: validation loss; keep if best
//
// It knows a model only as a function from a batch to logits, so every sequence model trains with it.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "nn/data/batches.h"
#include "nn/module.h"
#include "nn/optim/adam.h"
#include "nn/optim/cosine.h"
#include "nn/train/checkpoint.h"

namespace heed::nn {

struct FitOptions {
  int64_t epochs = 10;
  int64_t batch_size = 64;
  double learning_rate = 1e-3;  // the peak: linear warm-up, then half a cosine to a twentieth of it
  int64_t warmup = 200;         // steps
  double clip = 1;              // of the gradients' common norm
  double label_smoothing = 0;
  double weight_decay = 0;
  int64_t patience = 0;  // epochs without a better validation loss before stopping; 0: all epochs
  uint64_t seed = 1;
};

struct EpochRecord {
  int64_t epoch = 0;      // from 1
  double train_loss = 0;  // mean over target tokens, with smoothing and dropout as trained
  double valid_loss = 0;  // mean negative log-likelihood a target token, </s> included, teacher-forced, no smoothing
  double seconds = 0;
  bool best = false;
  double valid_perplexity() const;
};

// What fit asks of a model.
struct FitModel {
  std::vector<NamedVariable> parameters;
  std::function<Variable(const data::Batch&)> logits;  // [B, T, V]
  std::function<void(bool)> set_training;
  Parts parts;  // what a checkpoint holds of it: model and generators
};
template <class M>  // M: (source, lengths, target_in) -> logits
FitModel fit_model(M& model) {
  return {named_parameters(model), [&model](const data::Batch& b) { return model(b.source, b.lengths, b.target_in); },
          [&model](bool training) { set_training(model, training); },
          Parts{part("model", model), generators_part("generators", model)}};
}

struct FitStep {
  int64_t epoch = 0, step = 0, of_steps = 0;  // steps over all epochs
  double loss = 0;
  int64_t tokens = 0;
};
struct FitWatcher {  // all optional
  std::function<void(const FitStep&)> on_step;
  std::function<void(const EpochRecord&)> on_epoch;  // the model holds this epoch's parameters
  std::function<void(const EpochRecord&)> on_best;   // likewise: the place to save them
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
// Its checkpoint has the parts model, generators, optimizer, schedule and progress. Under progress stand in the
// metadata epoch, batch (of the epoch), total and tokens (of the epoch's loss), seconds, best_epoch, best_loss,
// stopped, and what the run must agree in when it goes on: seed, batch_size, pairs, epochs, clip, label_smoothing; as
// tensors history [epochs finished, 4] (train loss, validation loss, seconds, best) and best.<parameter>.
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
  int64_t steps() const { return optimizer_.steps(); }

  void save(const std::string& path) { save_checkpoint(path, parts_); }
  // IoError, and run and model as they were: a checkpoint of another model, other data or other options.
  void load(const std::string& path) { load_checkpoint(path, parts_); }

 private:
  io::SafeTensors save_progress() const;
  void load_progress(const io::SafeTensors& file, const std::string& what);

  FitModel model_;
  const std::vector<data::EncodedPair>&train_, &valid_;
  FitOptions options_;
  Adam optimizer_;
  int64_t all_steps_;
  WarmupCosine schedule_;
  Parts parts_;

  struct Progress {
    int64_t epoch = 1, batch = 0;  // under way, and the steps taken in it
    double total = 0;              // of its losses, each times its tokens
    int64_t tokens = 0;
    double seconds = 0;
    int64_t best_epoch = 0;
    double best_loss = std::numeric_limits<double>::infinity();
    bool stopped = false;  // by patience
    std::vector<EpochRecord> history;
    std::vector<Tensor> best;  // parameters as they were after best_epoch
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
