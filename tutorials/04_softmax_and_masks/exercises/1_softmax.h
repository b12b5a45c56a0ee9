// Exercise 04.1: softmax and log-sum-exp that never overflow.
//
//   p_i = e^x_i / sum_j e^x_j          lse = log sum_j e^x_j          of one row x of logits
//
// e^x is infinite from x = 710 on, and 0 below -746. Both results are ordinary numbers all the same: softmax does not
// change when the same number is added to all logits, and lse grows by that number. Choose the number well.
//
// A logit of -inf means "masked". If all logits are masked, the softmax is all zeros here (the row attends to nothing),
// and lse is -inf, the logarithm of an empty sum.
// Source: Blanchard, D. Higham and N. Higham, "Accurately computing the log-sum-exp and softmax functions", 2021.
// The second function is checked once the first is right.
#pragma once

#include <vector>

namespace mine {

double log_sum_exp(const std::vector<double>& x);
std::vector<double> softmax(const std::vector<double>& x);

}  // namespace mine
