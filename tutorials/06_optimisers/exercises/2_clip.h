// Exercise 06.2: clip gradients by their common norm.
//
//   n = sqrt(sum over all tensors and all elements of g^2)
//   g <- g min(1, limit / n)            for every element of every tensor
//
// All elements get the same factor, so that the step keeps its direction.
//
// Pascanu, Mikolov and Bengio, ICML 2013, algorithm 1.
#pragma once

#include <vector>

namespace mine {

using Gradients = std::vector<std::vector<double>>;  // gradients[i]: the elements of tensor i

Gradients clipped(Gradients gradients, double limit);

}  // namespace mine
