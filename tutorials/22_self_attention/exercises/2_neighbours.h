// Exercise 22.2: two heads by hand.
//
//   x_n = (cos(a n), sin(a n)),  a = 2 pi / R         R words in a ring; word n is a point on the unit circle
//   head h attends to the key m with the largest score (x_n W_h) . x_m              W_h [2, 2]
//
// Choose W_1 so that word n attends to n + 1, and W_2 so that it attends to n - 1. x_n is a row vector, so column j of
// W_h makes number j of the query.
#pragma once

#include <array>

namespace mine {

using Matrix = std::array<std::array<double, 2>, 2>;  // [row][column]

std::array<Matrix, 2> queries(double a);  // {W_1, W_2}

}  // namespace mine
