// Hints and checks of exercise 19.3.
#include "tutorials/19_coverage_and_monotonic/exercises/3_chunks.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Expected;
using mine::Rows;
using std::size_t;

// By sums over all keys: P(stop at s) = p_s sum_u P(stopped at u before) prod_{u <= v < s} (1 - p_v).
Expected expected(const Rows& p, const Rows& u, size_t w) {
  const size_t T = p.size(), S = p[0].size();
  Expected out{Rows(T, std::vector<double>(S, 0)), Rows(T, std::vector<double>(S, 0))};
  for (size_t t = 0; t < T; ++t)
    for (size_t from = 0; from < S; ++from) {
      double arrives = t > 0 ? out.alpha[t - 1][from] : from == 0 ? 1 : 0;
      for (size_t k = from; k < S; arrives *= 1 - p[t][k++]) {
        const size_t first = k + 1 >= w ? k + 1 - w : 0;
        double total = 0;
        for (size_t l = first; l <= k; ++l) total += std::exp(u[t][l]);
        out.alpha[t][k] += arrives * p[t][k];
        for (size_t s = first; s <= k; ++s) out.beta[t][s] += arrives * p[t][k] * std::exp(u[t][s]) / total;
      }
    }
  return out;
}

std::vector<double> flat(const Rows& rows) {
  std::vector<double> out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

void examine(app::Exercise& e) {
  const Rows p{{.3, .6, .8}, {.5, .2, .9}}, zeros(2, {0, 0, 0});
  e.check("alpha of the lesson's example, element ", flat(mine::mocha(p, zeros, 1).alpha),
          std::vector<double>{.3, .42, .224, .15, .114, .612}, 1e-12);
  e.check("beta with chunks of 1, which is alpha, element ", flat(mine::mocha(p, zeros, 1).beta),
          std::vector<double>{.3, .42, .224, .15, .114, .612}, 1e-12);
  for (const auto& [T, S, w] : {std::tuple<size_t, size_t, size_t>{3, 6, 2}, {5, 4, 3}}) {
    Generator rng(T);
    Rows stop(T, std::vector<double>(S)), u = stop;
    for (size_t t = 0; t < T; ++t)
      for (size_t s = 0; s < S; ++s) stop[t][s] = rng.uniform(), u[t][s] = 2 * rng.normal();
    Expected ours = mine::mocha(stop, u, w), right = expected(stop, u, w);
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
  return e.run(argc, argv, examine);
}
