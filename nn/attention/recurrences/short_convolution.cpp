#include "nn/attention/recurrences/short_convolution.h"

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

ShortConvolution::ShortConvolution(const Options& o, Generator& rng)
    : options(o),
      weight(uniform_parameter({o.taps, o.features}, o.taps, rng)),
      bias(o.bias ? uniform_parameter({o.features}, o.taps, rng) : Variable()) {}

ShortConvolution::Read ShortConvolution::operator()(const Variable& x, const Variable& state) const {
  Call call(*this);
  const int64_t T = x.size(1), w = options.taps;
  Variable before = state.defined() ? state : Variable(Tensor::zeros({x.size(0), w - 1, x.size(2)}, x.dtype()));
  Variable all = concat({before, x}, 1), y = bias;  // place t of x is t + w - 1 here
  for (int64_t j = 0; j < w; ++j) {
    Variable tap = select(weight, 0, j) * slice(all, 1, w - 1 - j, w - 1 - j + T);
    y = y.defined() ? y + tap : tap;
  }
  return {call.result("output", options.silu ? silu(y) : y), slice(all, 1, T, T + w - 1)};
}

}  // namespace heed::nn
