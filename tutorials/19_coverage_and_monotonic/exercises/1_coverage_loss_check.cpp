// Hints, common mistakes and checks of exercise 19.1.
#include "tutorials/19_coverage_and_monotonic/exercises/1_coverage_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "nn/attention/coverage.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Rows;
using std::size_t;

// The right answer with one part exchanged.
struct Parts {
  enum Coverage { before, with_present, last_only, future } coverage = before;
  enum Compare { minimum, maximum, product, excess } compare = minimum;
  bool mean = false, running = false, per_source = false;
};
template <Parts parts>
std::vector<double> loss_with(const Rows& a) {
  const size_t T = a.size(), S = a[0].size();
  std::vector<double> loss(parts.per_source ? S : T, 0);
  for (size_t t = 0; t < T; ++t)
    for (size_t s = 0; s < S; ++s) {
      double c = 0;
      for (size_t u = 0; u < T; ++u) {
        bool counts = u < t;
        if (parts.coverage == Parts::with_present) counts = u <= t;
        if (parts.coverage == Parts::last_only) counts = u + 1 == t;
        if (parts.coverage == Parts::future) counts = u > t;
        if (counts) c += a[u][s];
      }
      double x = std::min(a[t][s], c);
      if (parts.compare == Parts::maximum) x = std::max(a[t][s], c);
      if (parts.compare == Parts::product) x = a[t][s] * c;
      if (parts.compare == Parts::excess) x = std::max(0.0, c + a[t][s] - 1);
      loss[parts.per_source ? s : t] += x;
    }
  if (parts.mean)
    for (double& x : loss) x /= static_cast<double>(S);
  if (parts.running) std::partial_sum(loss.begin(), loss.end(), loss.begin());
  return loss;
}

const std::vector<app::Mistake<decltype(&mine::coverage_loss)>> mistakes{
    {"The gap is still open: the loss of every step is 0",
     [](const Rows& a) { return std::vector<double>(a.size(), 0); }},
    {"Your coverage contains the present step, so every weight is covered by itself: add the row after you used c",
     loss_with<Parts{.coverage = Parts::with_present}>},
    {"Your coverage is the previous row only: it is the sum of all previous rows",
     loss_with<Parts{.coverage = Parts::last_only}>},
    {"Your coverage is the sum of the later rows: a step can only know the earlier ones",
     loss_with<Parts{.coverage = Parts::future}>},
    {"You took the maximum of weight and coverage: the minimum is what the two have in common",
     loss_with<Parts{.compare = Parts::maximum}>},
    {"You multiplied weight and coverage: the paper takes the minimum, which never exceeds the weight",
     loss_with<Parts{.compare = Parts::product}>},
    {"You penalise what exceeds 1 in all: the loss compares each weight with the coverage before it, without a limit",
     loss_with<Parts{.compare = Parts::excess}>},
    {"You averaged over the source positions: the loss of a step is the sum over s", loss_with<Parts{.mean = true}>},
    {"Your losses are added up from step to step: each step has a loss of its own", loss_with<Parts{.running = true}>},
    {"You have one number for each source position: sum over s, and keep one number for each step",
     loss_with<Parts{.per_source = true}>},
};

Rows random_weights(uint64_t seed, size_t T, size_t S) {
  Generator rng(seed);
  Rows a(T, std::vector<double>(S));
  for (auto& row : a) {
    double total = 0;
    for (double& x : row) total += x = std::exp(2 * rng.normal());
    for (double& x : row) x /= total;
  }
  return a;
}

void examine(app::Exercise& e, const decltype(&mine::coverage_loss)& coverage_loss) {
  e.check("the loss of three steps that read the first, the second and again the first word, step ",
          coverage_loss({{1, 0}, {0, 1}, {1, 0}}), std::vector<double>{0, 0, 1}, 1e-12);
  for (const auto& [T, S] : {std::pair<size_t, size_t>{4, 6}, {7, 3}}) {
    Rows a = random_weights(T, T, S);
    std::vector<double> flat;
    for (const auto& row : a) flat.insert(flat.end(), row.begin(), row.end());
    Variable weights(Tensor::from(flat, {1, static_cast<int64_t>(T), static_cast<int64_t>(S)}));
    e.check(fmt::format("the loss of {} steps and {} words, against the library, step ", T, S), coverage_loss(a),
            nn::coverage_loss(weights).value().to_vector(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("19", 1, "The coverage loss");
  e.hint("Keep one vector c of S numbers, 0 at the beginning, and go through the steps in order.");
  e.hint("In step t, first add min(a[t][s], c[s]) to the loss, then add a[t][s] to c[s].");
  e.insight(
      "The loss is 0 as long as every step attends to new words, and 1 if it attends only to old ones.\n"
      "A model that never repeats itself in training gets no gradient from it.",
      "./heed exercise 19 2");
  return e.run(argc, argv, mine::coverage_loss, examine, mistakes);
}
