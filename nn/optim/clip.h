// Clipping: a bound on gradients between backward and the step, so that one bad batch cannot throw the weights far
// away. Parameters without a gradient are passed over.
#pragma once

#include <vector>

#include "autograd/picture.h"

namespace heed::nn {

struct ClipOptions {
  double p = 2;  // 2: |g| = sqrt(sum g^2);  INFINITY: |g| = max |g_i|
  bool allow_not_finite = false;
};

// Scale all gradients together so that their common norm is at most `limit`; returns the norm before.
//   g <- g min(1, limit / (|g| + 1e-6))       (Pascanu et al., ICML 2013; the 1e-6 is PyTorch's)
// A gradient with NaN or an infinity is a ValueError that names its parameter; with allow_not_finite the norm (NaN or
// infinite) is returned. Either way no gradient is touched, so that the step can be left out.
double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit, const ClipOptions& options = {});

// g_i <- min(max(g_i, -limit), limit)
void clip_grad_value(const std::vector<NamedVariable>& parameters, double limit);

}  // namespace heed::nn
