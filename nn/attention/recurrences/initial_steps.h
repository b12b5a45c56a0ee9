// Initial values that state space models and gated delta rules draw: step sizes spread over two powers of ten, so that
// some features forget soon and others late, and rates of decay.
#pragma once

#include <functional>

#include "nn/init.h"

namespace heed::nn {

// Each number is f(p) of its own p, uniform in [0, 1).
Variable spread_parameter(const Shape& shape, Generator& rng, const std::function<double(double)>& f);

// The step is exp of the parameter, and log-uniform in [0.001, 0.1] (S4D).
Variable spread_log_steps(const Shape& shape, Generator& rng);
// The step is softplus of the parameter: the same, and not below 0.0001 (Mamba).
Variable spread_softplus_steps(const Shape& shape, Generator& rng);
// The rate is exp of the parameter, uniform in [low, 16] and not below 0.0001, whose logarithm is finite (Mamba-2,
// fla).
Variable spread_log_rates(const Shape& shape, double low, Generator& rng);

}  // namespace heed::nn
