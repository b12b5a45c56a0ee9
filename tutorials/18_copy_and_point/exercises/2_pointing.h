// Exercise 18.2: the probability of an order.
//
// A pointer network names each of S positions once. At step t, the positions z_1 .. z_{t-1} have been used, and
//
//   p_t(s) = exp(e_t[s]) / sum over unused r of exp(e_t[r])      if s is unused, else 0
//
// Return log p_t(z_t) for t = 1 .. S. The scores may be as large as 1000, so subtract the maximum of the unused ones.
// Vinyals, Fortunato and Jaitly, NeurIPS 2015, section 2.3; the mask is that of Bello et al., 2016 (arXiv:1611.09940).
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

// e [S][S]: row t has the scores of step t; z [S]: the position that each step points at -> [S]
std::vector<double> log_probabilities(const std::vector<std::vector<double>>& e, const std::vector<std::size_t>& z);

}  // namespace mine
