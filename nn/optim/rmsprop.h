// RMSprop: the gradient divided by the root of the moving average of its squares.
//
// clang-format off
//   d = g + decay w                                   g: gradient, w: parameter, lr: learning rate
//   s <- a s + (1 - a) d^2                            a: alpha
//   m <- a m + (1 - a) d                              centered: s - m^2 replaces s below
//   u = d / (sqrt(s) + eps)
//   v <- momentum v + u,   w <- w - lr v              without momentum  w <- w - lr u
// clang-format on
//
// Where gradients hardly change, s - m^2 would lose its digits. So centered keeps the variance V = s - m^2 itself,
// V <- a (V + (1 - a) (d - m)^2), where m is that of the step before. Both are the same number. Sources: Tieleman and
// Hinton, Coursera lecture 6.5, 2012; centered and with momentum: Graves, arXiv:1308.0850, eq. 38 to 45 (there eps is
// inside the root; here it is outside, as in PyTorch).
//
// Squares must fit the type. So a gradient counts as at most 9.2e18 in f32 (6.7e153 in f64), and eps as at
// least 1.1e-19 (1.5e-154): nn/optim/pass.h.
#pragma once

#include "nn/optim/optimizer.h"

namespace heed::nn {

class RMSprop final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01, alpha = 0.99, epsilon = 1e-8, momentum = 0, weight_decay = 0;
    bool centered = false;

    void fields(OptionFields& f) {
      f("learning_rate", learning_rate, "learning rate", kPositive);
      f("alpha", alpha, "decay of the mean of the squares", kFraction);
      f("epsilon", epsilon, "added to the denominator");
      f("momentum", momentum, "decay of the sum of earlier steps");
      f("weight_decay", weight_decay, "weight decay");
      f("centered", centered, "divide by the variance, not by the mean of the squares");
    }
  };
  using Group = ParameterGroup<Options>;
  RMSprop(std::vector<NamedVariable> parameters, const Options& options);
  explicit RMSprop(const std::vector<Group>& groups);

 protected:
  std::vector<OptionField> fields(size_t group) override { return fields_of(options_[group]); }
  std::vector<const char*> slot_names(size_t group) const override;
  void update(Step& step) override;

 private:
  std::vector<Options> options_;  // one per group
};

}  // namespace heed::nn
