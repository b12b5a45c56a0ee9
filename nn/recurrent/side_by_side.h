// From the time-major outputs of a layer's directions to its annotations, in one pass over memory.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// sides: D of [T, B, N]; keep: [T, B] bool, or undefined -> [B, T, D N], zeros where keep is false.
// Gradient: each side's columns of dy, zeros where keep is false. Saves keep alone.
Variable side_by_side(const std::vector<Variable>& sides, const Tensor& keep);
Variable side_by_side_composed(const std::vector<Variable>& sides, const Tensor& keep);

}  // namespace heed::nn
