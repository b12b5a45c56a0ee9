// Gradient clipping: limits the gradients between backward and the step, so that one bad batch cannot throw the weights
// far away. Parameters without a gradient are skipped.
#pragma once

#include <vector>

#include "autograd/picture.h"

namespace heed::nn {

class Ranks;

struct ClipOptions {
  double p = 2;  // 2: |g| = sqrt(sum g^2);  INFINITY: |g| = max |g_i|
  bool allow_not_finite = false;
  Ranks* ranks = nullptr;  // each has some of the gradients (nn/train/exchange.h): the norm is that of all
};

// Scales all gradients together so that their common norm is at most `limit`, and returns the norm before scaling.
//   g <- g min(1, limit / (|g| + 1e-6))       (Pascanu et al., ICML 2013; the 1e-6 is PyTorch's)
// If a gradient contains NaN or an infinity, ValueError names its parameter; with allow_not_finite, the norm (NaN or
// infinite) is returned instead. In both cases no gradient is changed, so that the caller can skip the step.
double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit, const ClipOptions& options = {});

// g_i <- min(max(g_i, -limit), limit)
void clip_grad_value(const std::vector<NamedVariable>& parameters, double limit);

}  // namespace heed::nn
