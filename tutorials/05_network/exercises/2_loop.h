// Exercise 05.2: the training loop.
//
//   for each epoch, for each batch:   forget the last gradients, logits, loss, its gradient, a step
//
// epoch: every example is used once. batch: rows [begin, end) of x [N, 2] and y [N]; the last batch may be smaller. The
// examples are shuffled already. learn returns the mean of the losses of the last epoch's batches.
//
// sgd.zero_grad() and sgd.step() are the optimiser's; cross_entropy(logits, targets) is the loss, a Variable, and
// loss.item() is its number; x.slice(0, begin, end) takes rows of a tensor; backward(loss) computes the gradients.
// Source: H. Robbins and S. Monro, "A stochastic approximation method", 1951.
#pragma once

#include "tutorials/05_network/loop.h"

namespace mine {

// model: logits [B, 2] of points [B, 2]; data: x [N, 2] and y [N], data.count() is N.
double learn(const heed::Model& model, heed::nn::SGD& sgd, const heed::Points& data, int64_t epochs, int64_t batch);

}  // namespace mine
