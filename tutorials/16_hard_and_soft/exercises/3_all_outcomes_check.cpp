// Hints, common mistakes and checks of exercise 16.3.
#include "tutorials/16_hard_and_soft/exercises/3_all_outcomes.h"

#include <fmt/format.h>

#include <cmath>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Estimator;
using mine::Outcome;
using mine::Reward;
using mine::Table;
using std::size_t;

Table softmax_of(Table e) {
  for (auto& row : e) {
    double total = 0;
    for (double x : row) total += std::exp(x);
    for (double& x : row) x = std::exp(x) / total;
  }
  return e;
}
double probability(const Table& w, const Outcome& z) {
  double p = 1;
  for (size_t t = 0; t < z.size(); ++t) p *= w[t][z[t]];
  return p;
}
// f(z) for all S^T outcomes: outcome number i has the digits of i, to the base S.
template <class F>
void for_all(size_t T, size_t S, const F& f) {
  const auto count = static_cast<size_t>(std::lround(std::pow(S, T)));
  for (size_t i = 0; i < count; ++i) {
    Outcome z;
    for (size_t t = 0, rest = i; t < T; ++t, rest /= S) z.push_back(rest % S);
    f(z, i, count);
  }
}
double expected_reward(const Table& e, const Reward& r) {
  const Table w = softmax_of(e);
  double total = 0;
  for_all(e.size(), e[0].size(), [&](const Outcome& z, size_t, size_t) { total += probability(w, z) * r(z); });
  return total;
}

// The right answer with one part exchanged.
struct Parts {
  enum Probability { product, none, uniform, first_step, sum } probability = product;
  enum Direction { right, no_mean, wrong_sign, by_w, last_step, of_p } direction = right;
  enum Bracket { minus_b, plus_b, no_b } bracket = minus_b;
  enum Variance { centred, second_moment, root, unweighted, mean } variance = centred;
  bool all_but_last = false, one_softmax = false, reward_minus_b = false, no_softmax = false;
};
template <Parts parts>
Estimator estimate_with(const Table& e, const Reward& r, double b) {
  const size_t T = e.size(), S = e[0].size();
  Table w = softmax_of(e);
  if (parts.no_softmax) w = e;
  if (parts.one_softmax) {
    Table flat(1);
    for (const auto& row : e) flat[0].insert(flat[0].end(), row.begin(), row.end());
    flat = softmax_of(flat);
    for (size_t i = 0; i < T * S; ++i) w[i / S][i % S] = flat[0][i];
  }
  Estimator result{0, Table(T, std::vector<double>(S, 0)), 0};
  double squares = 0;
  for_all(T, S, [&](const Outcome& z, size_t i, size_t count) {
    if (parts.all_but_last && i + 1 == count) return;
    double p = probability(w, z);
    if (parts.probability == Parts::none) p = 1;
    if (parts.probability == Parts::uniform) p = 1 / static_cast<double>(count);
    if (parts.probability == Parts::first_step) p = w[0][z[0]];
    if (parts.probability == Parts::sum) {
      p = 0;
      for (size_t t = 0; t < T; ++t) p += w[t][z[t]];
    }
    const double baseline = parts.bracket == Parts::plus_b ? -b : parts.bracket == Parts::no_b ? 0 : b;
    const double bracket = r(z) - baseline;
    result.reward += p * (parts.reward_minus_b ? r(z) - b : r(z));
    for (size_t t = 0; t < T; ++t) {
      for (size_t s = 0; s < S; ++s) {
        const double chosen = s == z[t] ? 1 : 0;
        double u = chosen - w[t][s];
        if (parts.direction == Parts::no_mean) u = chosen;
        if (parts.direction == Parts::wrong_sign) u = -u;
        if (parts.direction == Parts::by_w) u = chosen / w[t][s];
        if (parts.direction == Parts::of_p) u *= p;
        if (parts.direction == Parts::last_step && t + 1 < T) u = 0;
        const double g = bracket * u;
        result.gradient[t][s] += p * g;
        squares += (parts.variance == Parts::unweighted ? 1 : p) * g * g;
      }
    }
  });
  result.variance = squares;
  if (parts.variance != Parts::second_moment)
    for (const auto& row : result.gradient)
      for (double mean : row) result.variance -= mean * mean;
  if (parts.variance == Parts::root) result.variance = std::sqrt(result.variance);
  if (parts.variance == Parts::mean) result.variance /= static_cast<double>(T * S);
  return result;
}

