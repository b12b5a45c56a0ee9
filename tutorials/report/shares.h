// Weights as they are printed. If each were rounded alone, a row of 1/3, 1/3 and 1/3 would sum to 99 %, and a reader
// who adds it up would find a mistake that is not there. Here the printed numbers sum to what the weights sum to, by
// the method of the largest remainder: all are rounded down, and the missing units go to those that lost the most by
// it.
//
//   rounded_shares({0.203, 0.410, 0.304, 0.083}, 2)   ->  0.20 0.41 0.31 0.08, of the sum 1.00
//
// A number changes by less than one unit of its last digit. The pages do the same (heed.rounded in page/core.js).
#pragma once

#include <string>
#include <vector>

#include "tutorials/report/matrix.h"

namespace heed::report {

// Does each row, or else each column, have non-negative numbers that sum to 1? A row of zeros alone, of padding, may be
// among them.
bool are_weights(const Matrix& matrix);

// As whole units of 10^-digits. If one of them is not a weight (negative, NaN, infinite, over 1e6), each is rounded
// alone.
std::vector<long long> share_units(const std::vector<double>& weights, int digits);

std::vector<std::string> rounded_shares(const std::vector<double>& weights, int digits);  // "0.20"

// Each number of a matrix as a page prints it with two digits: the weights of a row or, where only the columns sum to
// 1, of a column together. A sentence that quotes one of them quotes this.
std::vector<std::string> printed(const Matrix& matrix);

}  // namespace heed::report
