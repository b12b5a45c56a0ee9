// Hints and checks of exercise 16.3.
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
    f(z);
  }
}
double expected_reward(const Table& e, const Reward& r) {
  const Table w = softmax_of(e);
  double total = 0;
  for_all(e.size(), e[0].size(), [&](const Outcome& z) { total += probability(w, z) * r(z); });
  return total;
}

void examine(app::Exercise& e) {
  // The small example of the lesson: one step, three positions.
  const std::vector<double> rewards{-2, -0.5, -1.3};
  const Reward small = [&](const Outcome& z) { return rewards[z[0]]; };
  for (const auto& [b, expected] : {std::pair{0.0, 1.32}, {5.0, 23.7}})
    e.check(fmt::format("the variance of the lesson's example with b = {:g}", b),
            mine::estimator({{0.3, -1, 0.7}}, small, b).variance, expected, 0.005);
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
      const Estimator ours = mine::estimator(scores, joint, b);
      std::vector<double> flat;
      for (const auto& row : ours.gradient) flat.insert(flat.end(), row.begin(), row.end());
      e.check("the expected reward " + with, ours.reward, expected_reward(scores, joint), 1e-12);
      e.check("the gradient " + with + ", element ", flat, numeric, 1e-7);
      double variance = 0;  // from the differences, in a second pass
      const Table w = softmax_of(scores);
      for_all(T, S, [&](const Outcome& z) {
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
  return e.run(argc, argv, examine);
}
