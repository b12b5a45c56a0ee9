// What weight decay leaves of weights that the loss does not need. All start at 1, and their gradients are noise of
// mean 0, so only the decay has a direction. AdamW removes the share lr decay at each step, whatever the noise:
//
//   (1 - lr decay)^steps
//
// Decay inside the gradient, as in L2 regularisation, is divided by sqrt(s) together with the rest.
#pragma once

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"

namespace optimisers {

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
