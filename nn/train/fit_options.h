// The options of a training run: the data of a step, the optimiser, the learning rate, and which parameters are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nn/optim/adam.h"
#include "nn/optim/schedule.h"
#include "nn/options.h"
#include "nn/train/attention_penalties.h"

namespace heed::nn {

class Ranks;

struct FitOptions {
  int64_t epochs = 10;
  int64_t batch_size = 64;      // sentences per batch
  double learning_rate = 1e-3;  // the peak of the schedule
  int64_t warmup = 200;         // number of steps
  double clip = 1;              // maximum norm of all gradients together; 0: no clipping
  double label_smoothing = 0;
  double weight_decay = 0;
  int64_t patience = 0;  // stop after this many epochs without improvement; 0: train all epochs
  uint64_t seed = 1;

  int64_t batch_tokens = 0;  // if not 0, replaces batch_size: padded tokens per batch (data::token_batches)
  // Number of batches per step. Each loss is weighted by its number of target tokens, so the gradient is that of one
  // large batch.
  int64_t accumulate = 1;
  // Activation checkpointing of a transformer: a group of this many layers stores only its input, and backward computes
  // the rest again (autograd/checkpoint.h). Less memory, one more forward pass, the same bits. 0: off.
  int64_t checkpoint = 0;
  // The precision of the matrix products of a step, forward and backward: f32, or bf16 with sums in f32 (PrecisionScope
  // in tensor/matmul.h). Parameters, optimiser and all other operations are f32, and so is validation.
  std::string precision = "f32";
  std::string optimizer = "adam";  // adam, adamw (decays only matrices)
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  // The learning rate schedule:
  // clang-format off
  //   warmup_cosine   linear warm-up (at most a quarter of the steps), then half a cosine down to a
  //                   twentieth of the peak
  //   noam            factor width^-0.5 min(s^-0.5, s warmup^-1.5); this determines the peak
  //   inverse_sqrt    peak min(s / warmup, sqrt(warmup / s))
  //   plateau         the peak, halved after each epoch without improvement
  //   constant        the peak
  // clang-format on
  std::string schedule = "warmup_cosine";
  double factor = 1;
  int64_t width = 512;

  // The parameters that are validated after an epoch:
  //   trained   those after the last step
  //   ema       their exponential moving average over the steps (decay: ema_decay, bias-corrected)
  //   average   the mean of those at the end of the last `average` epochs
  std::string weights = "trained";
  double ema_decay = 0.999;
  int64_t average = 5;
  AttentionPenalties attention = {};  // terms of the loss
  std::string keep = "best";          // which of the validated parameters the model gets at the end: best, last
  std::string measure = "loss";       // what decides which are best, on the validation set: loss, bleu

  // The processes that share every batch, and whether they share the optimiser's state, too (nn/train/exchange.h). How
  // many there are changes no curve, so a run may go on with more or fewer. nullptr: this process alone.
  Ranks* ranks = nullptr;
  bool shard = false;

  // All options except epochs, seed, width and ranks, which heed train takes from elsewhere. Used to check them and to
  // read them from the command line.
  void fields(OptionFields& f) {
    f("batch_size", batch_size, "sentences per batch", {1, 65536});
    f("batch_tokens", batch_tokens,
      "padded tokens per batch, instead of --batch-size: rows times the longest sentence; 0: off", {0, 1e8});
    f("accumulate", accumulate, "batches per step (gradient accumulation)", {1, 10000});
    f("checkpoint", checkpoint,
      "transformer: layers per checkpoint; their values are computed again in backward instead of stored, which saves "
      "memory and changes no bit; 0: off",
      {0, 1024})
        .may_change = true;
    f("precision", precision,
      "matrix products of the training steps: f32, or bf16 with sums in f32, which is faster on processors with "
      "AVX512-BF16 and emulated on others. Always f32: parameters, optimiser, norms, softmax, the products inside "
      "tiled "
      "attention and inside the steps of a recurrent layer, validation",
      {"f32", "bf16"});
    f("optimizer", optimizer, "optimiser", {"adam", "adamw"});
    f("learning_rate", learning_rate, "peak learning rate", kPositive).needs =
        Need{"schedule", "warmup_cosine, inverse_sqrt, plateau or constant", [this] { return schedule != "noam"; }};
    f("schedule", schedule, "schedule of the learning rate",
      {"warmup_cosine", "noam", "inverse_sqrt", "plateau", "constant"});
    f("warmup", warmup, "warm-up steps, during which the learning rate rises", {1, 1e9}).needs =
        Need{"schedule", "warmup_cosine, noam or inverse_sqrt",
             [this] { return schedule != "plateau" && schedule != "constant"; }};
    f("factor", factor, "factor of the noam schedule", kPositive).needs =
        Need{"schedule", "noam", [this] { return schedule == "noam"; }};
    f("beta1", beta1, "Adam: decay of the mean of the gradients", kFraction);
    f("beta2", beta2, "Adam: decay of the mean of the squared gradients", kFraction);
    f("epsilon", epsilon, "Adam: constant added to the denominator", kPositive);
    f("weight_decay", weight_decay, "weight decay; usual ones are 0 to 0.3", {0, 100});
    f("clip", clip, "clip the norm of all gradients to this; 0: no clipping");
    f("label_smoothing", label_smoothing, "probability that label smoothing spreads over all words", {0, 0.99});
    attention.fields(f);
    f("weights", weights, "parameters to validate and save: the trained ones, or an average of them",
      {"trained", "ema", "average"});
    f("ema", ema_decay, "--weights ema: decay of the moving average", kFraction).needs =
        Need{"weights", "ema", [this] { return weights == "ema"; }};
    f("average", average, "--weights average: number of epochs to average", {1, 1000}).needs =
        Need{"weights", "average", [this] { return weights == "average"; }};
    f("keep", keep, "which of the validated parameters are saved in the end", {"best", "last"});
    f("measure", measure, "what decides which epoch is best on the validation set", {"loss", "bleu"});
    f("patience", patience, "stop early after this number of epochs without improvement; 0: never");
  }
};

// ValueError for an unknown name, or an option that the optimiser or the schedule refuses. `steps`: those of the whole
// run, which only warmup_cosine uses.
std::unique_ptr<Schedule> make_schedule(const FitOptions& options, int64_t steps);
std::unique_ptr<Adam> make_optimizer(const FitOptions& options, const std::vector<NamedVariable>& parameters);
void require_known(const FitOptions& options);  // ValueError for an unknown name or a number outside its range
// True if the schedule depends on the number of steps of the whole run.
inline bool needs_length(const FitOptions& o) { return o.schedule == "warmup_cosine"; }

}  // namespace heed::nn
