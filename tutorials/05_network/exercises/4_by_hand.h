// Exercise 05.4: a training step by hand.
//
//   z = x W^T + b        h = max(z, 0)        logits = h V^T + c
//   p = softmax(logits), by rows              L = -(1/B) sum_i log p[i, y_i]
//   A <- A - r dL/dA                          for each of the four parameters A
//
// x [B, D], y [B], z and h [B, N], logits and p [B, C]. B examples, D inputs, N hidden units, C classes; y_i is the
// class of example i. Nothing here computes gradients for you: derive dL/dlogits (lesson 04), then go backwards through
// the lines above, one at a time. All four gradients belong to the parameters as they were before the step.
// Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors", Nature 323, 1986.
#pragma once

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace mine {

struct Network {
  heed::Tensor W, b;  // [N, D], [N]
  heed::Tensor V, c;  // [C, N], [C]
};

// One step of gradient descent with the learning rate r on the examples x (f64) and their classes y (i64). Changes the
// network; returns L, the loss before the step.
double train_step(Network& net, const heed::Tensor& x, const heed::Tensor& y, double r);

}  // namespace mine
