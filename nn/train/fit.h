// The training loop: epochs of batches, validation, early stopping, keeping the best parameters, and a clean stop when
// the user presses Ctrl-C.
//
// clang-format off
//   for each epoch:
//     for each batch:  loss, backward, clip, Adam step
//     validation loss; keep the parameters if it is the best
// clang-format on
//
// Modules may add penalties to the loss (nn/penalties.h). They are differentiated with it, but recorded apart, by name:
// so the losses below can be compared with those of a run without penalties. Validation computes none.
//
// With `accumulate`, a step has several batches and the gradient of one large batch: the loss and each penalty of a
// batch are multiplied by the share of the batch in what their means are over (nn/penalties.h). Three things differ
// from one large batch: random draws such as dropout; what each call in training updates, such as a reader's baseline;
// and a `loss` that compares the sentences of a batch (contrastive training), which sees only those of its own batch.
//
// With FitOptions::ranks, each batch is shared out among processes, and the gradients are added up (exchange.h): the
// run is that of one process, up to rounding. Dropout and the noise of stages are drawn by the place of a row in the
// whole batch (tensor/row_places.h). What differs with accumulate beside these differs here, too; so does what draws in
// the order of its calls (the control `shuffled`), and batch norm, which sees a rank's own rows. Before a validation
// and before a state is saved, all ranks take what rank 0's calls have updated (its buffers).
//
// The loop knows a model only as a function from a batch to logits, so it can train every sequence model. fit_options.h
// has the options for the steps and for the end of an epoch.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "nn/about.h"
#include "nn/data/batches.h"
#include "nn/module.h"
#include "nn/optim/window_average.h"
#include "nn/penalties.h"
#include "nn/train/checkpoint.h"
#include "nn/train/exchange.h"
#include "nn/train/fit_options.h"
#include "tensor/row_places.h"

