// Adagrad: the larger the gradients that a weight has received so far, the smaller its steps become.
//
//   d = g + decay w                                   g: gradient, w: parameter, lr: learning rate
//   s <- s + d^2                                      s starts from initial_sum
//   w <- w - lr / (1 + (t - 1) lr_decay) d / (sqrt(s) + eps)
//
// t is the number of the step, from 1. Source: Duchi, Hazan and Singer, JMLR 12 (2011), the diagonal form of figure 1;
// lr_decay and eps as in PyTorch.
//
// Squares must fit the type. So a gradient counts as at most 9.2e18 in f32 (6.7e153 in f64), and eps as at
// least 1.1e-19 (1.5e-154): nn/optim/pass.h.
#pragma once

#include "nn/optim/optimizer.h"

namespace heed::nn {

class Adagrad final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01, lr_decay = 0, weight_decay = 0, initial_sum = 0, epsilon = 1e-10;

    void fields(OptionFields& f) {
      f("learning_rate", learning_rate, "learning rate", kPositive);
      f("lr_decay", lr_decay, "decay of the learning rate");
      f("weight_decay", weight_decay, "weight decay");
      f("initial_sum", initial_sum, "where the sum of the squares starts");
      f("epsilon", epsilon, "added to the denominator");
    }
  };
  using Group = ParameterGroup<Options>;
  Adagrad(std::vector<NamedVariable> parameters, const Options& options);
  explicit Adagrad(const std::vector<Group>& groups);

 protected:
  std::vector<OptionField> fields(size_t group) override { return fields_of(options_[group]); }
  std::vector<const char*> slot_names(size_t group) const override;
  double slot_start(size_t group) const override;
  void update(Step& step) override;

 private:
  std::vector<Options> options_;  // one per group
};

}  // namespace heed::nn
