#include "nn/train/fit.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops_softmax.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/cosine.h"
#include "nn/text/vocabulary.h"
#include "nn/train/interrupt.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Variable batch_loss(const FitModel& model, const data::Batch& batch, double smoothing, Reduction reduction) {
  return cross_entropy(model.logits(batch), batch.target_out,
                       {.label_smoothing = smoothing, .ignore_index = text::Vocabulary::pad, .reduction = reduction});
}

// The parameters as they were at the best epoch.
class Best {
 public:
  void keep(const std::vector<NamedVariable>& parameters) {
    values_.clear();
    for (const auto& p : parameters) values_.push_back(p.variable.value().clone());
  }
  void restore(const std::vector<NamedVariable>& parameters) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      Variable p = parameters[i].variable;
      p.set_value(values_[i]);
    }
  }

 private:
  std::vector<Tensor> values_;
};

}  // namespace

double EpochRecord::valid_perplexity() const { return std::exp(valid_loss); }

double mean_loss(const FitModel& model, const std::vector<data::EncodedPair>& pairs, int64_t batch_size) {
  if (pairs.empty()) throw ValueError("mean_loss: needs at least one pair; got none");
  NoGrad guard;
  double total = 0;
  int64_t tokens = 0;
  for (auto& members : data::sorted_batches(pairs, batch_size)) {
    data::Batch batch = data::make_batch(pairs, members);
    total += batch_loss(model, batch, 0, Reduction::sum).item();
    tokens += batch.tokens;
  }
  return total / static_cast<double>(tokens);
}

FitResult fit(const FitModel& model, const std::vector<data::EncodedPair>& train,
              const std::vector<data::EncodedPair>& valid, const FitOptions& o, const FitWatcher& watcher) {
  if (train.empty()) throw InputError("train: needs at least one training pair; got none");
  if (valid.empty()) throw InputError("train: needs at least one validation pair; got none");
  if (o.epochs < 1) throw InputError(fmt::format("train: needs at least one epoch; got {}", o.epochs));
  Interrupt interrupt;
  Adam optimizer(model.parameters, {.learning_rate = o.learning_rate, .weight_decay = o.weight_decay});
  auto steps_an_epoch = static_cast<int64_t>(data::epoch_batches(train, o.batch_size, o.seed, 0).size());
  int64_t all_steps = steps_an_epoch * o.epochs;
  WarmupCosine schedule({.peak = o.learning_rate,
                         .warmup = std::min(o.warmup, all_steps / 4),
                         .total = all_steps,
                         .floor = o.learning_rate / 20});
  FitResult result;
  Best best;
  double best_loss = INFINITY;
  for (int64_t epoch = 1; epoch <= o.epochs && !result.interrupted; ++epoch) {
    double start = now(), total = 0;
    int64_t tokens = 0;
    model.set_training(true);
    for (auto& members : data::epoch_batches(train, o.batch_size, o.seed, epoch)) {
      data::Batch batch = data::make_batch(train, members);
      Variable loss = batch_loss(model, batch, o.label_smoothing, Reduction::mean);
      double value = loss.item();
      if (!std::isfinite(value))
        throw Error(
            fmt::format("train: the loss must stay finite; got {} at step {}; hint: a smaller learning rate than {}",
                        value, optimizer.steps() + 1, o.learning_rate));
      optimizer.zero_grad();
      backward(loss);
      clip_grad_norm(model.parameters, o.clip);
      optimizer.step(schedule);
      total += value * static_cast<double>(batch.tokens);
      tokens += batch.tokens;
      if (watcher.on_step) watcher.on_step({epoch, optimizer.steps(), all_steps, value, batch.tokens});
      if ((result.interrupted = Interrupt::requested())) break;
    }
    model.set_training(false);
    EpochRecord record{epoch, total / static_cast<double>(tokens), mean_loss(model, valid), now() - start, false};
    record.best = record.valid_loss < best_loss;
    if (record.best) {
      best_loss = record.valid_loss;
      result.best_epoch = epoch;
      best.keep(model.parameters);
    }
    result.history.push_back(record);
    if (watcher.on_epoch) watcher.on_epoch(record);
    if (record.best && watcher.on_best) watcher.on_best(record);
    if (o.patience > 0 && epoch - result.best_epoch >= o.patience) break;
  }
  best.restore(model.parameters);
  return result;
}

}  // namespace heed::nn
