// Hints, common mistakes and checks of exercise 19.2.
#include "tutorials/19_coverage_and_monotonic/exercises/2_hard_walk.h"

#include <fmt/format.h>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using mine::Walk;
using std::size_t;

struct Parts {
  enum Start { at_stop, after_stop, at_zero } start = at_stop;
  enum Choice { above_half, below_half, largest, last } choice = above_half;
  bool recovers = false, keeps_last = false, counts_stops = false, counts_all = false, off_by_one = false;
};
template <Parts parts>
Walk walk_with(const Rows& p) {
  const size_t S = p[0].size();
  Walk walk{std::vector<int64_t>(p.size(), -1), 0};
  size_t from = 0;
  for (size_t t = 0; t < p.size(); ++t) {
    size_t stop = S;
    for (size_t s = from; s < S; ++s) {
      ++walk.inspected;
      bool chosen = parts.choice == Parts::below_half ? p[t][s] < 0.5 : p[t][s] > 0.5;
      if (parts.choice == Parts::largest) chosen = stop == S || p[t][s] > p[t][stop];
      if (chosen) stop = s;
      if (chosen && parts.choice != Parts::largest && parts.choice != Parts::last) break;
    }
    if (stop < S) walk.stops[t] = static_cast<int64_t>(stop) + (parts.off_by_one ? 1 : 0);
    if (stop == S && parts.keeps_last) walk.stops[t] = static_cast<int64_t>(S) - 1;
    if (stop == S && parts.recovers) continue;
    from = parts.start == Parts::at_zero ? 0 : stop + (parts.start == Parts::after_stop ? 1 : 0);
  }
  if (parts.counts_stops) {
    walk.inspected = 0;
    for (int64_t s : walk.stops) walk.inspected += s >= 0;
  }
  if (parts.counts_all) walk.inspected = static_cast<int64_t>(p.size() * S);
  return walk;
}

const std::vector<app::Mistake<decltype(&mine::hard_walk)>> mistakes{
    {"The gap is still open: no query stops anywhere",
     [](const Rows& p) {
       return Walk{std::vector<int64_t>(p.size(), -1), 0};
     }},
    {"Your next query begins after the key of the last stop: it looks at that key again, so that two queries can read "
     "the same word",
     walk_with<Parts{.start = Parts::after_stop}>},
    {"Every query begins at key 0 again: it goes on from where the last one has stopped",
     walk_with<Parts{.start = Parts::at_zero}>},
    {"You stop where p is below 1/2: p is the probability to stop", walk_with<Parts{.choice = Parts::below_half}>},
    {"You stop at the key with the largest p: the walk stops at the first one above 1/2, without looking ahead",
     walk_with<Parts{.choice = Parts::largest}>},
    {"You stop at the last key with p > 1/2: leave the loop at the first one", walk_with<Parts{.choice = Parts::last}>},
    {"A query without a stop leaves the walk where it was: it has run off the end, and so have all later queries",
     walk_with<Parts{.recovers = true}>},
    {"A query without a stop reads the last key: it reads nothing, which is -1", walk_with<Parts{.keeps_last = true}>},
    {"The stops are right, and you counted the stops: count each comparison of a p with 1/2",
     walk_with<Parts{.counts_stops = true}>},
    {"The stops are right, and you counted T S keys: those before the last stop and after the next one are not looked "
     "at",
     walk_with<Parts{.counts_all = true}>},
    {"Your stops are one too large: keys are counted from 0", walk_with<Parts{.off_by_one = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::hard_walk)& hard_walk) {
  auto check = [&](const std::string& what, const Rows& p) {
    Walk ours = hard_walk(p), right = walk_with<Parts{}>(p);
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
  return e.run(argc, argv, mine::hard_walk, examine, mistakes);
}
