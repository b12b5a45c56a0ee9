// Exercise 11.2: how low must the temperature be?
//
//   |soft - hard| <= (S - 1) r exp(-lead / t)
//
// S: number of keys; r: the largest value minus the smallest; lead: the best score minus the second best; t: the
// temperature, by which the scores are divided. Derive the highest temperature at which this bound is at most eps. The
// derivation of the bound is in tutorials/11_soft_lookup/table.h.
#pragma once

namespace mine {

struct Table {
  double keys, range, lead;  // S, r, lead
};

double temperature(const Table& table, double eps);  // 0 < eps < (S - 1) r

}  // namespace mine
