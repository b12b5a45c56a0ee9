// Exercise 06.1: one step of Adam, for one weight.
//
//   m <- b1 m + (1 - b1) g              moving average of the gradients
//   s <- b2 s + (1 - b2) g^2            moving average of their squares
//   mhat = m / (1 - b1^t)               shat = s / (1 - b2^t)              t = 1, 2, ..: number of the step
//   w <- w - lr mhat / (sqrt(shat) + eps)
//
// m and s start at 0, so at first they are too small, s more so than m. Dividing by 1 - b1^t and 1 - b2^t corrects this
// bias.
//
// Kingma and Ba, ICLR 2015, algorithm 1.
#pragma once

namespace mine {

struct Moments {
  double m = 0, s = 0;  // both are kept from step to step, uncorrected
};

// Updates the moments and returns the new weight. g: the gradient dL/dw. t: the number of the step, from 1.
double adam_step(double w, double g, Moments& at, int t, double lr, double b1, double b2, double eps);

}  // namespace mine
