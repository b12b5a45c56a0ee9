// Exercise 14.2: n keys for a score of rank 2.
//
//   e_ts = q_t . k_s        q_s = k_s, a point of the plane
//
// Place n keys in the plane so that each key wins its own query: key s has a larger score for the query q = k_s than
// all other keys.
#pragma once

#include <array>
#include <vector>

namespace mine {

using Point = std::array<double, 2>;

std::vector<Point> places(int n);

}  // namespace mine
