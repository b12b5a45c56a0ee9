// Gradient checks: compare the gradient of a function with central differences, in f64.
//
//   dL/dx_i  ~  (L(x + h e_i) - L(x - h e_i)) / 2h,     h = 6e-6 max(1, |x_i|)
//
// 6e-6 is the cube root of the machine epsilon 2.2e-16: the truncation error, about h^2, and the rounding error, about
// 2.2e-16 / h, are then both 4e-11. For an x_i far from 1 (below 0.01, above 100) the larger of h = 6e-6 |x_i| and 6e-6
// is taken if f is smooth over it, and the smaller if not. The check has no scale of its own: c f(s x) at x / s passes
// or fails, and is diagnosed, as f is at x.
//
// A function with many outputs is reduced to L = sum v y with fixed random weights v. In a plain sum, two faults could
// cancel, or a whole row of the Jacobian could have no effect. When the analytic and the numeric gradient differ, their
// ratio often shows what is wrong, and the report says so in words (gradcheck_diagnosis.h).
//
//   GradcheckReport r = gradcheck([](const std::vector<Variable>& in) { return matmul(in[0], in[1]); }, {a, b});
//   if (!r.passed) puts(to_string(r).c_str());
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/gradcheck_diagnosis.h"
#include "autograd/variable.h"

namespace heed {

using GradcheckFunction = std::function<Variable(const std::vector<Variable>&)>;

struct GradcheckOptions {
  enum Method {
    elements,    // every element of every input, with L = sum v y: 2 evaluations per element, 1 backward pass
    jacobian,    // dy_o / dx_i for every pair, returned as matrices: one backward pass per output
    directions,  // <dL/dx, u> for a few random directions u: 2 evaluations per direction, for any size
  };
  Method method = elements;
  double tolerance = 1e-6;  // on the relative error
  double step = 6e-6;       // h of an element of size 1
  int directions_per_input = 4;
  uint64_t seed = 1;  // of v and of the directions
  // For a gradient that is biased on purpose (a straight-through estimator): the function whose gradient it is.
  GradcheckFunction surrogate = {};
};

// One number of the analytic gradient, and the numeric one.
//   relative = |analytic - numeric| / max(|analytic|, |numeric|, floor)
//   floor    = the larger of 1 % of the input's largest gradient and 0.1 % of sum |v y| / size of x_i, over the y that
//              x_i moves. Gradients below it may be rounding errors; a fault is as large as the gradient itself.
// A gradient that would be 0 without rounding may be off by as much as rounding changes f near x.
struct GradcheckElement {
  size_t input = 0;
  Dims index = {};   // in the input; with `directions`, the number of the direction
  Dims output = {};  // in y, with `jacobian` only
  double analytic = 0, numeric = 0, absolute = 0, relative = 0;
};

struct JacobianPair {
  Tensor analytic, numeric;  // [outputs, elements of the input]
};

struct GradcheckReport {
  bool passed = true;
  double max_relative_error = 0;  // infinity where the analytic gradient is NaN or has the wrong shape
  GradcheckElement worst;
  Fault fault = Fault::none;            // of the input with the worst element
  std::string diagnosis;                // in words, one sentence for each input that fails; empty if passed
  int64_t compared = 0;                 // how many numbers were compared
  std::vector<JacobianPair> jacobians;  // one per input, with `jacobian` only
};

// Inputs are f64 (DTypeError); their values are copied. ValueError if f gives different values for the same input.
GradcheckReport gradcheck(const GradcheckFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

// Checks second derivatives: the gradient (x, v) -> d(sum v f(x))/dx is recorded with create_graph and differentiated;
// the result is compared with differences of the gradient that an ordinary pass computes. So a fused operation, which
// computes the two in different ways, is checked against itself. The inputs are those of f, then v. Differences of a
// gradient are a little less accurate, so the tolerance is 1e-5.
GradcheckReport gradgradcheck(const GradcheckFunction& f, const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options = {.tolerance = 1e-5});

std::string to_string(const GradcheckReport& report);  // one to a few lines

// For lessons and tests: f with a fault planted in the gradients of its inputs; the value of f does not change. dx
// becomes: sign -dx, missing 0, twice 2 dx, mean dx / n (n: number of elements of the input), transpose dx with the
// last two axes exchanged.
GradcheckFunction plant_fault(const GradcheckFunction& f, Fault fault);

}  // namespace heed
