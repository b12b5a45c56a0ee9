#include "nn/train/fit_options.h"

#include <algorithm>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/plateau.h"
#include "nn/optim/warmup.h"

namespace heed::nn {

void FitOptions::fields(OptionFields& f) {
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
    "AVX512-BF16 and emulated on others. Always f32: parameters, optimiser, norms, softmax, the products inside tiled "
    "attention and inside the steps of a recurrent layer, validation",
    {"f32", "bf16"});
  f("optimizer", optimizer, "optimiser", {"adam", "adamw"});
  f("learning_rate", learning_rate, "peak learning rate", kPositive);
  f("schedule", schedule, "schedule of the learning rate",
    {"warmup_cosine", "noam", "inverse_sqrt", "plateau", "constant"});
  f("warmup", warmup, "warm-up steps, during which the learning rate rises", {1, 1e9});
  f("factor", factor, "factor of the noam schedule", kPositive);
  f("beta1", beta1, "Adam: decay of the mean of the gradients", kFraction);
  f("beta2", beta2, "Adam: decay of the mean of the squared gradients", kFraction);
  f("epsilon", epsilon, "Adam: constant added to the denominator", kPositive);
  f("weight_decay", weight_decay, "weight decay");
  f("clip", clip, "clip the norm of all gradients to this; 0: no clipping");
  f("label_smoothing", label_smoothing, "probability that label smoothing spreads over all words", {0, 0.99});
  f("weights", weights, "parameters to validate and save: the trained ones, or an average of them",
    {"trained", "ema", "average"});
  f("ema", ema_decay, "--weights ema: decay of the moving average", kFraction);
  f("average", average, "--weights average: number of epochs to average", {1, 1000});
  f("keep", keep, "which of the validated parameters are saved in the end", {"best", "last"});
  f("measure", measure, "what decides which epoch is best on the validation set", {"loss", "bleu"});
  f("patience", patience, "stop early after this number of epochs without improvement; 0: never");
}

void require_known(const FitOptions& options) {
  FitOptions o = options;
  require_options("train", fields_of(o));
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
