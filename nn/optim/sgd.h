// SGD: against the gradient, with a memory of earlier ones if wanted.
//
//   d = g + decay w                                   g: gradient, w: parameter, lr: learning rate
//   v <- momentum v + (1 - dampening) d               the first d enters whole: v = d
//   w <- w - lr d   without momentum,   w - lr v   with it,   w - lr (d + momentum v)   by Nesterov
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
  };
  using Group = ParameterGroup<Options>;
  SGD(std::vector<NamedVariable> parameters, const Options& options);
  explicit SGD(const std::vector<Group>& groups);

 protected:
  Fields fields(size_t group) override;
  void check(size_t group) const override;
  std::vector<const char*> slot_names(size_t group) const override;
  void update(Step& step) override;

 private:
  std::vector<Options> options_;  // of each group
};

}  // namespace heed::nn
