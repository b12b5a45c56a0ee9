// Exercise 16.3: the score-function estimator, on all outcomes.
//
//   w_t  = softmax(e_t)                      step t draws the position z_t with the probability w_t[z_t]
//   p(z) = prod_t w_t[z_t]                   an outcome z = (z_1, .., z_T); there are S^T of them
//   R    = sum_z p(z) r(z)                   the expected reward
//   g(z) = (r(z) - b) d log p(z) / d e       the estimate from one outcome, [T][S]
//   G    = sum_z p(z) g(z)                   its mean, [T][S]: dR/de, for every b
//   V    = sum_z p(z) |g(z) - G|^2           its variance, summed over the T S elements: one number
//
// In training, outcomes are drawn at random. Here you sum over all of them, so the mean and the variance are exact.
// e [T][S] are the scores of T steps and S positions, r is the reward, which does not depend on e, and b the baseline.
// Derive d log p(z) / d e_t[s]: for one step it is the vector u(z) of exercise 16.2.
// Williams, Machine Learning 8, 1992.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace mine {

using Table = std::vector<std::vector<double>>;        // [T][S]
using Outcome = std::vector<std::size_t>;              // z_t for each step t, [T]
using Reward = std::function<double(const Outcome&)>;  // r(z)

struct Estimator {
  double reward;    // R
  Table gradient;   // G
  double variance;  // V
};

Estimator estimator(const Table& e, const Reward& r, double b);

}  // namespace mine
