// Exercise 08.2: which forget bias does a distance need?
//
// The cell of an LSTM is c' = f c + i g with the forget gate f = sigmoid(..). In a new network with small weights f is
// about sigmoid(bias) in each step, so over d steps the gradient with respect to c is multiplied by
//
//   sigmoid(bias)^d
//
// Derive the bias for which the share `share` of the gradient is left after `distance` steps. The common bias of 1 is
// enough for a few steps only. The checks set all weights of an LSTM to 0, use your bias, and measure the gradient.
//
// Gers, Schmidhuber and Cummins, Neural Computation 2000 (forget gate); Jozefowicz, Zaremba and Sutskever, ICML 2015
// (its bias of 1).
#pragma once

namespace mine {

double forget_bias(double distance, double share);  // distance >= 1, 0 < share < 1

}  // namespace mine
