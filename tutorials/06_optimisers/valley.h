// A narrow valley: L(x, y) = (u^2 + c v^2) / 2 with the curvatures 1 and c; (u, v) is (x, y) rotated by an angle.
//
//   SGD        error after t steps ~ ((c - 1) / (c + 1))^t at its best rate, 2 / (1 + c)
//   momentum   ((sqrt c - 1) / (sqrt c + 1))^t at its best rate and momentum             (Polyak 1964)
//
// A rotation changes nothing for these two. It does for rules that scale each coordinate separately.
#pragma once

#include <cmath>
#include <numbers>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/06_optimisers/rules.h"
#include "tutorials/report/report.h"

namespace optimisers {

struct Valley {
  double curvature = 100, degrees = 0;
  double angle() const { return degrees * std::numbers::pi / 180; }
  // (x, y) times this is (u, sqrt(c) v), whose squared length is 2 L: [2, 2].
  heed::Tensor stretched() const {
    double a = angle(), s = std::sqrt(curvature);
    return heed::Tensor::from(std::vector<double>{std::cos(a), -s * std::sin(a), std::sin(a), s * std::cos(a)}, {2, 2});
  }
};

struct Path {
  std::int64_t steps = 0;  // until L is a millionth of its start; the limit if that is not reached
  double rate = 0;
  std::vector<double> x, y, losses;  // from the start
};

// The start lies at (u, v) = (-8.6, 8.6 / sqrt c): both parts of L are equal.
inline Path descend(const Valley& valley, const Rule& rule, double rate, std::int64_t limit) {
  using namespace heed;
  double a = valley.angle(), u = -8.6, v = 8.6 / std::sqrt(valley.curvature);
  Variable place(
      Tensor::from(std::vector<double>{u * std::cos(a) - v * std::sin(a), u * std::sin(a) + v * std::cos(a)}, {1, 2}),
      Variable::kRequiresGrad);  // [1, 2]
  Tensor to_uv = valley.stretched();
  auto optimizer = rule.make({{"place", place}}, rate);
  Path path{.steps = limit, .rate = rate, .x = {}, .y = {}, .losses = {}};
  for (std::int64_t step = 0; step <= limit; ++step) {
    Variable loss = 0.5 * sum(square(matmul(place, to_uv)));
    path.x.push_back(place.value().at({0, 0}));
    path.y.push_back(place.value().at({0, 1}));
    path.losses.push_back(loss.value().item());
    if (!(path.losses.back() < 1e6 * path.losses[0])) break;
    if (path.losses.back() <= 1e-6 * path.losses[0]) {
      path.steps = step;
      break;
    }
    optimizer->zero_grad();
    backward(loss);
    optimizer->step();
  }
  return path;
}

// The shortest of the descents at 1e-3 .. 10: `tries` rates, evenly spaced on a logarithmic scale.
inline Path best_descent(const Valley& valley, const Rule& rule, int tries, std::int64_t limit) {
  Path best{.steps = limit + 1, .rate = 0, .x = {}, .y = {}, .losses = {}};
  for (int i = 0; i < tries; ++i) {
    double rate = 1e-3 * std::pow(1e4, static_cast<double>(i) / (tries - 1));
    Path path = descend(valley, rule, rate, std::min(limit, best.steps));
    if (path.steps < best.steps) best = path;
  }
  return best;
}

// Lines of equal L for a drawing, separated by NaN: L0, L0/4, L0/16 and L0/64, where L0 is L at the start.
inline heed::report::Series contours(const Valley& valley) {
  heed::report::Series lines{.name = "equal loss"};
  for (double radius : {12.2, 6.1, 3.05, 1.525}) {
    for (int i = 0; i <= 72; ++i) {
      double turn = i * std::numbers::pi / 36, a = valley.angle();
      double u = radius * std::cos(turn), v = radius * std::sin(turn) / std::sqrt(valley.curvature);
      lines.x.push_back(u * std::cos(a) - v * std::sin(a));
      lines.y.push_back(u * std::sin(a) + v * std::cos(a));
    }
    lines.x.push_back(std::nan(""));
    lines.y.push_back(std::nan(""));
  }
  return lines;
}

}  // namespace optimisers
