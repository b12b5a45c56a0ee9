// Adadelta: steps in the units of the weights, so that no learning rate is needed (lr = 1 is the published rule).
//
// clang-format off
//   d = g + decay w                                   g: gradient, w: parameter, lr: learning rate
//   s <- rho s + (1 - rho) d^2                        moving average of the squares of d
//   u = d sqrt(a + eps) / sqrt(s + eps)
//   a <- rho a + (1 - rho) u^2                        moving average of the squares of u
//   w <- w - lr u
// clang-format on
//
// Source: Zeiler, arXiv:1212.5701, algorithm 1.
//
// Squares must fit the type. So a gradient counts as at most 9.2e18 in f32 (6.7e153 in f64), and eps as at least
// the smallest normal number: nn/optim/pass.h.
#pragma once

#include "nn/optim/optimizer.h"

namespace heed::nn {

class Adadelta final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 1, rho = 0.9, epsilon = 1e-6, weight_decay = 0;

    void fields(OptionFields& f) {
      f("learning_rate", learning_rate, "learning rate", kPositive);
      f("rho", rho, "decay of the means of the squares", kFraction);
      f("epsilon", epsilon, "inside the roots; with 0 the weights would never move", kPositive);
      f("weight_decay", weight_decay, "weight decay");
    }
  };
  using Group = ParameterGroup<Options>;
  Adadelta(std::vector<NamedVariable> parameters, const Options& options);
  explicit Adadelta(const std::vector<Group>& groups);

 protected:
  std::vector<OptionField> fields(size_t group) override { return fields_of(options_[group]); }
  std::vector<const char*> slot_names(size_t group) const override;
  void update(Step& step) override;

 private:
  std::vector<Options> options_;  // one per group
};

}  // namespace heed::nn
