// The functions of this lesson, each written once for any kind of number T:
//
//   double                 the value
//   std::complex<double>   the value, and the derivative in the imaginary part of f(x + ih)
//   Scalar                 the value and its graph, by the engine of this lesson
//   heed::Variable         the same by the engine that the rest of the course uses
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "tensor/random.h"

namespace derivatives {

// The function on which the steps are tried:  f(x) = e^x tanh x.  By hand, f'(x) = e^x (tanh x + 1 - tanh^2 x).
template <class T>
T curve(const T& x) {
  using std::exp, std::tanh;
  return exp(x) * tanh(x);
}
inline double curve_slope(double x) {
  double t = std::tanh(x);
  return std::exp(x) * (t + 1 - t * t);
}

// The function whose graph is drawn:  y = tanh(ab + a) e^b.  Both a and b are used twice.
template <class T>
T drawn(const T& a, const T& b) {
  using std::exp, std::tanh;
  return tanh(a * b + a) * exp(b);
}

// An expression of `steps` random operations on the inputs. Each intermediate number may be used again by any later
// operation, and the result is the sum of all numbers. The same seed gives the same expression for every T.
template <class T>
T random_expression(std::vector<T> numbers, std::uint64_t seed, std::int64_t steps) {
  using std::exp, std::log, std::tanh;
  heed::Generator random(seed);
  auto pick = [&] {
    return numbers[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(numbers.size())))];
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    T a = pick(), b = pick();
    switch (random.below(7)) {
      case 0:
        numbers.push_back(a + b);
        break;
      case 1:
        numbers.push_back(a - b);
        break;
      case 2:
        numbers.push_back(tanh(a * b));
        break;
      case 3:
        numbers.push_back(tanh(a + b));
        break;
      case 4:
        numbers.push_back(exp(-(a * a)));
        break;
      case 5:
        numbers.push_back(a / (b * b + 1.0));
        break;
      case 6:
        numbers.push_back(log(a * a + 1.0));
        break;
    }
  }
  T sum = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) sum = sum + numbers[i];
  return sum;
}

// The mean squared error of a small network on the four cases of exclusive or. The network has two inputs, tanh units
// and one output. A unit has four parameters: two weights, a bias, and its weight in the output. The last parameter of
// all is the bias of the output.
template <class T>
T xor_loss(const std::vector<T>& parameters) {
  using std::tanh;
  T loss = 0.0;
  for (double x : {-1.0, 1.0})
    for (double y : {-1.0, 1.0}) {
      T output = parameters.back();
      for (std::size_t p = 0; p + 4 < parameters.size(); p += 4)
        output = output + parameters[p + 3] * tanh(parameters[p] * x + parameters[p + 1] * y + parameters[p + 2]);
      T miss = output + x * y;  // the target is 1 where x and y differ, -1 where they agree
      loss = loss + miss * miss * 0.25;
    }
  return loss;
}

// --- four formulas that need only values of the function -------------------------------------------------------------
template <class F>
double forward_difference(const F& f, double x, double h) {
  return (f(x + h) - f(x)) / h;
}
template <class F>
double central_difference(const F& f, double x, double h) {
  return (f(x + h) - f(x - h)) / (2 * h);
}
// The error of a central difference is c h^2 + O(h^4). Two of them, at h and 2h, let us cancel c (L. F. Richardson,
// 1911).
template <class F>
double extrapolated_difference(const F& f, double x, double h) {
  return (4 * central_difference(f, x, h) - central_difference(f, x, 2 * h)) / 3;
}
// f(x + ih) = f(x) + ih f'(x) + O(h^2). Nothing is subtracted, so h may be tiny (W. Squire and G. Trapp, 1998).
template <class F>
double complex_step(const F& f, double x, double h) {
  return f(std::complex<double>(x, h)).imag() / h;
}
// The truncation error is about h^order, the rounding error about eps / h. They are equal near h = eps^(1 / (order +
// 1)).
inline double predicted_step(int order) { return std::pow(std::numeric_limits<double>::epsilon(), 1.0 / (order + 1)); }

// The four formulas, applied to the curve with any step.
struct Formula {
  const char* name;
  int order;  // power of h in the truncation error; 0: nothing is subtracted, so no step is too small
  double (*slope)(double x, double h);
};
constexpr auto kCurve = [](const auto& x) { return curve(x); };
inline const Formula kFormulas[] = {
    {"forward", 1, [](double x, double h) { return forward_difference(kCurve, x, h); }},
    {"central", 2, [](double x, double h) { return central_difference(kCurve, x, h); }},
    {"extrapolated", 4, [](double x, double h) { return extrapolated_difference(kCurve, x, h); }},
    {"complex step", 0, [](double x, double h) { return complex_step(kCurve, x, h); }},
};

}  // namespace derivatives
