// Exercise 17.2: the gradient of sparsemax.
//
//   w_s = e_s - tau  for s in the support A, else 0          tau = (sum_{s in A} e_s - 1) / |A|
//
// Given the weights w of a row and dw, the gradient of the loss with respect to w, find de, that with respect to e:
//
//   de_r = sum_s dw_s dw_s/de_r
//
// Derive dw_s/de_r first: for s and r in the support, and for the others. A small change of the scores does not change
// the support. Martins and Astudillo, ICML 2016, section 2.
#pragma once

#include <cstddef>
#include <vector>

namespace mine {

// w, dw: [S] each -> de [S]
std::vector<double> sparsemax_gradient(const std::vector<double>& w, const std::vector<double>& dw);

}  // namespace mine