namespace heed::nn {

inline constexpr About kAboutLabelSmoothing{
    .names = {"H10", "label_smoothing"},
    .family = "around attention",
    .formula = "loss = -sum_v q_v log p_v,  q = (1 - e) one-hot + e / V",
    .paper = {"Szegedy et al., CVPR 2016; Vaswani et al., NeurIPS 2017", 2016, 1},
    .idea =
        "The target gives the right word nearly all of the probability, and spreads the rest over the whole "
        "vocabulary. The model is no longer rewarded for making the difference of its scores larger and larger. In the "
        "transformer paper the perplexity gets worse and the translations better.",
    .wrong =
        "After training the smoothed loss is larger than the ordinary one, so the two must not be compared. Positions "
        "of padding do not count in the loss.",
    .shapes = "logits [B, T, V], words [B, T] -> []",
    .cost = "one more sum per row than without smoothing",
    .own = {"golden_smoothed_loss"},
};

struct EpochRecord {
  int64_t epoch = 0;      // from 1
  double train_loss = 0;  // mean over target tokens, with label smoothing and dropout as in training
  double valid_loss = 0;  // mean negative log-likelihood per target token, </s> included; teacher forcing, no smoothing
  double seconds = 0;
  bool best = false;
  std::optional<double> bleu = {};               // on the validation set, if the model defines bleu
  std::map<std::string, double> penalties = {};  // by name, times their weights; means over the steps of the epoch
  double valid_perplexity() const;
};

// What fit needs from a model.
struct FitModel {
  std::vector<NamedVariable> parameters;
  std::function<Variable(const data::Batch&)> logits;  // [B, T, V]
  std::function<void(bool)> set_training;
  Parts parts;  // what a checkpoint saves of it: parameters, random generators, and all else that resuming needs
  std::function<double()> bleu = {};  // translates the validation set; optional
  // For models that do not learn to predict the next word; optional.
  //   batch   replaces data::make_batch, for the pairs with the indices `members` (epoch 0: for validation); `whole`
  //           has those of the batch that `members` are a share of, because all shares are padded alike
  //   loss    replaces the cross-entropy of the logits; must be a mean over batch.tokens
  std::function<data::Batch(const std::vector<data::EncodedPair>&, const std::vector<int64_t>& members,
                            const std::vector<int64_t>& whole, int64_t epoch)>
      batch = {};
  std::function<Variable(const data::Batch&)> loss = {};
  std::function<void(int64_t)> set_checkpoint = {};    // for FitOptions::checkpoint; optional
  std::function<std::vector<Tensor*>()> buffers = {};  // what calls in training update; optional
  // The outputs that each sentence can write, bool [B, V'] or undefined for all (OutputHead::writable). Label smoothing
  // spreads its probability over those alone, so that the loss of a sentence does not depend on the others in its
  // batch; optional.
  std::function<Tensor(const data::Batch&)> writable = {};
  // Logits with the alignment [B, T, S], for FitOptions::attention; optional.
  std::function<Variable(const data::Batch&, Variable* alignment)> aligned = {};
};
template <class M>  // M: (source, lengths, target_in) -> logits
FitModel fit_model(M& model) {
  FitModel out{named_parameters(model),
               [&model](const data::Batch& b) { return model(b.source, b.lengths, b.target_in); },
               [&model](bool training) { set_training(model, training); },
               Parts{part("model", model), generators_part("generators", model)},
               {}};
  out.buffers = [&model] {
    std::vector<Tensor*> all;
    for (const auto& [name, buffer] : detail::collect(model).buffers) all.push_back(buffer);
    return all;
  };
  if constexpr (requires(const data::Batch& b, Variable* a) { model(b.source, b.lengths, b.target_in, a); })
    out.aligned = [&model](const data::Batch& b, Variable* a) { return model(b.source, b.lengths, b.target_in, a); };
  if constexpr (requires { model.set_checkpoint(int64_t{}); })
    out.set_checkpoint = [&model](int64_t layers) { model.set_checkpoint(layers); };
  if constexpr (requires { model.writable(Tensor(), Tensor()); })
    out.writable = [&model](const data::Batch& b) { return model.writable(b.source, b.lengths); };
  return out;
}

struct FitStep {
  // step and of_steps count over all epochs; with batch_tokens, of_steps is approximate.
  int64_t epoch = 0, step = 0, of_steps = 0;
  double loss = 0;
  int64_t tokens = 0;
  double learning_rate = 0;
  std::map<std::string, double> penalties = {};  // by name, times their weights; `loss` does not contain them
};
struct FitWatcher {  // all optional
  std::function<void(const FitStep&)> on_step;
  std::function<void(const EpochRecord&)> on_epoch;  // during the call, the model holds the validated parameters
  // The same, but only if the parameters are kept: if they are the best so far or, with keep "last", in every epoch.
  // This is the place to save them.
  std::function<void(const EpochRecord&)> on_best;
};

struct FitResult {
  std::vector<EpochRecord> history;
  int64_t best_epoch = 0;  // 0: no epoch has ended
  bool interrupted = false;
};

// A run that can be stopped between any two steps and resumed, on another machine too, with the same bits:
//
//   FitRun run(model, train, valid, options);
//   while (!run.done()) run.step();
//   FitResult result = run.finish();
//
// Its checkpoint has the parts model, generators, optimizer, schedule and progress, and one for the averages if
// `weights` is ema or average. The part progress has this metadata and these tensors:
//
// clang-format off
//   metadata   epoch, batch (index in the epoch), total and tokens (of the epoch's loss), seconds,
//              best_epoch, best_measure, stopped
//              and what must be the same when the run is resumed: seed, batch_size, batch_tokens,
//              accumulate, pairs, clip, label_smoothing, and epochs if the schedule depends on them
//   tensors    history [ended epochs, 5]: train loss, validation loss, seconds, best, BLEU or NaN
//              best.<parameter>: the parameters to keep
//              penalties.<name> [ended epochs + 1]: the mean of each epoch, NaN where it had none,
//              and the sum over the steps of the current epoch, NaN before the first
// clang-format on
class FitRun {
 public:
  FitRun(const FitModel& model, const std::vector<data::EncodedPair>& train,
         const std::vector<data::EncodedPair>& valid, const FitOptions& options);
  FitRun(const FitRun&) = delete;
  FitRun& operator=(const FitRun&) = delete;

