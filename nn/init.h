// Initial values of parameters.
#pragma once

#include "autograd/variable.h"
#include "tensor/random.h"

namespace heed::nn {

// U(-1/sqrt(n), 1/sqrt(n)): what PyTorch gives Linear (n inputs) and recurrent layers (n hidden units).
Variable uniform_parameter(const Shape& shape, int64_t n, Generator& rng);
// N(0, std^2).
Variable normal_parameter(const Shape& shape, double std, Generator& rng);
Variable zeros_parameter(const Shape& shape);
// U(-a, a), a = sqrt(6 / (fan_in + fan_out)): variance 2 / (fan_in + fan_out)   (Glorot and Bengio, AISTATS 2010, eq.
// 16). For [out, in] matrices.
Variable xavier_parameter(const Shape& shape, Generator& rng);

}  // namespace heed::nn
