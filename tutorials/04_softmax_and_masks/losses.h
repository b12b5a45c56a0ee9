// Measurements of losses: the gradient at the logit of the right word, the perplexity of three models, the difference
// of the logits at which label smoothing ends, and the distance of a gradient from p - q.
//
//   q = (1 - e) one-hot + e / V          the target distribution; e: label smoothing, V: words
#pragma once

#include <fmt/format.h>

#include <utility>

#include "autograd/backward.h"
#include "autograd/ops_loss.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tutorials/04_softmax_and_masks/formulas.h"
#include "tutorials/report/report.h"

namespace heed {

// Losses and gradients where the logit of the right word is m, and the logits of all others are 0.
struct Pull {
  double p, loss, written, slope, squared_slope;  // slopes: dL/dm of cross-entropy and of squared error
};
inline Pull pull_at(double m, int64_t words) {
  Tensor y = Tensor::zeros({1}, DType::i64), truth = one_hot(y, words, DType::f64);
  auto value_and_slope = [&](auto loss_of) {
    Tensor at = Tensor::zeros({1, words}, DType::f64);
    at.set({0, 0}, m);
    Variable x(at, Variable::kRequiresGrad), loss = loss_of(x);
    backward(loss);
    return std::pair(loss.item(), x.grad().at({0, 0}));
  };
  auto fused = value_and_slope([&](const Variable& x) { return cross_entropy(x, y); });
  auto written = value_and_slope([&](const Variable& x) { return sum(loss_as_written(x, y)); });
  auto squared = value_and_slope([&](const Variable& x) { return mse_loss(softmax(x), truth, Reduction::sum); });
  return {std::exp(-fused.first), fused.first, written.first, fused.second, squared.second};
}

// -dL/dm of both losses over m from -15 to 15, to draw.
inline std::vector<report::Series> pulls(int64_t words) {
  std::vector<report::Series> curves{{"cross-entropy"}, {"squared error"}};
  for (double m = -15; m <= 15; m += 0.25) {
    Pull at = pull_at(m, words);
    for (report::Series& curve : curves) curve.x.push_back(m);
    curves[0].y.push_back(-at.slope);
    curves[1].y.push_back(-at.squared_slope);
  }
  return curves;
}

// The mean loss over a text, given the probability p of each right word; the other words share the rest equally.
inline double mean_loss(const std::vector<double>& p_of_right, int64_t words) {
  Tensor x = Tensor::zeros({std::ssize(p_of_right), words}, DType::f64);
  for (int64_t i = 0; i < x.size(0); ++i) {
    double p = p_of_right[static_cast<size_t>(i)];
    x.set({i, 0}, std::log(p / (1 - p) * static_cast<double>(words - 1)));
  }
  return cross_entropy(x, Tensor::zeros({x.size(0)}, DType::i64)).item();
}

// Three models of a text of ten words: name, mean loss, perplexity.
inline std::vector<std::vector<std::string>> perplexities(int64_t words) {
  std::vector<double> even(10, 1 / static_cast<double>(words)), good(10, 0.9), slip = good;
  slip[9] = 1e-6;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, p] : {std::pair{"knows nothing: all words equally likely", even},
                                {"right word: 90 %, ten times", good},
                                {"right word: 90 %, but once 1 in a million", slip}}) {
    double loss = mean_loss(p, words);
    rows.push_back({name, fmt::format("{:.3f}", loss), fmt::format("{:.2f}", std::exp(loss))});
  }
  return rows;
}

// Gradient descent on one row of logits, with learning rate 1: the logit of the right word minus the others, per step.
inline std::vector<double> gap_by_descent(double smoothing, int64_t words, int steps) {
  Variable row(Tensor::zeros({1, words}, DType::f64), Variable::kRequiresGrad);
  Tensor right = Tensor::zeros({1}, DType::i64);
  std::vector<double> gaps;
  for (int step = 0; step < steps; ++step) {
    row.zero_grad();
    backward(cross_entropy(row, right, {.label_smoothing = smoothing}));
    row.set_value(sub(row.value(), row.grad()));
    gaps.push_back(row.value().at({0, 0}) - row.value().at({0, 1}));
  }
  return gaps;
}
// It ends where p = q, so the difference is log(q_right / q_other).
inline double gap_predicted(double smoothing, int64_t words) {
  double off = smoothing / static_cast<double>(words);
  return std::log((1 - smoothing + off) / off);
}

// The largest |dL/dx - (p - q)| over all logits, with p from the reference. NaN if a gradient is NaN.
enum class Route { fused, as_written };
inline double gradient_error(const Tensor& x, const Tensor& targets, double smoothing, Route route) {
  Variable leaf(x, Variable::kRequiresGrad);
  backward(route == Route::fused
               ? cross_entropy(leaf, targets, {.label_smoothing = smoothing, .reduction = Reduction::sum})
               : sum(loss_as_written(leaf, targets)));
  std::vector<double> g = leaf.grad().to_vector(), logits = x.to_vector(), y = targets.to_vector();
  int64_t V = x.size(1);
  double worst = 0;
  for (int64_t r = 0; r < x.size(0); ++r) {
    Exact row = exact_softmax(logits.data() + r * V, V);
    for (int64_t i = 0; i < V; ++i) {
      double hit = static_cast<double>(i) == y[static_cast<size_t>(r)] ? 1 : 0;
      double q = (1 - smoothing) * hit + smoothing / static_cast<double>(V);
      double wanted = static_cast<double>(row.p[static_cast<size_t>(i)]) - q;
      double error = std::abs(g[static_cast<size_t>(r * V + i)] - wanted);
      worst = std::isnan(error) || std::isnan(worst) ? NAN : std::max(worst, error);
    }
  }
  return worst;
}

}  // namespace heed
