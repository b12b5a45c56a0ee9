// Exercise 17.1: sparsemax.
//
//   w_s = max(e_s - tau, 0)                                  tau such that the weights sum to 1
//   e_(1) >= e_(2) >= .. >= e_(S)                            the scores in falling order
//   k   = the largest k with 1 + k e_(k) > e_(1) + .. + e_(k)
//   tau = (e_(1) + .. + e_(k) - 1) / k
//
// The k keys with the largest scores are the support: they have the weights above 0.
// Martins and Astudillo, ICML 2016, algorithm 1.
#pragma once

#include <vector>

namespace mine {

// e: scores of S keys -> w: their weights, in the order of e
std::vector<double> sparsemax(const std::vector<double>& e);

}  // namespace mine
