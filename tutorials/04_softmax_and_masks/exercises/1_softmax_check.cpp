// Hints, common mistakes and checks of exercise 04.1.
#include "tutorials/04_softmax_and_masks/exercises/1_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using Row = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Answer {
  decltype(&mine::log_sum_exp) log_sum_exp;
  decltype(&mine::softmax) softmax;
};

double maximum(const Row& x) { return *std::ranges::max_element(x); }
double mean(const Row& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}
double sum_exp(const Row& x, double shift) {
  double sum = 0;
  for (double v : x) sum += std::exp(v - shift);
  return sum;
}
double lse_with(const Row& x, double shift) { return shift + std::log(sum_exp(x, shift)); }
Row softmax_with(const Row& x, double shift) {
  Row p;
  for (double v : x) p.push_back(std::exp(v - shift) / sum_exp(x, shift));
  return p;
}
double right_lse(const Row& x) { return maximum(x) == -kInfinity ? -kInfinity : lse_with(x, maximum(x)); }
Row right_softmax(const Row& x) { return maximum(x) == -kInfinity ? Row(x.size(), 0.0) : softmax_with(x, maximum(x)); }

using R = const Row&;
const std::vector<app::Mistake<Answer>> mistakes{
    {"log_sum_exp is still open: the formula as written overflows for large logits and is log 0 for very small ones",
     {[](R x) { return lse_with(x, 0); }, right_softmax}},
    {"lse is too small by the maximum m: what you subtract from the logits must be added again, m + log(..)",
     {[](R x) { return maximum(x) == -kInfinity ? -kInfinity : std::log(sum_exp(x, maximum(x))); }, right_softmax}},
    {"lse is NaN where all logits are -inf: -inf - (-inf) is not a number, so return -inf before you subtract",
     {[](R x) { return lse_with(x, maximum(x)); }, right_softmax}},
    {"In lse the maximum is searched from 0 upwards: start at the first logit, or all logits of -1000 underflow",
     {[](R x) { return lse_with(x, std::max(0.0, maximum(x))); }, right_softmax}},
    {"In lse you subtract the minimum: the largest difference must be 0, so subtract the maximum",
     {[](R x) { return lse_with(x, *std::ranges::min_element(x)); }, right_softmax}},
    {"In lse you subtract the mean: a logit far above it still overflows. Subtract the maximum",
     {[](R x) { return lse_with(x, mean(x)); }, right_softmax}},
    {"In lse you limit the logits to 700: that changes the result. Subtract the maximum and add it at the end",
     {[](R x) {
        Row limited;
        for (double v : x) limited.push_back(std::clamp(v, -700.0, 700.0));
        return lse_with(limited, 0);
      },
      right_softmax}},
    {"The logarithm is missing: log_sum_exp is log sum e^x, which is m + log of the sum",
     {[](R x) { return maximum(x) == -kInfinity ? -kInfinity : maximum(x) + sum_exp(x, maximum(x)); }, right_softmax}},
    {"You return the maximum alone: it is close to lse only where one logit is far above all others",
     {maximum, right_softmax}},
    {"softmax is still open: the formula as written is infinity over infinity for logits of 1000",
     {right_lse, [](R x) { return softmax_with(x, 0); }}},
    {"softmax is NaN where all logits are -inf: no position may get weight there, so return zeros",
     {right_lse, [](R x) { return softmax_with(x, maximum(x)); }}},
    {"softmax is uniform where all logits are -inf: a masked position must get exactly 0, so return zeros",
     {right_lse,
      [](R x) { return maximum(x) == -kInfinity ? softmax_with(Row(x.size(), 0.0), 0) : right_softmax(x); }}},
    {"Your softmax does not sum to 1: divide by the sum of e^(x_j - m)",
     {right_lse,
      [](R x) {
        Row p;
        for (double v : x) p.push_back(maximum(x) == -kInfinity ? 0 : std::exp(v - maximum(x)));
        return p;
      }}},
    {"In softmax only the numerator is shifted: subtract m in the sum of the denominator too",
     {right_lse,
      [](R x) {
        Row p;
        for (double v : x) p.push_back(maximum(x) == -kInfinity ? 0 : std::exp(v - maximum(x)) / sum_exp(x, 0));
        return p;
      }}},
    {"In softmax the maximum is searched from 0 upwards: start at the first logit, or all logits of -1000 underflow",
     {right_lse,
      [](R x) { return maximum(x) == -kInfinity ? Row(x.size(), 0.0) : softmax_with(x, std::max(0.0, maximum(x))); }}},
    {"You return the logarithms of the weights: softmax is e^(x_i - lse), not x_i - lse",
     {right_lse,
      [](R x) {
        Row p;
        for (double v : x) p.push_back(maximum(x) == -kInfinity ? 0 : v - right_lse(x));
        return p;
      }}},
    {"You divide the logits by their sum: the softmax divides e^x_i by the sum of e^x_j",
     {right_lse,
      [](R x) {
        Row p;
        for (double v : x) p.push_back(v / (mean(x) * static_cast<double>(x.size())));
        return p;
      }}},
};

// softmax is checked once log_sum_exp is right.
void examine(app::Exercise& e, const Answer& answer) {
  struct Case {
    std::string name;
    Row x;
    double lse;
    Row p;
  };
  const double ln2 = 0.69314718055994531;
  const std::vector<Case> cases{
      {"[0, 0]", {0, 0}, ln2, {0.5, 0.5}},
      {"[0, ln 3]", {0, std::log(3)}, 2 * ln2, {0.25, 0.75}},
      {"[1000, 1000]", {1000, 1000}, 1000 + ln2, {0.5, 0.5}},
      {"[-1000, -1000]", {-1000, -1000}, -1000 + ln2, {0.5, 0.5}},
      {"[1000, 0, -1000]", {1000, 0, -1000}, 1000, {1, 0, 0}},
      {"[800, 0, 0, 0]", {800, 0, 0, 0}, 800, {1, 0, 0, 0}},
      {"[2, -inf, 2]", {2, -kInfinity, 2}, 2 + ln2, {0.5, 0, 0.5}},
      {"[-inf, -inf]", {-kInfinity, -kInfinity}, -kInfinity, {0, 0}},
  };
  bool right = true;
  for (const Case& c : cases) right = e.check("lse of " + c.name, answer.log_sum_exp(c.x), c.lse, 1e-12) && right;
  if (!right) return;
  for (const Case& c : cases) e.check("softmax of " + c.name, answer.softmax(c.x), c.p, 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("04", 1, "A softmax that never overflows");
  e.hint("Let m be the largest logit: e^(x_i - m) is at most 1, and for the largest logit it is exactly 1.");
  e.hint("lse = m + log sum_j e^(x_j - m), and softmax is e^(x_i - lse).");
  e.hint("If m is -inf, then x_i - m is NaN: that row needs a line of its own.");
  e.insight(
      "Subtracting the maximum changes no weight, no exponential overflows, and the sum is never 0.\n"
      "Every attention of this course computes its weights in this way, with -inf for what is masked.",
      "./heed exercise 04 2");
  const Answer yours{mine::log_sum_exp, mine::softmax};
  return e.run(argc, argv, yours, examine, mistakes);
}
