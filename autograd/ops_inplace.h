// Writing into a Variable's memory. Allowed on constants, and on anything under NoGrad (this is how optimisers update
// parameters). Elsewhere a GraphError says what to write instead: the graph would hold values that are no longer true.
// A value that a recorded operation saved, written after all, is found out in backward (see Saved in attach.h).
#pragma once

#include "autograd/variable.h"

namespace heed {

void add_(const Variable& v, const Tensor& x, double scale = 1);  // v += scale x
void mul_(const Variable& v, double s);                           // v *= s
void copy_(const Variable& v, const Tensor& x);                   // v = x, element by element
void fill_(const Variable& v, double value);

}  // namespace heed
