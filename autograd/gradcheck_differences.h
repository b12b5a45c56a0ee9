// Numeric derivatives for gradcheck: central differences of L = sum w y, one L for each weighting w of the outputs.
//
//   dL/dt of L(x + t u)  ~  sum_o w_o (y_o(x + h u) - y_o(x - h u)) / 2h
//
// What counts as a rounding error is in proportion to the outputs, and an element far from 1 is moved in proportion to
// its size where f is smooth (see `along`). So c f(s x) is checked like f(x).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "autograd/gradcheck.h"

namespace heed {

// One move of an input, x + t u. slope and rounding have one number for each w. A slope below `rounding` may be a
// rounding error.
struct Move {
  std::vector<double> u, slope = {}, rounding = {};
  double step = 0;             // h
  double moved = 0, bent = 0;  // summed over the outputs: their moves to both sides, and the difference of the two
};

class Differences {
 public:
  using Numbers = std::vector<double>;
  Differences(const GradcheckFunction& f, double h) : step(h), f_(f) {}

  // The slopes along z, whose elements are in units of the size of x: 0 and 1, or random numbers. That size is
  // max(1, |x|). An element far below or above 1 may have a scale of its own, as in log x at 1e-9 or x^2 at 1e10, or
  // not, as in 1 + x and exp x: of the sizes |x| and 1, the larger is taken if f is smooth over such a step.
  Move along(size_t i, const Numbers& z);
  // The slopes along u at the first smaller step where that of weighting r no longer depends on the step, as for
  // sin(1e10 x) at 0. None if that slope is 0 or a rounding error.
  std::optional<Move> resolved(size_t i, const Numbers& u, size_t r);

  // How much rounding changes each number of `quantity`. x is moved along z in steps so small (1e-10 |x| size) that
  // nothing but rounding changes it, and second differences are taken on both sides of x. The quieter side counts, so
  // that a corner or a jump at x is not taken for rounding. k counts the moves. Ends when the result is `enough`.
  Numbers jitter(size_t i, const Numbers& z, double size, const std::function<Numbers(int k)>& quantity,
                 const std::function<bool(const Numbers&)>& enough);

  Numbers outputs() const;                              // f at the inputs
  Move measured(size_t i, const Numbers& u, double h);  // the slopes along u itself
  // Which outputs depend on x + t u: those that a large t changes.
  std::vector<bool> moving(size_t i, const Numbers& u);
  // Has an output a corner here? Its slopes to the left and to the right then stay different as the step shrinks.
  bool corner(size_t i, const Numbers& u);

  std::vector<Tensor> inputs;    // own contiguous copies; elements are changed and restored
  std::vector<Numbers> weights;  // w, a row for each L
  Numbers y;                     // the outputs at the inputs
  const double step;             // h

 private:
  Numbers own_sizes(size_t i, const Numbers& z) const;
  Numbers at(size_t i, const Numbers& u, double t, const std::function<Numbers()>& quantity);
  const GradcheckFunction& f_;
};

// The largest finite magnitude.
double largest_of(const std::vector<double>& x);

}  // namespace heed