  bool done() const;
  // One step of the optimiser (`accumulate` batches); after the last step of an epoch, also end_epoch.
  void step(const FitWatcher& watcher = {});
  // Validates, and keeps the parameters if they are the best so far. Does nothing before the first step of an epoch.
  void end_epoch(const FitWatcher& watcher = {});
  FitResult finish();  // puts the best parameters back into the model
  // Validates the current parameters without changing the run, for a run that must stop in the middle of an epoch.
  // on_best is called if these parameters would be kept.
  EpochRecord look(const FitWatcher& watcher = {});
  int64_t steps() const { return optimizer_->steps(); }
  int64_t all_steps() const { return all_steps_; }
  int64_t epoch() const { return progress_.epoch; }  // the current epoch
  double seconds() const;                            // of work, summed over all sessions of the run
  const std::vector<EpochRecord>& history() const { return progress_.history; }

  // InputError if a parameter is NaN or infinite. The file then stays as it is, and the run can be resumed from it.
  // All ranks call it, and rank 0 writes the file.
  void save(const std::string& path);
  // IoError for a checkpoint of another model, other data or other options. Run and model are then unchanged. All ranks
  // call it, and rank 0 reads the file.
  void load(const std::string& path);
  void require_same_parameters() const;  // on all ranks; ValueError that names those that differ
  Ranks& ranks() const { return options_.ranks ? *options_.ranks : alone(); }

 private:
  struct Group {  // this rank's shares of the batches of a step
    std::vector<data::Batch> batches;
    std::vector<RowPlaces> places;
    std::vector<BatchShares> shares;
    int64_t tokens = 0;  // of all ranks
  };
  Group group_of(int64_t first, int64_t last) const;
  Part optimizer_part();
  void take_buffers_of_root();
  io::SafeTensors save_progress() const;
  void load_progress(const io::SafeTensors& file, const std::string& what);
  std::vector<std::vector<int64_t>> batches_of(int64_t epoch) const;
  int64_t steps_of_epoch() const;  // so far
  // InputError with the epoch, the step, the first parameter or gradient that is not finite, and what usually helps.
  [[noreturn]] void diverged(const std::string& what, double value, int64_t step) const;
  void require_finite_parameters() const;
  // Calls `work` while the model holds the validated parameters.
  EpochRecord validate(const std::function<void(EpochRecord&)>& work);

  FitModel model_;
  const std::vector<data::EncodedPair>&train_, &valid_;
  FitOptions options_;
  GradientExchange exchange_;
  std::unique_ptr<Adam> optimizer_;
  int64_t all_steps_;
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<ParameterAverage> ema_;  // at most one of the two
  std::unique_ptr<WindowAverage> window_;
  Parts parts_;

  struct Progress {
    int64_t epoch = 1, batch = 0;  // the current epoch, and the number of steps taken in it
    double total = 0;              // sum over its steps of loss times tokens
    int64_t tokens = 0;
    double seconds = 0;
    std::map<std::string, double> penalties;  // sums over the steps of the epoch
    int64_t best_epoch = 0;
    double best_measure = std::numeric_limits<double>::infinity();  // smaller is better: the loss, or -BLEU
    bool stopped = false;                                           // because of patience
    std::vector<EpochRecord> history;
    std::vector<Tensor> best;  // the parameters to keep, as they were validated
  };
  static std::vector<OptionField> fields(Progress& p);
  Progress progress_;
  int64_t batches_epoch_ = 0;  // the epoch that batches_ belongs to
  std::vector<std::vector<int64_t>> batches_;
};

// Trains the model and leaves it in evaluation mode with its best parameters (or the last: FitOptions::keep). After
// Ctrl-C (nn/train/interrupt.h) it stops at the end of the current step and validates. InputError for an empty training
// or validation set, and if the loss, a gradient, a parameter or the validation perplexity is not finite.
FitResult fit(const FitModel& model, const std::vector<data::EncodedPair>& train,
              const std::vector<data::EncodedPair>& valid, const FitOptions& options, const FitWatcher& watcher = {});

// Mean negative log-likelihood per target token. The model should be in evaluation mode. Ranks share the batches.
double mean_loss(const FitModel& model, const std::vector<data::EncodedPair>& pairs, int64_t batch_size = 128,
                 Ranks* ranks = nullptr);

}  // namespace heed::nn
