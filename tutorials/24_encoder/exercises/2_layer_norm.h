// Exercise 24.2: what does a norm divide by?
//
//   y = (x - mean) / sqrt(variance + eps)        variance = the mean of (x - mean)^2, over all d numbers of x
//
// Ba, Kiros and Hinton, 2016, equation 3, without weight and bias.
#pragma once

#include <vector>

namespace mine {

std::vector<double> layer_norm(const std::vector<double>& x, double eps);

}  // namespace mine
