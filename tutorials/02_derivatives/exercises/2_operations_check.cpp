// Hints, common mistakes and checks of exercise 02.2.
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

struct Answer {
  decltype(&mine::sigmoid) sigmoid;
  decltype(&mine::sqrt) sqrt;
  decltype(&mine::pow) pow;
  decltype(&mine::maximum) maximum;
};

// The same for plain numbers, so that differences can be taken.
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double sqrt_of(double x) { return std::sqrt(x); }
double pow_of(double a, double b) { return std::pow(a, b); }
double maximum_of(double a, double b) { return std::max(a, b); }

// Each operation with the local derivatives given.
Scalar sigmoid_with(const Scalar& x, double dx) { return {"sigmoid", sigmoid_of(x.value()), {{x.node(), dx}}}; }
Scalar sqrt_with(const Scalar& x, double dx) { return {"sqrt", sqrt_of(x.value()), {{x.node(), dx}}}; }
Scalar pow_with(const Scalar& a, const Scalar& b, double da, double db) {
  return {"pow", pow_of(a.value(), b.value()), {{a.node(), da}, {b.node(), db}}};
}
Scalar maximum_with(const Scalar& a, const Scalar& b, double da, double db) {
  return {"max", maximum_of(a.value(), b.value()), {{a.node(), da}, {b.node(), db}}};
}
double pow_da(double a, double b) { return b * std::pow(a, b - 1); }
double pow_db(double a, double b) { return std::pow(a, b) * std::log(a); }

using S = const Scalar&;
const Answer kRight{[](S x) {
                      const double y = sigmoid_of(x.value());
                      return sigmoid_with(x, y * (1 - y));
                    },
                    [](S x) { return sqrt_with(x, 0.5 / sqrt_of(x.value())); },
                    [](S a, S b) { return pow_with(a, b, pow_da(a.value(), b.value()), pow_db(a.value(), b.value())); },
                    [](S a, S b) { return maximum_with(a, b, a.value() > b.value(), a.value() <= b.value()); }};

template <class Part>
Answer with(Part Answer::*part, std::type_identity_t<Part> wrong) {
  Answer answer = kRight;
  answer.*part = wrong;
  return answer;
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"sigmoid is still open: its local derivative is 0",
     with(&Answer::sigmoid, [](S x) { return sigmoid_with(x, 0); })},
    {"1 - y^2 is the derivative of tanh: that of the sigmoid is y (1 - y)", with(&Answer::sigmoid,
                                                                                 [](S x) {
                                                                                   const double y =
                                                                                       sigmoid_of(x.value());
                                                                                   return sigmoid_with(x, 1 - y * y);
                                                                                 })},
    {"The derivative of the sigmoid uses its value y = sigmoid(x), not its input: y (1 - y), not x (1 - x)",
     with(&Answer::sigmoid, [](S x) { return sigmoid_with(x, x.value() * (1 - x.value())); })},
    {"The derivative of the sigmoid has the wrong sign: the sigmoid grows with x, so it is y (1 - y), never below 0",
     with(&Answer::sigmoid,
          [](S x) {
            const double y = sigmoid_of(x.value());
            return sigmoid_with(x, -y * (1 - y));
          })},
    {"The sigmoid is not its own derivative, as e^x is: the factor 1 - y is missing",
     with(&Answer::sigmoid, [](S x) { return sigmoid_with(x, sigmoid_of(x.value())); })},
    {"sqrt is still open: its local derivative is 0", with(&Answer::sqrt, [](S x) { return sqrt_with(x, 0); })},
    {"The derivative of sqrt misses the factor 1/2: sqrt x is x^(1/2), and the exponent becomes a factor",
     with(&Answer::sqrt, [](S x) { return sqrt_with(x, 1 / sqrt_of(x.value())); })},
    {"The derivative of sqrt divides by the root, not by x: 0.5 / y with y = sqrt(x)",
     with(&Answer::sqrt, [](S x) { return sqrt_with(x, 0.5 / x.value()); })},
    {"The derivative of sqrt is 0.5 / y, not 0.5 y: the exponent falls from 1/2 to -1/2",
     with(&Answer::sqrt, [](S x) { return sqrt_with(x, 0.5 * sqrt_of(x.value())); })},
    {"pow is still open: both its local derivatives are 0",
     with(&Answer::pow, [](S a, S b) { return pow_with(a, b, 0, 0); })},
    {"The derivative of a^b by b is still 0: hold a, write a^b as e^(b ln a), and differentiate by b",
     with(&Answer::pow, [](S a, S b) { return pow_with(a, b, pow_da(a.value(), b.value()), 0); })},
    {"The derivative of a^b by a keeps the exponent b: it is b a^(b - 1), which is b y / a",
     with(&Answer::pow,
          [](S a, S b) {
            return pow_with(a, b, b.value() * pow_of(a.value(), b.value()), pow_db(a.value(), b.value()));
          })},
    {"The derivative of a^b by b misses the factor ln a: only e^b is its own derivative",
     with(&Answer::pow,
          [](S a, S b) { return pow_with(a, b, pow_da(a.value(), b.value()), pow_of(a.value(), b.value())); })},
    {"The two local derivatives of pow are exchanged: the first edge belongs to a, the second to b",
     with(&Answer::pow,
          [](S a, S b) { return pow_with(a, b, pow_db(a.value(), b.value()), pow_da(a.value(), b.value())); })},
    {"maximum is still open: both its local derivatives are 0",
     with(&Answer::maximum, [](S a, S b) { return maximum_with(a, b, 0, 0); })},
    {"The edges of maximum are exchanged: the larger input gets 1 and the smaller one gets 0",
     with(&Answer::maximum,
          [](S a, S b) { return maximum_with(a, b, a.value() < b.value(), a.value() >= b.value()); })},
    {"Both edges of maximum carry 1: the result does not move with the smaller input, so its derivative is 0",
     with(&Answer::maximum, [](S a, S b) { return maximum_with(a, b, 1, 1); })},
    {"maximum shares the derivative equally: that is the mean's. The larger input gets 1, the smaller one 0",
     with(&Answer::maximum, [](S a, S b) { return maximum_with(a, b, 0.5, 0.5); })},
    {"maximum passes on the larger value: its derivative by the larger input is 1, not that input",
     with(&Answer::maximum,
          [](S a, S b) {
            const bool first = a.value() > b.value();
            return maximum_with(a, b, first ? a.value() : 0, first ? 0 : b.value());
          })},
};

constexpr double kStep = 1e-5;

// The operations are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e, const Answer& answer) {
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
  if (!one("sigmoid(x)", answer.sigmoid, sigmoid_of, {-2.0, 0.0, 0.7})) return;
  if (!one("sqrt(x)", answer.sqrt, sqrt_of, {0.25, 2.0})) return;
  two("pow(a, b)", answer.pow, pow_of, 1.5, 2.5);
  if (!two("pow(a, b)", answer.pow, pow_of, 0.3, -1.2)) return;
  two("maximum(a, b)", answer.maximum, maximum_of, 1.0, 3.0);
  if (!two("maximum(a, b)", answer.maximum, maximum_of, 2.0, -4.0)) return;
  // All four at once; a and b are used more than once, so their gradients are sums.
  two(
      "an expression of all four",
      [&](S a, S b) { return answer.pow(answer.sigmoid(a), b) * answer.sqrt(a * b) + answer.maximum(a, b * b); },
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
  const Answer yours{mine::sigmoid, mine::sqrt, mine::pow, mine::maximum};
  return e.run(argc, argv, yours, examine, mistakes);
}
