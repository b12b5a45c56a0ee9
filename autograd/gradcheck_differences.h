// Numeric derivatives for gradcheck: central differences of L = sum w y, one L for each weighting w of the outputs.
//
//   dL/dt of L(x + t u)  ~  sum_o w_o (y_o(x + h u) - y_o(x - h u)) / 2h
//
// Nothing here has a scale of its own. What counts as a rounding error is in proportion to the outputs, and u moves
// each element in proportion to its size. c f(s x) is checked like f(x).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "autograd/gradcheck.h"

namespace heed {

// One move of an input, x + t u. Slopes below `rounding` may consist of rounding errors; both have one number for each
// w.
struct Move {
  std::vector<double> u, slope = {}, rounding = {};
  double step = 0;             // h
  double moved = 0, bent = 0;  // sums over the outputs: how far they move on both sides, and on one more than the other
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
  // sin(1e10 x) at 0. None if it is 0, or a rounding error.
  std::optional<Move> resolved(size_t i, const Numbers& u, size_t r);

  // How far rounding moves each number of `quantity` when x is moved along z by so little, in units of |x| size, that
  // nothing else changes it: second differences beside x, on the quieter side, so that a corner or a jump at x is no
  // rounding. k counts the moves. Ends when the result is `enough`.
  Numbers jitter(size_t i, const Numbers& z, double size, const std::function<Numbers(int k)>& quantity,
                 const std::function<bool(const Numbers&)>& enough);

  Numbers outputs() const;                              // f at the inputs
  Move measured(size_t i, const Numbers& u, double h);  // the slopes along u itself
  // Which outputs depend on x + t u: those that a large t changes.
  std::vector<bool> moving(size_t i, const Numbers& u);
  // Has an output a corner here: other slopes to the left and to the right, which stay apart as the step shrinks?
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
