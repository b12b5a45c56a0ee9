// Weights as they are printed. Each is rounded for itself in most programs, and a row of 0.333, 0.333 and 0.333 then
// sums to 99 %: a reader who adds it up finds a mistake that is not there. Here what is printed sums to what the
// weights sum to, by the method of the largest remainder: all are rounded down, and the units that are missing go to
// those that lost most by it.
//
//   rounded_shares({0.203, 0.410, 0.304, 0.083}, 2)   ->  0.20 0.41 0.31 0.08, of the sum 1.00
//
// A number changes by less than one unit of its last digit. The pages do the same (heed.rounded in page/core.js).
#pragma once

#include <string>
#include <vector>

namespace heed::report {

// As whole units of 10^-digits. What is not a weight (negative, NaN, infinite, over 1e6) makes all of them rounded for
// themselves.
std::vector<long long> share_units(const std::vector<double>& weights, int digits);

std::vector<std::string> rounded_shares(const std::vector<double>& weights, int digits);  // "0.20"

}  // namespace heed::report
