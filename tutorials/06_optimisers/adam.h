// Adam without its bias correction, and with weight decay in the wrong place.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/schedule.h"

namespace optimisers {

// Adam without its bias correction, as a learning rate. Dividing m by 1 - b1^t and s by 1 - b2^t multiplies the step by
//
//   sqrt(1 - b2^t) / (1 - b1^t)          (Kingma and Ba 2015, the last lines of section 2; eps aside)
//
// so this schedule, a constant learning rate divided by that factor, removes the correction again.
class Uncorrected final : public heed::nn::Schedule {
 public:
  struct Options {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999;
    std::int64_t warmup = 1;  // the learning rate rises linearly over this number of steps
  };
  explicit Uncorrected(const Options& options) : options_(options) {}
  double operator()(std::int64_t step) const override {
    auto t = static_cast<double>(step);
    double too_large = (1 - std::pow(options_.beta1, t)) / std::sqrt(1 - std::pow(options_.beta2, t));
    return options_.rate * too_large * std::min(1.0, t / static_cast<double>(options_.warmup));
  }

 protected:
  const char* kind() const override { return "Uncorrected"; }
  void fields(heed::nn::OptionFields& f) override {
    f("rate", options_.rate, "learning rate", heed::nn::kPositive);
    f("beta1", options_.beta1, "Adam's", heed::nn::kFraction);
    f("beta2", options_.beta2, "Adam's", heed::nn::kFraction);
    f("warmup", options_.warmup, "steps in which it rises", {1});
  }

 private:
  Options options_;
};

// What weight decay leaves of weights that the loss does not need. All start at 1, and their gradients are noise of
// mean 0, so only the decay has a direction. AdamW removes the share lr decay at each step, whatever the noise:
//
//   (1 - lr decay)^steps
//
// Decay inside the gradient, as in L2 regularisation, is divided by sqrt(s) together with the rest.
template <class Kind>  // nn::Adam or nn::AdamW
double left_of_weights(double noise, std::int64_t steps, heed::Generator rng) {
  using namespace heed;
  Variable w(Tensor::ones({256}), Variable::kRequiresGrad);
  Kind optimizer({{"w", w}}, {.learning_rate = 1e-3, .weight_decay = 1});
  for (std::int64_t step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    backward(sum(w * Variable(Tensor::normal({256}, rng, 0, noise))));  // dL/dw: the noise itself
    optimizer.step();
  }
  return mean(w).value().item();
}

}  // namespace optimisers
