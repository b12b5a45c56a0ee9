// Hints, common mistakes and checks of exercise 17.3.
#include "tutorials/17_sparse/exercises/3_entmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/attention/normalisers/entmax.h"
#include "tutorials/17_sparse/simplex.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Entmax;
using sparse::Row;

// The right answer with one part exchanged.
struct Parts {
  enum Score { scaled, plain } score = scaled;
  enum Power { inverse, direct, none } power = inverse;
  enum Search { right, swapped, few, from_zero } search = right;
  enum Slope { two_minus, one_minus, first, constant } slope = two_minus;
  enum Mean { share, plain_mean, weighted, sum, no_mean } mean = share;
  bool no_outer = false, divide = false, wrong_sign = false;
};
template <Parts p>
Entmax with(const Row& e, double alpha, const Row& dw) {
  const std::size_t S = e.size();
  Entmax result{Row(S, 0), Row(S, 0)};
  Row u;
  for (double x : e) u.push_back(p.score == Parts::plain ? x : (alpha - 1) * x);
  const double largest = *std::max_element(u.begin(), u.end());
  if (largest == -INFINITY) return result;
  const double power = p.power == Parts::direct ? alpha - 1 : p.power == Parts::none ? 1 : 1 / (alpha - 1);
  auto weight = [&](std::size_t s, double tau) {
    const double over = std::max(u[s] - tau, 0.0);
    return over > 0 ? std::pow(over, power) : 0.0;
  };
  double low = p.search == Parts::from_zero ? 0 : largest - 1, high = p.search == Parts::from_zero ? 1 : largest;
  for (int step = 0; step < (p.search == Parts::few ? 4 : 60); ++step) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (std::size_t s = 0; s < S; ++s) sum += weight(s, middle);
    ((sum >= 1) != (p.search == Parts::swapped) ? low : high) = middle;
  }
  double total = 0;
  for (std::size_t s = 0; s < S; ++s) total += result.w[s] = weight(s, low);
  if (p.divide)
    for (double& x : result.w) x /= total;
  auto slope = [&](std::size_t s) {
    if (p.slope == Parts::one_minus) return std::pow(result.w[s], 1 - alpha);
    if (p.slope == Parts::first) return result.w[s];
    if (p.slope == Parts::constant) return 1.0;
    return std::pow(result.w[s], 2 - alpha);
  };
  double slopes = 0, mean = 0, plain = 0, size = 0, weighted = 0;
  for (std::size_t s = 0; s < S; ++s) {
    if (result.w[s] == 0) continue;
    slopes += slope(s), mean += slope(s) * dw[s], plain += dw[s], ++size, weighted += result.w[s] * dw[s];
  }
  double subtracted = mean / slopes;
  if (p.mean == Parts::plain_mean) subtracted = plain / size;
  if (p.mean == Parts::weighted) subtracted = weighted;
  if (p.mean == Parts::sum) subtracted = mean;
  if (p.mean == Parts::no_mean) subtracted = 0;
  for (std::size_t s = 0; s < S; ++s)
    if (result.w[s] > 0)
      result.de[s] = (p.no_outer ? 1 : slope(s)) * (p.wrong_sign ? subtracted - dw[s] : dw[s] - subtracted);
  return result;
}

