// Hints and checks of exercise 14.2.
#include "tutorials/14_scores/exercises/2_circle.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Point;

int winners(const std::vector<Point>& keys) {
  int won = 0;
  for (const Point& query : keys) {
    int ahead = 0;  // keys that score at least as much as the query's own key, itself included
    double own = query[0] * query[0] + query[1] * query[1];
    for (const Point& key : keys) ahead += query[0] * key[0] + query[1] * key[1] >= own;
    won += ahead == 1;
  }
  return won;
}

void examine(app::Exercise& e) {
  for (int n : {3, 16, 200}) {
    e.check(fmt::format("the number of keys for n = {}", n), static_cast<double>(mine::places(n).size()), n, 0);
    e.check(fmt::format("the number of keys of {} that win their own query", n), winners(mine::places(n)), n, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("14", 2, "Keys for a score of rank 2");
  e.hint(
      "q . k is the length of q times how far k reaches in the direction of q. Which points reach farthest, each in a "
      "direction of its own?");
  e.hint("All on one circle around the origin, at n different angles.");
  e.hint("Key s at the angle 2 pi s / n: (cos, sin). Divide as double.");
  e.insight(
      "Two dimensions are enough for any number of keys if each has a direction of its own; but the more keys, the\n"
      "smaller the lead of the right one, and the larger the scores must be for a sharp softmax.",
      "./heed exercise 14 3");
  return e.run(argc, argv, examine);
}
