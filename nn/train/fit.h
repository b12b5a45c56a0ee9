// The training loop: epochs over batches, validation, the best parameters kept, early stopping, and a clean end on
// Ctrl-C.
//
//   for each epoch:  for each batch:  loss, backward, clip, Adam step        then: validation loss; keep if best
//
// It knows a model only as a function from a batch to logits, so every sequence model trains with it.
#pragma once

#include <functional>
#include <vector>

#include "nn/data/batches.h"
#include "nn/module.h"

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
};
template <class M>  // M: (source, lengths, target_in) -> logits
FitModel fit_model(M& model) {
  return {named_parameters(model), [&model](const data::Batch& b) { return model(b.source, b.lengths, b.target_in); },
          [&model](bool training) { set_training(model, training); }};
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

// Trains, and leaves the model with its best parameters, in evaluation mode. Interrupted by Ctrl-C
// (nn/train/interrupt.h) it stops after the current step, validates, and keeps the best. Errors: InputError for an
// empty training or validation set, Error when the loss is not finite (says at which step).
FitResult fit(const FitModel& model, const std::vector<data::EncodedPair>& train,
              const std::vector<data::EncodedPair>& valid, const FitOptions& options, const FitWatcher& watcher = {});

// Mean negative log-likelihood a target token. The model should be in evaluation mode.
double mean_loss(const FitModel& model, const std::vector<data::EncodedPair>& pairs, int64_t batch_size = 128);

}  // namespace heed::nn
