// Exercise 14.2: n keys for a score of rank 2.
//
//   e_ts = q_t . k_s,      q_s = k_s, a point of the plane
//
// Put n keys into the plane so that each wins when it is asked with itself. What stands in the gap puts them on a line:
// there only the last wins. The checks count how many win.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "tutorials/common/exercise.h"

namespace {

using Point = std::array<double, 2>;

std::vector<Point> places(int n) {
  std::vector<Point> keys;
  for (int s = 0; s < n; ++s) {
    // ---- the gap: leave the line ----
    keys.push_back({1.0 + s, 0.0});
    // ---- end of the gap ----
  }
  return keys;
}

int winners(const std::vector<Point>& keys) {
  int won = 0;
  for (const Point& query : keys) {
    int ahead = 0;  // keys that score at least as much as the one that is asked
    double own = query[0] * query[0] + query[1] * query[1];
    for (const Point& key : keys) ahead += query[0] * key[0] + query[1] * key[1] >= own;
    won += ahead == 1;
  }
  return won;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 2, "Keys for a score of rank 2");
  e.hint(
      "A product is the key's length along the query. Which points lie farthest out, each in a direction of its own?");
  e.hint("All on one circle, at n different angles.");
  return e.run(argc, argv, [&] {
    for (int n : {3, 16, 200}) e.check(fmt::format("winners among {} keys", n), winners(places(n)), n, 0.1);
  });
}
