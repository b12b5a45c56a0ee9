// SGD: a step against the gradient, optionally with momentum, which is a decaying sum of earlier gradients.
//
//   d = g + decay w                                   g: gradient, w: parameter, lr: learning rate
//   v <- momentum v + (1 - dampening) d               at the first step v = d, without dampening
//   w <- w - lr d                                     without momentum
//   w <- w - lr v                                     with momentum
//   w <- w - lr (d + momentum v)                      with Nesterov momentum
//
// Sources: Polyak 1964 (momentum); Nesterov 1983 in the form of Sutskever et al., ICML 2013; the details are PyTorch's.
#pragma once

#include "nn/optim/optimizer.h"

namespace heed::nn {

class SGD final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01, momentum = 0, dampening = 0, weight_decay = 0;
    bool nesterov = false;

    void fields(OptionFields& f) {
      f("learning_rate", learning_rate, "learning rate", kPositive);
      f("momentum", momentum, "decay of the sum of earlier gradients");
      f("dampening", dampening, "part of a gradient that the sum does not get", kFraction);
      f("weight_decay", weight_decay, "weight decay");
      f("nesterov", nesterov, "look ahead by one step of the momentum");
    }
  };
  using Group = ParameterGroup<Options>;
  SGD(std::vector<NamedVariable> parameters, const Options& options);
  explicit SGD(const std::vector<Group>& groups);

 protected:
  std::vector<OptionField> fields(size_t group) override { return fields_of(options_[group]); }
  void check(size_t group) const override;
  std::vector<const char*> slot_names(size_t group) const override;
  void update(Step& step) override;

 private:
  std::vector<Options> options_;  // one per group
};

}  // namespace heed::nn
