// What a training run is told: how much data a step sees, how the step is made, which parameters are kept in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nn/optim/adam.h"
#include "nn/optim/schedule.h"

namespace heed::nn {

struct FitOptions {
  int64_t epochs = 10;
  int64_t batch_size = 64;      // sentences
  double learning_rate = 1e-3;  // the peak of the schedule
  int64_t warmup = 200;         // steps
  double clip = 1;              // of the gradients' common norm; 0: as they are
  double label_smoothing = 0;
  double weight_decay = 0;
  int64_t patience = 0;  // epochs without a better measure before stopping; 0: all epochs
  uint64_t seed = 1;

  int64_t batch_tokens = 0;  // if not 0, instead of batch_size: padded tokens of a batch (data::token_batches)
  // Batches of one step. Each loss weighs as many parts as it has target tokens, so the gradient is that of the one
  // large batch.
  int64_t accumulate = 1;
  std::string optimizer = "adam";  // adam, adamw (decays matrices only)
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  // warmup_cosine   linear warm-up (at most a quarter of the steps), then half a cosine to a twentieth of the peak
  // noam            factor width^-0.5 min(s^-0.5, s warmup^-1.5): no peak of its own
  // inverse_sqrt    peak min(s / warmup, sqrt(warmup / s))
  // plateau         the peak, halved after each epoch without a better measure
  // constant        the peak
  std::string schedule = "warmup_cosine";
  double factor = 1;
  int64_t width = 512;

  // Which parameters are validated after an epoch:
  //   trained   those of the last step
  //   ema       their exponential moving average over the steps (decay: ema_decay, bias-corrected)
  //   average   the mean of those at the end of the last `average` epochs
  std::string weights = "trained";
  double ema_decay = 0.999;
  int64_t average = 5;
  std::string keep = "best";     // which of the validated ones the model holds in the end: best, last
  std::string measure = "loss";  // what best means, on the validation set: loss, bleu
};

// ValueError: a name that is not known; what the optimiser or the schedule refuses. `steps`: of the whole run, which
// only warmup_cosine asks for.
std::unique_ptr<Schedule> make_schedule(const FitOptions& options, int64_t steps);
std::unique_ptr<Adam> make_optimizer(const FitOptions& options, const std::vector<NamedVariable>& parameters);
void require_known(const FitOptions& options);                                           // the names in it
inline bool needs_length(const FitOptions& o) { return o.schedule == "warmup_cosine"; }  // other schedules go on

}  // namespace heed::nn
