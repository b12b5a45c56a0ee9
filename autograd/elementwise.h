// The functions of tensor/functions.h on Variables, and what their table says about checking them.
#pragma once

#include <vector>

#include "autograd/variable.h"
#include "tensor/functions.h"

namespace heed {

// y = f(x) and its gradient, by the row of this name. Saves x or y, whichever the gradient reads. 1 to 40 FLOPs per
// element, in one pass over memory forward and one back.
Variable elementwise(RowName name, const Variable& x, FunctionParameters p = {});
Variable elementwise(size_t row, const Variable& x, FunctionParameters p);

// Every row with each of the parameters to try it with.
struct ElementwiseTrial {
  size_t row;
  const char* name;
  FunctionParameters p;
  bool has_parameters;
  elementwise_table::Smooth smooth;
  Variable operator()(const Variable& x) const { return elementwise(row, x, p); }
};
std::vector<ElementwiseTrial> elementwise_trials();

}  // namespace heed
