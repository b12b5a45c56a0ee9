// Exercise 16.1: a loss whose gradient is the estimator.
//
//   g(z) = d log p(y | z) + (log p(y | z) - b) d log p(z)        d: gradient with respect to all parameters
//
// z is the position that was drawn, y the caption, b a baseline. Write a scalar for one caption whose gradient is g(z).
// In the bracket log p(y | z) is a reward, a plain number: no gradient may pass through it.
// Williams, Machine Learning 8, 1992; Xu et al., ICML 2015, section 4.1.
#pragma once

#include "autograd/ops.h"

namespace mine {

// log_likelihood: log p(y | z), log_choice: log p(z), [] each -> []
heed::Variable surrogate(const heed::Variable& log_likelihood, const heed::Variable& log_choice, double b);

}  // namespace mine
