// Hints, common mistakes and checks of exercise 14.2.
#include "tutorials/14_scores/exercises/2_circle.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Point;

const double kTurn = 2 * std::acos(-1.0);

std::vector<Point> each(int n, auto place) {
  std::vector<Point> keys;
  for (int s = 0; s < n; ++s) keys.push_back(place(s));
  return keys;
}
Point on_circle(double radius, double angle) { return {radius * std::cos(angle), radius * std::sin(angle)}; }

const std::vector<app::Mistake<decltype(&mine::places)>> mistakes{
    {"Only one key wins its own query, as on a half-line from the origin, where the farthest wins all queries. Give "
     "each "
     "key a direction of its own",
     [](int n) { return each(n, [](int s) {
                   return Point{1.0 + s, 0.0};
                 }); }},
    {"Only two keys win their own queries, as on a line through the origin, where its two ends win. Give each key a "
     "direction of its own",
     [](int n) { return each(n, [n](int s) {
                   return Point{s - 0.5 * (n - 1), 0.0};
                 }); }},
    {"No key wins its own query: if all your keys are one point, look for s / n of two ints, an integer division",
     [](int n) {
       return each(n, [n](int s) {
         int whole = s / n;
         return on_circle(1, kTurn * whole);
       });
     }},
    {"Two keys do not win: the first and the last are the same point if the angles are 2 pi / (n - 1) apart. A full "
     "turn "
     "has n angles of 2 pi / n",
     [](int n) { return each(n, [n](int s) { return on_circle(1, kTurn * s / (n - 1)); }); }},
    {"Your keys differ in length: a long key wins the queries of its shorter neighbours. Give all the same length",
     [](int n) { return each(n, [n](int s) { return on_circle(1 + s, kTurn * s / n); }); }},
    {"Your keys fill a square: only its corners can win. No key may lie between others, as on a circle",
     [](int n) {
       int side = static_cast<int>(std::ceil(std::sqrt(n)));
       return each(n, [side](int s) { return Point{s % side - 0.5 * (side - 1), s / side - 0.5 * (side - 1)}; });
     }},
};

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

void examine(app::Exercise& e, const decltype(&mine::places)& places) {
  for (int n : {3, 16, 200}) {
    e.check(fmt::format("the number of keys for n = {}", n), static_cast<double>(places(n).size()), n, 0);
    e.check(fmt::format("the number of keys of {} that win their own query", n), winners(places(n)), n, 0);
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
  return e.run(argc, argv, mine::places, examine, mistakes);
}
