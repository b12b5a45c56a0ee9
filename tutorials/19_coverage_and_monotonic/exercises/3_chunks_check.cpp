// Hints, common mistakes and checks of exercise 19.3.
#include "tutorials/19_coverage_and_monotonic/exercises/3_chunks.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Expected;
using mine::Rows;
using std::size_t;

struct Parts {
  enum Walk { right, restarts, forgets_start, passes_p, no_stop, from_beta, after_stop } walk = right;
  enum Chunk { back, ahead, one_more, whole, even, by_alpha, one_softmax, none } chunk = back;
};
template <Parts parts>
Expected expected_with(const Rows& p, const Rows& u, size_t w) {
  const size_t T = p.size(), S = p[0].size();
  Expected out{Rows(T, std::vector<double>(S, 0)), Rows(T, std::vector<double>(S, 0))};
  std::vector<double> start(S, 0);
  start[0] = 1;
  if (parts.walk == Parts::forgets_start) start.assign(S, 1.0 / static_cast<double>(S));
  std::vector<double> before = start;
  for (size_t t = 0; t < T; ++t) {
    auto& alpha = out.alpha[t];
    auto& beta = out.beta[t];
    double q = 0;
    for (size_t s = 0; s < S; ++s) {
      double arrives = before[s];
      if (parts.walk == Parts::after_stop && t > 0) arrives = s > 0 ? before[s - 1] : 0;
      q += arrives;
      alpha[s] = parts.walk == Parts::no_stop ? q : p[t][s] * q;
      q *= parts.walk == Parts::passes_p ? p[t][s] : 1 - p[t][s];
    }
    for (size_t k = 0; k < S && parts.chunk != Parts::none; ++k) {
      size_t first = k + 1 >= w ? k + 1 - w : 0, last = k;
      if (parts.chunk == Parts::ahead) first = k, last = std::min(S - 1, k + w - 1);
      if (parts.chunk == Parts::one_more) first = k >= w ? k - w : 0;
      if (parts.chunk == Parts::whole) first = 0, last = S - 1;
      double total = 0;
      for (size_t l = parts.chunk == Parts::one_softmax ? 0 : first;
           l <= (parts.chunk == Parts::one_softmax ? S - 1 : last); ++l)
        total += parts.chunk == Parts::even ? 1 : std::exp(u[t][l]);
      for (size_t s = first; s <= last; ++s)
        beta[s] += (parts.chunk == Parts::by_alpha ? alpha[s] : alpha[k]) *
                   (parts.chunk == Parts::even ? 1 : std::exp(u[t][s])) / total;
    }
    before = parts.walk == Parts::restarts ? start : parts.walk == Parts::from_beta ? beta : alpha;
  }
  return out;
}

const std::vector<app::Mistake<decltype(&mine::mocha)>> mistakes{
    {"The gap is still open: alpha and beta are 0",
     [](const Rows& p, const Rows&, size_t) {
       Rows none(p.size(), std::vector<double>(p[0].size(), 0));
       return Expected{none, none};
     }},
    {"alpha is right, and beta is still 0: distribute alpha over the chunks",
     expected_with<Parts{.chunk = Parts::none}>},
    {"Every query begins at key 0 again: the row before the query is alpha of the query before",
     expected_with<Parts{.walk = Parts::restarts}>},
    {"Your first query begins anywhere: before it, the walk is at key 0 with probability 1",
     expected_with<Parts{.walk = Parts::forgets_start}>},
    {"The walk passes a key with p in your program: it passes with 1 - p",
     expected_with<Parts{.walk = Parts::passes_p}>},
    {"Your alpha is q, the probability to look at a key: multiply by p, the probability to stop there",
     expected_with<Parts{.walk = Parts::no_stop}>},
    {"Your next query goes on from beta: the walk is where it has stopped, which is alpha",
     expected_with<Parts{.walk = Parts::from_beta}>},
    {"Your next query begins one key after the last stop: it looks at that key again",
     expected_with<Parts{.walk = Parts::after_stop}>},
    {"Your chunk begins at the stop and goes forward: it ends at the stop, so nothing after it is needed",
     expected_with<Parts{.chunk = Parts::ahead}>},
    {"Your chunk has w + 1 keys: it is k - w + 1 .. k", expected_with<Parts{.chunk = Parts::one_more}>},
    {"Your chunk is the whole source: only the last w keys up to the stop belong to it",
     expected_with<Parts{.chunk = Parts::whole}>},
    {"Inside a chunk your weights are all equal: they are the softmax of u",
     expected_with<Parts{.chunk = Parts::even}>},
    {"You multiplied by alpha of the key that is read: it is alpha of the stop k, to which the chunk belongs",
     expected_with<Parts{.chunk = Parts::by_alpha}>},
    {"The sum below the fraction runs over the whole source: it runs over the chunk of the stop k",
     expected_with<Parts{.chunk = Parts::one_softmax}>},
};

std::vector<double> flat(const Rows& rows) {
  std::vector<double> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

void examine(app::Exercise& e, const decltype(&mine::mocha)& mocha) {
  const Rows p{{.3, .6, .8}, {.5, .2, .9}}, zeros(2, {0, 0, 0});
  e.check("alpha of the lesson's example, element ", flat(mocha(p, zeros, 1).alpha),
          std::vector<double>{.3, .42, .224, .15, .114, .612}, 1e-12);
  e.check("beta with chunks of 1, which is alpha, element ", flat(mocha(p, zeros, 1).beta),
          std::vector<double>{.3, .42, .224, .15, .114, .612}, 1e-12);
  for (const auto& [T, S, w] : {std::tuple<size_t, size_t, size_t>{3, 6, 2}, {5, 4, 3}}) {
    Generator rng(T);
    Rows stop(T, std::vector<double>(S)), u = stop;
    for (size_t t = 0; t < T; ++t)
      for (size_t s = 0; s < S; ++s) stop[t][s] = rng.uniform(), u[t][s] = 2 * rng.normal();
    Expected ours = mocha(stop, u, w), right = expected_with<Parts{}>(stop, u, w);
    const std::string of = fmt::format("of {} queries, {} keys and chunks of {}, element ", T, S, w);
    e.check("alpha " + of, flat(ours.alpha), flat(right.alpha), 1e-12);
    e.check("beta " + of, flat(ours.beta), flat(right.beta), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("19", 3, "Expected alignment and chunks");
  e.hint("Inside the loop over s: q += before[s]; alpha = p * q; q *= 1 - p. No list of walks is needed.");
  e.hint("For each stop k: the sum of exp(u) over its chunk, then add alpha[t][k] exp(u[t][s]) / sum to beta[t][s].");
  e.hint("k - w + 1 may be negative, and std::size_t cannot: compare k + 1 with w first.");
  e.insight(
      "The recurrence adds up all walks in T S steps: the probability to be at a key is all that a walk has to "
      "remember.\n"
      "A chunk gives back some freedom of order within a walk that never goes back.",
      "./heed run 20");
  return e.run(argc, argv, mine::mocha, examine, mistakes);
}
