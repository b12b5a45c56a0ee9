// Hints, common mistakes and checks of exercise 17.1.
#include "tutorials/17_sparse/exercises/1_sparsemax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tensor/tensor.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using sparse::Row;

// The right answer with one part exchanged.
struct Parts {
  enum Order { falling, as_given } order = falling;
  enum Support { right, all, one, one_more } support = right;
  enum Tau { minus_one, no_one, plus_one, no_division } tau = minus_one;
  enum Weight { positive, signed_, absolute, whole_score } weight = positive;
};
template <Parts p>
Row with(const Row& e) {
  Row sorted = e, w;
  if (p.order == Parts::falling) std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, support = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto k = static_cast<double>(i + 1);
    sum += sorted[i];
    if (1 + k * sorted[i] > sum) support = k;
  }
  const auto S = static_cast<double>(e.size());
  if (p.support == Parts::all) support = S;
  if (p.support == Parts::one) support = 1;
  if (p.support == Parts::one_more) support = std::min(support + 1, S);
  double tau = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(support); ++i) tau += sorted[i];
  tau += p.tau == Parts::plus_one ? 1 : p.tau == Parts::no_one ? 0 : -1;
  if (p.tau != Parts::no_division) tau /= support;
  for (double x : e) {
    double v = std::max(x - tau, 0.0);
    if (p.weight == Parts::signed_) v = x - tau;
    if (p.weight == Parts::absolute) v = std::abs(x - tau);
    if (p.weight == Parts::whole_score) v = x > tau ? x : 0;
    w.push_back(v);
  }
  return w;
}

const std::vector<app::Mistake<decltype(&mine::sparsemax)>> mistakes{
    {"The gap is still open: these are the scores, not weights", [](const Row& e) { return e; }},
    {"This is the softmax: sparsemax has no exponential, it subtracts tau and cuts off at 0",
     [](const Row& e) {
       Row w;
       double total = 0;
       for (double x : e) total += std::exp(x);
       for (double x : e) w.push_back(std::exp(x) / total);
       return w;
     }},
    {"Negative scores are cut off and the rest is divided by its sum: subtract tau instead, a common shift",
     [](const Row& e) { return sparse::clipped_and_divided(e); }},
    {"The scores are not sorted: the sums run over the largest scores first", with<Parts{.order = Parts::as_given}>},
    {"tau is computed from all keys: sort in falling order, and sum only the k scores of the support",
     with<Parts{.support = Parts::all}>},
    {"Only the largest score is in the support: look for the largest k that fulfils the condition",
     with<Parts{.support = Parts::one}>},
    {"The support has one key too many: the last k that fulfils the condition counts, not the one after it",
     with<Parts{.support = Parts::one_more}>},
    {"The 1 is missing in tau: the weights are to sum to 1", with<Parts{.tau = Parts::no_one}>},
    {"The 1 is added in tau: it is subtracted from the sum of the scores", with<Parts{.tau = Parts::plus_one}>},
    {"tau is not divided by k: it is the same shift for each of the k keys", with<Parts{.tau = Parts::no_division}>},
    {"Some weights are negative: take max(e_s - tau, 0)", with<Parts{.weight = Parts::signed_}>},
    {"You take the absolute value of e_s - tau: a score below tau gets the weight 0",
     with<Parts{.weight = Parts::absolute}>},
    {"Keys of the support keep their whole score: subtract tau from it", with<Parts{.weight = Parts::whole_score}>},
};

void examine(app::Exercise& e, const decltype(&mine::sparsemax)& sparsemax) {
  Generator rng(17);
  for (int64_t S : {2, 5, 8}) {
    for (double size : {0.3, 1.0, 3.0}) {
      const Row scores = Tensor::normal({S}, rng, 0.2, size, DType::f64).to_vector();
      e.check(fmt::format("{} scores of size {:g}, weight ", S, size), sparsemax(scores),
              sparse::nearest_by_enumeration(scores), 1e-12);
    }
  }
  e.check("three equal scores, weight ", sparsemax({0.4, 0.4, 0.4}), Row(3, 1.0 / 3), 1e-12);
  e.check("one key, weight ", sparsemax({-3}), Row{1}, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 1, "Sparsemax");
  e.hint("std::sort(v.begin(), v.end(), std::greater<>()) sorts in falling order.");
  e.hint("Add the sorted scores up one after the other; with each, test the condition for this k.");
  e.hint("if (1 + k * sorted[k - 1] > sum) tau = (sum - 1) / k; the last k that passes wins.");
  e.insight(
      "A shift and a cut at 0: these are the weights nearest to the scores. The checks compared yours with a search\n"
      "through all 2^S - 1 supports, which your sort makes unnecessary.",
      "./heed exercise 17 2");
  return e.run(argc, argv, mine::sparsemax, examine, mistakes);
}
