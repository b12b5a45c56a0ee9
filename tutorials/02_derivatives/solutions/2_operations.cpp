// Exercise 02.2: teach the engine four operations.
//
// An operation gives its value and, for each input, an edge with the local derivative: scalar.h shows how * and tanh
// do it. Backward needs no change: it only multiplies along edges and adds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/02_derivatives/scalar.h"
#include "tutorials/common/exercise.h"

namespace derivatives {

// ---- the gap, filled ----
inline Scalar sigmoid(const Scalar& x) {
  double y = 1 / (1 + std::exp(-x.value()));
  return {"sigmoid", y, {{x.node(), y * (1 - y)}}};
}
inline Scalar sqrt(const Scalar& x) {
  double y = std::sqrt(x.value());
  return {"sqrt", y, {{x.node(), 0.5 / y}}};
}
inline Scalar pow(const Scalar& a, const Scalar& b) {  // a > 0
  double y = std::pow(a.value(), b.value());
  return {"pow", y, {{a.node(), b.value() * y / a.value()}, {b.node(), y * std::log(a.value())}}};
}
inline Scalar maximum(const Scalar& a, const Scalar& b) {
  double y = std::max(a.value(), b.value()), share = a.value() > b.value() ? 1 : 0;
  return {"max", y, {{a.node(), share}, {b.node(), 1 - share}}};
}
// ---- end of the gap ----

}  // namespace derivatives

namespace {

using derivatives::Scalar;

// The same for plain numbers, so that a difference can be taken.
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double maximum(double a, double b) { return std::max(a, b); }

// All four at once; a and b are used more than once, so their gradients are sums.
template <class T>
T all_four(const T& a, const T& b) {
  using std::pow, std::sqrt;
  return pow(sigmoid(a), b) * sqrt(a * b) + maximum(a, b * b);
}

constexpr double kStep = 1e-5;

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 2, "Four local derivatives");
  e.hint("sigmoid: with y = 1 / (1 + e^-x) the derivative is y times something made of y; sqrt: through y as well.");
  e.hint("a^b: hold b and it is a power of a; hold a and it is e^(b ln a).");
  e.hint("max(a, b): nudge the smaller one and nothing happens; nudge the larger one and the result moves with it.");
  return e.run(argc, argv, [&] {
    auto one = [&](const std::string& name, auto f, const std::vector<double>& points) {
      for (double x : points) {
        Scalar input = x;
        derivatives::backward(f(input));
        const double numeric = derivatives::central_difference(f, x, kStep);
        e.check(fmt::format("the derivative of {} at x = {}", name, x), input.grad(), numeric, 1e-8);
      }
    };
    auto two = [&](const std::string& name, auto f, double a, double b) {
      Scalar left = a, right = b;
      derivatives::backward(f(left, right));
      const double da = derivatives::central_difference([&](double t) { return f(t, b); }, a, kStep);
      const double db = derivatives::central_difference([&](double t) { return f(a, t); }, b, kStep);
      e.check(fmt::format("the derivative of {} by a at ({}, {})", name, a, b), left.grad(), da, 1e-8);
      e.check(fmt::format("the derivative of {} by b at ({}, {})", name, a, b), right.grad(), db, 1e-8);
    };
    auto root = [](auto x) {
      using std::sqrt;
      return sqrt(x);
    };
    auto power = [](auto a, auto b) {
      using std::pow;
      return pow(a, b);
    };
    auto larger = [](auto a, auto b) { return maximum(a, b); };
    one("sigmoid(x)", [](auto x) { return sigmoid(x); }, {-2.0, 0.0, 0.7});
    one("sqrt(x)", root, {0.25, 2.0});
    two("pow(a, b)", power, 1.5, 2.5);
    two("pow(a, b)", power, 0.3, -1.2);
    two("maximum(a, b)", larger, 1.0, 3.0);
    two("maximum(a, b)", larger, 2.0, -4.0);
    two(
        "an expression of all four", [](auto a, auto b) { return all_four(a, b); }, 1.3, 0.8);
  });
}
