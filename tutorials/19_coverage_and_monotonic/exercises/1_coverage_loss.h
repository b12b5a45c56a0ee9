// Exercise 19.1: the coverage loss.
//
//   c_t    = sum_{t' < t} a_t'               the coverage before step t, [S]; c_0 = 0
//   loss_t = sum_s min(a_ts, c_ts)           [T]
//
// a [T][S] are the attention weights of T steps over S source positions. The loss of a step is large if the step
// attends to positions that have received attention before. c_t may exceed 1, loss_t cannot: it is at most the sum of
// the weights of its row. See, Liu and Manning, ACL 2017, equations 10 and 12.
#pragma once

#include <vector>

namespace mine {

using Rows = std::vector<std::vector<double>>;  // [T][S]

std::vector<double> coverage_loss(const Rows& a);  // -> [T]

}  // namespace mine