const std::vector<app::Mistake<decltype(&mine::entmax)>> mistakes{
    {"The gap is still open: all weights and gradients are 0",
     [](const Row& e, double, const Row&) {
       return Entmax{Row(e.size(), 0), Row(e.size(), 0)};
     }},
    {"The scores are not multiplied by alpha - 1", with<Parts{.score = Parts::plain}>},
    {"The exponent is alpha - 1: it is 1 / (alpha - 1)", with<Parts{.power = Parts::direct}>},
    {"The exponent is missing: this is the sparsemax of (alpha - 1) e", with<Parts{.power = Parts::none}>},
    {"The bisection moves the wrong end: a sum of at least 1 means that tau is too small, so low moves up",
     with<Parts{.search = Parts::swapped}>},
    {"The bisection stops too early: four steps leave an error of 1/16 in tau, take 60",
     with<Parts{.search = Parts::few}>},
    {"The search starts between 0 and 1: tau lies between max u - 1 and max u",
     with<Parts{.search = Parts::from_zero}>},
    {"The slope is w^(1 - alpha): it is w^(2 - alpha)", with<Parts{.slope = Parts::one_minus}>},
    {"The slope is w, as for a softmax: it is w^(2 - alpha), which is w only for alpha = 1",
     with<Parts{.slope = Parts::first}>},
    {"The slope is 1, as for sparsemax: it is w^(2 - alpha), which is 1 only for alpha = 2",
     with<Parts{.slope = Parts::constant}>},
    {"You subtract the plain mean of dw over the support: weigh it with p, which is w^(2 - alpha) divided by its sum",
     with<Parts{.mean = Parts::plain_mean}>},
    {"You subtract the mean of dw weighted by w: the weights of this mean are p, not w",
     with<Parts{.mean = Parts::weighted}>},
    {"The sum of w^(2 - alpha) dw is not divided by the sum of w^(2 - alpha)", with<Parts{.mean = Parts::sum}>},
    {"tau counts as a constant: subtract the mean of dw, weighted by p", with<Parts{.mean = Parts::no_mean}>},
    {"The factor w^(2 - alpha) in front of the bracket is missing", with<Parts{.no_outer = true}>},
    {"The gradient has the wrong sign: a weight grows with its own score", with<Parts{.wrong_sign = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::entmax)& entmax) {
  Generator rng(19);
  for (double alpha : {1.25, 1.5, 2.0, 3.0}) {
    for (int64_t S : {4, 7}) {
      Row scores = Tensor::normal({S}, rng, 0.3, 1, DType::f64).to_vector();
      const Row dw = Tensor::normal({S}, rng, 0.5, 1, DType::f64).to_vector();
      const bool masked = S == 7;
      if (masked) scores[2] = -INFINITY;
      const std::string with = fmt::format("alpha {:g}, {} keys{}", alpha, S, masked ? ", one not allowed" : "");
      auto library = [&](const Row& row) {
        return nn::entmax(Variable(Tensor::from(row, {1, S})), Variable(Tensor::scalar(alpha, DType::f64)))
            .value()
            .to_vector();
      };
      const Entmax ours = entmax(scores, alpha, dw);
      const Row expected = library(scores);
      e.check(with + ", weight ", ours.w, expected, 1e-12);
      Row numeric;
      for (std::size_t r = 0; r < scores.size(); ++r) {
        Row up = scores, down = scores;
        up[r] += 1e-6, down[r] -= 1e-6;
        const Row high = library(up), low = library(down);
        double slope = 0;
        for (std::size_t s = 0; s < dw.size(); ++s) slope += dw[s] * (high[s] - low[s]) / 2e-6;
        numeric.push_back(slope);
      }
      e.check(with + ", gradient by score ", ours.de, numeric, 1e-6);
    }
  }
  const Entmax none = entmax(Row(3, -INFINITY), 1.5, Row(3, 1));
  e.check("no key allowed, weight ", none.w, Row(3, 0), 0);
  e.check("no key allowed, gradient by score ", none.de, Row(3, 0), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("17", 3, "Entmax by bisection, and its gradient");
  e.hint(
      "A lambda weight(s, tau) serves both the bisection and the result: pow(max(u[s] - tau, 0.), 1 / (alpha - 1)).");
  e.hint("-inf needs no special case in the weights: max(-inf - tau, 0) is 0. Only a row of nothing else does.");
  e.hint("w^(2 - alpha) of a weight of 0 is infinite for alpha above 2: leave such keys out of both sums.");
  e.hint("mean = sum of w^(2 - alpha) dw over the support, divided by the sum of w^(2 - alpha); then the last line.");
  e.insight(
      "One function from softmax (alpha near 1) to sparsemax (alpha 2) and beyond. In the gradient a weight counts\n"
      "with w^(2 - alpha): like w for the softmax, the same for all for sparsemax.",
      "./heed run 18");
  return e.run(argc, argv, mine::entmax, examine, mistakes);
}
