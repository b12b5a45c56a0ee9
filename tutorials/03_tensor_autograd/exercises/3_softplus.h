// Exercise 03.3: an operation of your own, with attach().
//
//   y = log(1 + e^x)      dy/dx = e^x / (1 + e^x) = 1 / (1 + e^-x), the sigmoid of x
//
// The value in the exercise is written so that it never overflows: max(x, 0) + log(1 + e^-|x|). What is missing is its
// place in the graph: without attach() the result is a constant and has no gradient. The pattern is that of every
// operation of the library (autograd/attach.h shows it for sqrt; autograd/ops_arithmetic.cpp has more):
//
//   return attach("name", {x}, y, [what it saves](Grads& g, const Variable& dy) { g.add(0, gradient of input 0); });
//
// A value that the gradient needs is saved with [sx = save(x)] and read with g[sx].
// Source of softplus: Dugas, Bengio, Belisle, Nadeau and Garcia, NIPS 2000.
#pragma once

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace mine {

heed::Variable softplus(const heed::Variable& x);  // any shape

}  // namespace mine
