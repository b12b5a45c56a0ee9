#include "nn/train/fit_options.h"

#include <algorithm>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/plateau.h"
#include "nn/optim/warmup.h"

namespace heed::nn {
std::vector<OptionField> option_fields_of(FitOptions& o) {
  auto below_one = [](const char* name, double* place, const char* help) {
    return OptionField{.name = name, .place = place, .help = help, .most = 1, .below = true};
  };
  return {
      {"batch_size", &o.batch_size, "sentences per batch", {}, 1, 65536},
      {"batch_tokens",
       &o.batch_tokens,
       "padded tokens per batch, instead of --batch-size: rows times the longest sentence; 0: off",
       {},
       0,
       1e8},
      {"accumulate", &o.accumulate, "batches per step (gradient accumulation)", {}, 1, 10000},
      {.name = "checkpoint",
       .place = &o.checkpoint,
       .help = "transformer: layers per checkpoint; their values are computed again in backward instead of stored, "
               "which saves memory and changes no bit; 0: off",
       .most = 1024,
       .later = true,
       .may_change = true},
      {.name = "precision",
       .place = &o.precision,
       .help =
           "matrix products of the training steps: f32, or bf16 with sums in f32, which is faster on processors "
           "with AVX512-BF16 and emulated on others. Always f32: parameters, optimiser, norms, softmax, the products "
           "inside tiled attention and inside the steps of a recurrent layer, validation",
       .names = {"f32", "bf16"},
       .later = true},
      {"optimizer", &o.optimizer, "optimiser", {"adam", "adamw"}},
      {.name = "learning_rate", .place = &o.learning_rate, .help = "peak learning rate", .most = kNoEnd, .above = true},
      {"schedule",
       &o.schedule,
       "schedule of the learning rate",
       {"warmup_cosine", "noam", "inverse_sqrt", "plateau", "constant"}},
      {"warmup", &o.warmup, "warm-up steps, during which the learning rate rises", {}, 1, 1e9},
      {.name = "factor", .place = &o.factor, .help = "factor of the noam schedule", .most = kNoEnd, .above = true},
      below_one("beta1", &o.beta1, "Adam: decay of the mean of the gradients"),
      below_one("beta2", &o.beta2, "Adam: decay of the mean of the squared gradients"),
      {.name = "epsilon",
       .place = &o.epsilon,
       .help = "Adam: constant added to the denominator",
       .most = kNoEnd,
       .above = true},
      {"weight_decay", &o.weight_decay, "weight decay", {}, 0, kNoEnd},
      {"clip", &o.clip, "clip the norm of all gradients to this; 0: no clipping", {}, 0, kNoEnd},
      {"label_smoothing", &o.label_smoothing, "probability that label smoothing spreads over all words", {}, 0, 0.99},
      {"weights",
       &o.weights,
       "parameters to validate and save: the trained ones, or an average of them",
       {"trained", "ema", "average"}},
      below_one("ema", &o.ema_decay, "--weights ema: decay of the moving average"),
      {"average", &o.average, "--weights average: number of epochs to average", {}, 1, 1000},
      {"keep", &o.keep, "which of the validated parameters are saved in the end", {"best", "last"}},
      {"measure", &o.measure, "what decides which epoch is best on the validation set", {"loss", "bleu"}},
      {"patience", &o.patience, "stop early after this number of epochs without improvement; 0: never", {}, 0, kNoEnd},
  };
}

void require_known(const FitOptions& options) {
  FitOptions o = options;
  require_options("train", option_fields_of(o));
}

std::unique_ptr<Schedule> make_schedule(const FitOptions& o, int64_t steps) {
  require_known(o);
  if (o.schedule == "noam")
    return std::make_unique<Noam>(Noam::Options{.width = o.width, .warmup = o.warmup, .scale = o.factor});
  if (o.schedule == "inverse_sqrt")
    return std::make_unique<InverseSquareRoot>(InverseSquareRoot::Options{.peak = o.learning_rate, .warmup = o.warmup});
  if (o.schedule == "plateau")
    return std::make_unique<ReduceOnPlateau>(
        ReduceOnPlateau::Options{.peak = o.learning_rate, .factor = 0.5, .patience = 0, .threshold = 0});
  if (o.schedule == "constant") return std::make_unique<ConstantRate>(ConstantRate::Options{.peak = o.learning_rate});
  return std::make_unique<WarmupCosine>(WarmupCosine::Options{
      .peak = o.learning_rate, .warmup = std::min(o.warmup, steps / 4), .total = steps, .floor = o.learning_rate / 20});
}

std::unique_ptr<Adam> make_optimizer(const FitOptions& o, const std::vector<NamedVariable>& parameters) {
  require_known(o);
  if (o.optimizer == "adam")
    return std::make_unique<Adam>(parameters, Adam::Options{.learning_rate = o.learning_rate,
                                                            .beta1 = o.beta1,
                                                            .beta2 = o.beta2,
                                                            .epsilon = o.epsilon,
                                                            .weight_decay = o.weight_decay});
  auto [matrices, others] = split_parameters(parameters, is_matrix);
  AdamW::Options decayed{.learning_rate = o.learning_rate,
                         .beta1 = o.beta1,
                         .beta2 = o.beta2,
                         .epsilon = o.epsilon,
                         .weight_decay = o.weight_decay};
  AdamW::Options plain = decayed;
  plain.weight_decay = 0;
  std::vector<AdamW::Group> groups;
  if (!matrices.empty()) groups.push_back({matrices, decayed});
  if (!others.empty()) groups.push_back({others, plain});
  return std::make_unique<AdamW>(groups);
}

}  // namespace heed::nn
