// Hints and checks of exercise 02.2.
#include "tutorials/02_derivatives/exercises/2_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using derivatives::Scalar;

// The same for plain numbers, so that differences can be taken.
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double sqrt_of(double x) { return std::sqrt(x); }
double pow_of(double a, double b) { return std::pow(a, b); }
double maximum_of(double a, double b) { return std::max(a, b); }

using S = const Scalar&;

constexpr double kStep = 1e-5;

// The operations are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e) {
  bool right = true;
  auto one = [&](const std::string& name, auto operation, double (*f)(double), const std::vector<double>& points) {
    for (double at : points) {
      Scalar x = at;
      derivatives::backward(operation(x));
      const double numeric = derivatives::central_difference(f, at, kStep);
      right = e.check(fmt::format("the derivative of {} at x = {}", name, at), x.grad(), numeric, 1e-8) && right;
    }
    return right;
  };
  auto two = [&](const std::string& name, auto operation, const std::function<double(double, double)>& f, double at_a,
                 double at_b) {
    Scalar a = at_a, b = at_b;
    derivatives::backward(operation(a, b));
    const double da = derivatives::central_difference([&](double t) { return f(t, at_b); }, at_a, kStep);
    const double db = derivatives::central_difference([&](double t) { return f(at_a, t); }, at_b, kStep);
    const std::string at = fmt::format("at ({}, {})", at_a, at_b);
    right = e.check(fmt::format("the derivative of {} by a {}", name, at), a.grad(), da, 1e-8) && right;
    right = e.check(fmt::format("the derivative of {} by b {}", name, at), b.grad(), db, 1e-8) && right;
    return right;
  };
  if (!one("sigmoid(x)", mine::sigmoid, sigmoid_of, {-2.0, 0.0, 0.7})) return;
  if (!one("sqrt(x)", mine::sqrt, sqrt_of, {0.25, 2.0})) return;
  two("pow(a, b)", mine::pow, pow_of, 1.5, 2.5);
  if (!two("pow(a, b)", mine::pow, pow_of, 0.3, -1.2)) return;
  two("maximum(a, b)", mine::maximum, maximum_of, 1.0, 3.0);
  if (!two("maximum(a, b)", mine::maximum, maximum_of, 2.0, -4.0)) return;
  // All four at once; a and b are used more than once, so their gradients are sums.
  two(
      "an expression of all four",
      [&](S a, S b) { return mine::pow(mine::sigmoid(a), b) * mine::sqrt(a * b) + mine::maximum(a, b * b); },
      [](double a, double b) { return pow_of(sigmoid_of(a), b) * sqrt_of(a * b) + maximum_of(a, b * b); }, 1.3, 0.8);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("02", 2, "Four local derivatives");
  e.hint("sigmoid: with y = 1 / (1 + e^-x) the derivative is y times a second factor made of y.");
  e.hint("sqrt x is x^(1/2): its derivative is 1/2 x^(-1/2), which can be written with y = sqrt x.");
  e.hint("a^b: hold b, and it is a power of a; hold a, and it is e^(b ln a).");
  e.hint(
      "max(a, b): change the smaller one a little and nothing happens; change the larger one and the result moves "
      "too.");
  e.insight(
      "An operation has to know its own derivative and nothing else: the chain rule composes them in backward.\n"
      "That is why a framework grows by adding operations, and never by changing its engine.",
      "./heed exercise 02 3");
  return e.run(argc, argv, examine);
}
