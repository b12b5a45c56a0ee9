// Writing into a Variable's memory. Allowed on constants, and on everything under NoGrad, which is how optimisers
// update parameters. Elsewhere it is a GraphError, because the graph would hold values that have changed. If a value
// that an operation saved is overwritten under NoGrad, backward throws a GraphError (saved.h).
#pragma once

#include "autograd/variable.h"

namespace heed {

void add_(const Variable& v, const Tensor& x, double scale = 1);  // v += scale x
void mul_(const Variable& v, double s);                           // v *= s
void copy_(const Variable& v, const Tensor& x);                   // v = x, element by element
void fill_(const Variable& v, double value);

}  // namespace heed
