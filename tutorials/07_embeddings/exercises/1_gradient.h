// Exercise 07.1: the gradients of one pair of words, by hand.
//
//   L = -log sigmoid(u_0 . v)  -  sum over k = 1 .. K of log sigmoid(-u_k . v)         v [D], u [1 + K, D]
//
// v is the vector of the centre word, u_0 that of a word from its context, u_1 .. u_K those of K negative samples.
// Derive dL/dv and dL/du on paper first. The derivative of -log sigmoid(x) is sigmoid(x) - 1, and that of -log
// sigmoid(-x) is sigmoid(x). The original word2vec program computes just this: it has no autograd.
//
// Mikolov et al., NeurIPS 2013, equation 4.
#pragma once

#include <vector>

namespace mine {

using Vector = std::vector<double>;

struct Gradients {
  Vector v;               // dL/dv [D]
  std::vector<Vector> u;  // dL/du [1 + K][D]
};

Gradients gradients(const Vector& v, const std::vector<Vector>& u);

}  // namespace mine
