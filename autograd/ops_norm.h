// Normalisation of the last axes. It keeps deep stacks of layers trainable.
#pragma once

#include "autograd/variable.h"

namespace heed {

struct NormOptions {
  int axes = 1;       // how many of the last axes are normalised together; N is the number of elements under them
  double eps = 1e-5;  // added under the root, so that a row of equal numbers is not divided by 0
};

// n = (x - m) r,  m = mean of the row,  r = 1 / sqrt(mean (x - m)^2 + eps),  y = n w + b
// x [.., D..], weight and bias [D..] or undefined -> [.., D..]                (Ba, Kiros and Hinton 2016, eqs. 3 and 4)
// With u = dy w:  dx = r (u - mean u - n mean(u n)),  dw = sum over rows of dy n,  db = sum over rows of dy
// Saves x, w and two numbers per row; about 8 FLOPs per element forward, 15 back. Smooth everywhere if eps > 0.
Variable layer_norm(const Variable& x, const Variable& weight = {}, const Variable& bias = {},
                    const NormOptions& options = {});
// The same composed of public operations. Read this one first; the fused one is tested against it.
Variable layer_norm_composed(const Variable& x, const Variable& weight = {}, const Variable& bias = {},
                             const NormOptions& options = {});

// The same without subtracting the mean: y = x r w,  r = 1 / sqrt(mean x^2 + eps)
// dx = r (u - n mean(u n)),  dw = sum over rows of dy n                       (Zhang and Sennrich, NeurIPS 2019, eq. 4)
Variable rms_norm(const Variable& x, const Variable& weight = {}, const NormOptions& options = {});
Variable rms_norm_composed(const Variable& x, const Variable& weight = {}, const NormOptions& options = {});

}  // namespace heed
