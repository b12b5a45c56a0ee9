#include "nn/train/fit_options.h"

#include <algorithm>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/plateau.h"
#include "nn/optim/warmup.h"

namespace heed::nn {

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
  // Always both, so that the states of all models have the same groups.
  return std::make_unique<AdamW>(std::vector<AdamW::Group>{{matrices, decayed}, {others, plain}});
}

}  // namespace heed::nn
