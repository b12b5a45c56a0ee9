// Exercise 02.2: teach the engine four operations.
//
//   sigmoid(x) = 1 / (1 + e^-x)      sqrt(x)      pow(a, b) = a^b with a > 0      maximum(a, b)
//
// An operation computes its value and adds one edge per input, which carries the local derivative: scalar.h shows how
// * and tanh do it. Here the values are right and the local derivatives are missing (they are 0). backward needs no
// change: it only multiplies along edges and adds.
// The operations are checked in this order, up to the first wrong one.
#pragma once

#include "tutorials/02_derivatives/scalar.h"

namespace mine {

derivatives::Scalar sigmoid(const derivatives::Scalar& x);
derivatives::Scalar sqrt(const derivatives::Scalar& x);
derivatives::Scalar pow(const derivatives::Scalar& a, const derivatives::Scalar& b);
derivatives::Scalar maximum(const derivatives::Scalar& a, const derivatives::Scalar& b);

}  // namespace mine
