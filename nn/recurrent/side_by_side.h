// From the time-major outputs of a layer's directions to its batch-major outputs, in one pass over memory.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// sides: D tensors [T, B, N]; keep: [T, B] bool, or undefined -> [B, T, D N], zeros where keep is false.
// The gradient of each side is its columns of dy, with zeros where keep is false. Only keep is saved.
Variable side_by_side(const std::vector<Variable>& sides, const Tensor& keep);
Variable side_by_side_composed(const std::vector<Variable>& sides, const Tensor& keep);

}  // namespace heed::nn
