// Hints and checks of exercise 19.2.
#include "tutorials/19_coverage_and_monotonic/exercises/2_hard_walk.h"

#include <fmt/format.h>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using mine::Walk;
using std::size_t;

Walk expected(const Rows& p) {
  Walk walk{std::vector<int64_t>(p.size(), -1), 0};
  size_t s = 0;
  for (size_t t = 0; t < p.size() && s < p[t].size(); ++t) {
    while (s < p[t].size() && (++walk.inspected, p[t][s] <= 0.5)) ++s;
    if (s < p[t].size()) walk.stops[t] = static_cast<int64_t>(s);
  }
  return walk;
}

void examine(app::Exercise& e) {
  auto check = [&](const std::string& what, const Rows& p) {
    Walk ours = mine::hard_walk(p), right = expected(p);
    e.check(fmt::format("the stops of {}, query ", what), std::vector<double>(ours.stops.begin(), ours.stops.end()),
            std::vector<double>(right.stops.begin(), right.stops.end()), 0);
    e.check("the number of inspected keys of " + what, static_cast<double>(ours.inspected),
            static_cast<double>(right.inspected), 0);
  };
  check("three queries and four keys", {{.1, .7, .9, .2}, {.2, .6, .3, .8}, {.4, .3, .2, .6}});  // stops 1, 1, 3
  check("a walk that runs off the end", {{.1, .8, .1}, {.9, .2, .3}, {.9, .9, .9}});
  for (uint64_t seed : {1u, 2u, 3u}) {
    Generator rng(seed);
    Rows p(6, std::vector<double>(9 + seed));
    for (auto& row : p)
      for (double& x : row) x = 0.75 * rng.uniform();
    check(fmt::format("random probabilities {}", seed), p);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("19", 2, "The walk when it translates");
  e.hint("One index s for all queries, declared before the loop over t.");
  e.hint("In query t: while s < S, count one, stop if p[t][s] > 1/2, else ++s. Do not move s when you stop.");
  e.insight(
      "The index only grows, so a whole sentence costs at most T + S comparisons, and softmax attention T S.\n"
      "The walk needs no word after its stop: a translation can begin before the sentence has ended.",
      "./heed exercise 19 3");
  return e.run(argc, argv, examine);
}
