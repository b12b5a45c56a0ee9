// Adam: each weight moves by about the learning rate per step, whatever the size of its gradient.
//
//   d = g + decay w   (AdamW: d = g, and first w <- w - lr decay w)
//   m <- b1 m + (1 - b1) d                            moving average of the gradients
//   s <- b2 s + (1 - b2) d^2                          moving average of their squares
//   w <- w - lr (m / (1 - b1^t)) / (sqrt(s / (1 - b2^t)) + eps)
//
// Legend: g gradient, w parameter, lr learning rate, b1 and b2 the decay rates of the averages, t number of the step.
//
// AMSGrad divides by the maximum of s so far, so that the step cannot grow again when s forgets large gradients.
// Sources: Kingma and Ba, ICLR 2015, algorithm 1; Loshchilov and Hutter, ICLR 2019, algorithm 2 (AdamW, with the decay
// multiplied by lr as in PyTorch); Reddi et al., ICLR 2018, algorithm 2 (AMSGrad, here with Adam's bias correction).
//
// Squares must fit the type. So a gradient counts as at most 9.2e18 in f32 (6.7e153 in f64), and eps as at least
// 1.1e-19 / sqrt(1 - b2^t) (in f64 1.5e-154): nn/optim/pass.h.
#pragma once

#include "nn/optim/optimizer.h"

namespace heed::nn {

class Adam : public Optimizer {
 public:
  struct Options {
    double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
    bool amsgrad = false;

    void fields(OptionFields& f) {
      f("learning_rate", learning_rate, "learning rate", kPositive);
      f("beta1", beta1, "decay of the mean of the gradients", kFraction);
      f("beta2", beta2, "decay of the mean of their squares", kFraction);
      f("epsilon", epsilon, "added to the denominator");
      f("weight_decay", weight_decay, "weight decay");
      f("amsgrad", amsgrad, "divide by the largest mean of squares so far");
    }
  };
  using Group = ParameterGroup<Options>;
  Adam(std::vector<NamedVariable> parameters, const Options& options);
  explicit Adam(const std::vector<Group>& groups);

 protected:
  enum class Decay { in_gradient, decoupled };
  Adam(const char* kind, const std::vector<Group>& groups, Decay decay);
  std::vector<OptionField> fields(size_t group) override { return fields_of(options_[group]); }
  std::vector<const char*> slot_names(size_t group) const override;
  void update(Step& step) override;

 private:
  const char* name_;
  Decay decay_;
  std::vector<Options> options_;  // one per group
};

// Adam with decoupled weight decay: the decay acts on the weight directly and is not divided by sqrt(s).
class AdamW final : public Adam {
 public:
  struct Options {
    double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
    bool amsgrad = false;
  };
  using Group = ParameterGroup<Options>;
  AdamW(std::vector<NamedVariable> parameters, const Options& options);
  explicit AdamW(const std::vector<Group>& groups);
};

}  // namespace heed::nn