const std::vector<app::Mistake<decltype(&mine::estimator)>> mistakes{
    {"The gap is still open: the reward, the gradient and the variance are 0",
     [](const Table& e, const Reward&, double) {
       return Estimator{0, Table(e.size(), std::vector<double>(e[0].size(), 0)), 0};
     }},
    {"The outcomes are added up and not averaged: multiply what each contributes by p(z)",
     estimate_with<Parts{.probability = Parts::none}>},
    {"Every outcome counts the same: multiply by p(z), the product of the weights of its draws, and not by 1 / S^T",
     estimate_with<Parts{.probability = Parts::uniform}>},
    {"Your p(z) is the probability of the first draw only: multiply those of all T steps",
     estimate_with<Parts{.probability = Parts::first_step}>},
    {"You add the probabilities of the draws: the steps are drawn independently, so multiply them",
     estimate_with<Parts{.probability = Parts::sum}>},
    {"Your gradient of log p(z) is 1 at the drawn position and 0 elsewhere: the softmax adds -w_t[s] everywhere",
     estimate_with<Parts{.direction = Parts::no_mean}>},
    {"Your gradient has the wrong sign: that of log p(z) is one_hot(z_t) - w_t",
     estimate_with<Parts{.direction = Parts::wrong_sign}>},
    {"You differentiated log w_t[z_t] by the weight, which gives 1 / w: the gradient by the score e_t[s] is asked for",
     estimate_with<Parts{.direction = Parts::by_w}>},
    {"You used the gradient of p(z), which is p(z) times that of log p(z): the sum over z has the factor p(z) already",
     estimate_with<Parts{.direction = Parts::of_p}>},
    {"Only the last step has a gradient: log p(z) is a sum over all steps, and each step has a row of its own",
     estimate_with<Parts{.direction = Parts::last_step}>},
    {"The baseline is added to the reward: it is subtracted", estimate_with<Parts{.bracket = Parts::plus_b}>},
    {"The baseline is ignored: the gradient is right without it, but the variance is another one",
     estimate_with<Parts{.bracket = Parts::no_b}>},
    {"Your expected reward is that of r(z) - b: R does not depend on the baseline",
     estimate_with<Parts{.reward_minus_b = true}>},
    {"Your variance is the mean of |g|^2: subtract |G|^2", estimate_with<Parts{.variance = Parts::second_moment}>},
    {"Your variance is a standard deviation: leave the root out", estimate_with<Parts{.variance = Parts::root}>},
    {"The squares are not multiplied by p(z): the variance is a mean over the outcomes too",
     estimate_with<Parts{.variance = Parts::unweighted}>},
    {"You averaged the variance over the T S elements: it is their sum", estimate_with<Parts{.variance = Parts::mean}>},
    {"The last outcome, (S - 1, .., S - 1), is not visited: test for the end after it was counted",
     estimate_with<Parts{.all_but_last = true}>},
    {"Your softmax runs over all steps together: each row of e has its own", estimate_with<Parts{.one_softmax = true}>},
    {"You used the scores as probabilities: the softmax is missing", estimate_with<Parts{.no_softmax = true}>},
};

void examine(app::Exercise& e, const decltype(&mine::estimator)& estimator) {
  // The small example of the lesson: one step, three positions.
  const std::vector<double> rewards{-2, -0.5, -1.3};
  const Reward small = [&](const Outcome& z) { return rewards[z[0]]; };
  for (const auto& [b, expected] : {std::pair{0.0, 1.32}, {5.0, 23.7}})
    e.check(fmt::format("the variance of the lesson's example with b = {:g}", b),
            estimator({{0.3, -1, 0.7}}, small, b).variance, expected, 0.005);
  // Several steps: the reward depends on all draws together.
  const Reward joint = [](const Outcome& z) {
    double r = -3;
    for (size_t t = 0; t < z.size(); ++t) r += std::cos(static_cast<double>((t + 1) * z[t] + 1)) * (t == 0 ? 2 : r);
    return r;
  };
  for (const Table& scores : {Table{{0.5, -1, 0.2, 1.1}, {-0.3, 0.8, 0, -1.5}, {1.2, 0.1, -0.4, 0.3}},
                              Table{{0.1, -0.7}, {1.4, 0.6}, {-0.9, 0.2}, {0.3, -0.2}, {0, 2}}}) {
    const size_t T = scores.size(), S = scores[0].size();
    std::vector<double> numeric;  // the gradient of R by central differences
    for (size_t i = 0; i < T * S; ++i) {
      Table up = scores, down = scores;
      up[i / S][i % S] += 1e-5, down[i / S][i % S] -= 1e-5;
      numeric.push_back((expected_reward(up, joint) - expected_reward(down, joint)) / 2e-5);
    }
    for (double b : {0.0, -4.0}) {
      const std::string with = fmt::format("of {} steps with b = {:g}", T, b);
      const Estimator ours = estimator(scores, joint, b);
      std::vector<double> flat;
      for (const auto& row : ours.gradient) flat.insert(flat.end(), row.begin(), row.end());
      e.check("the expected reward " + with, ours.reward, expected_reward(scores, joint), 1e-12);
      e.check("the gradient " + with + ", element ", flat, numeric, 1e-7);
      double variance = 0;  // from the differences, in a second pass
      const Table w = softmax_of(scores);
      for_all(T, S, [&](const Outcome& z, size_t, size_t) {
        for (size_t i = 0; i < T * S; ++i) {
          const double u = (z[i / S] == i % S ? 1 : 0) - w[i / S][i % S];
          variance += probability(w, z) * std::pow((joint(z) - b) * u - numeric[i], 2);
        }
      });
      e.check("the variance " + with, ours.variance, variance, 1e-7);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("16", 3, "The estimator on all outcomes");
  e.hint("log p(z) = sum_t log w_t[z_t], so row t of its gradient depends on step t only.");
  e.hint("The derivative of log softmax(e)[z] by e[s] is (1 if s is z, else 0) - softmax(e)[s].");
  e.hint("The next outcome: size_t t = 0; while (t < T && ++z[t] == S) z[t++] = 0; the end is reached when t is T.");
  e.hint("g = (r(z) - b) * ((s == z[t] ? 1 : 0) - w[t][s]); add p * g to the gradient and p * g * g to the squares.");
  e.insight(
      "The gradient is the same for every baseline, and the variance is not: this is why a baseline is chosen freely.\n"
      "S^T outcomes cannot be counted for a caption of ten words and 64 patches. A draw is an estimate of this sum.",
      "./heed run 17");
  return e.run(argc, argv, mine::estimator, examine, mistakes);
}
