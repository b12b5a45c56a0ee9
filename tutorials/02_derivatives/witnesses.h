// One random expression, differentiated by the engine of this lesson and by five other methods. Measured is how far
// each of them is from the engine: |a - b| / max(1, |b|), the largest over the inputs.
#pragma once

#include <algorithm>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tutorials/02_derivatives/expressions.h"
#include "tutorials/02_derivatives/recursion.h"
#include "tutorials/02_derivatives/scalar.h"

namespace derivatives {

struct Disagreement {
  double central = 0, extrapolated = 0, complex = 0;  // formulas that need only values
  double heed = 0;                                    // the engine of the library, in f64
  double once = 0;                                    // the wrong recursion
};

inline void raise(double& worst, double measured, double truth) {
  worst = std::max(worst, std::abs(measured - truth) / std::max(1.0, std::abs(truth)));
}

inline Disagreement compare(const std::vector<double>& at, std::uint64_t which, std::int64_t operations) {
  std::vector<Scalar> scalars(at.begin(), at.end());
  Scalar y = random_expression(scalars, which, operations);
  backward(y);
  std::vector<double> gradient;  // with respect to each input, by the engine of this lesson
  for (const Scalar& x : scalars) gradient.push_back(x.grad());
  backward_by(Recursion::once, y);  // overwrites .grad

  std::vector<heed::Variable> variables;
  for (double x : at) variables.emplace_back(heed::Tensor::scalar(x, heed::DType::f64), heed::Variable::kRequiresGrad);
  heed::backward(random_expression(variables, which, operations));

  Disagreement worst;
  for (std::size_t i = 0; i < at.size(); ++i) {
    auto along = [&](auto t) {  // the expression as a function of input i alone
      std::vector<decltype(t)> inputs(at.begin(), at.end());
      inputs[i] = t;
      return random_expression(inputs, which, operations);
    };
    raise(worst.central, central_difference(along, at[i], predicted_step(2)), gradient[i]);
    raise(worst.extrapolated, extrapolated_difference(along, at[i], 1e-4), gradient[i]);
    raise(worst.complex, complex_step(along, at[i], 1e-100), gradient[i]);
    raise(worst.heed, variables[i].grad().item(), gradient[i]);
    raise(worst.once, scalars[i].grad(), gradient[i]);
  }
  return worst;
}

}  // namespace derivatives
