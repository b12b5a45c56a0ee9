#include "nn/batch_norm.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

BatchNorm::BatchNorm(const Options& o, Generator&)
    : options(o),
      weight(full_parameter({o.width}, o.first_weight)),
      bias(zeros_parameter({o.width})),
      running_mean(Tensor::zeros({o.width}, parameter_dtype())),
      running_var(Tensor::ones({o.width}, parameter_dtype())) {}

Variable BatchNorm::operator()(const Variable& x) const {
  Call call(*this);
  if (x.rank() < 2 || x.size(-1) != options.width)
    throw ShapeError(fmt::format("BatchNorm: the last axis of x must have the {} channels; got x {}", options.width,
                                 to_string(x.shape())));
  Variable m(running_mean.to(x.dtype())), v(running_var.to(x.dtype()));
  if (trains()) {
    const int64_t n = x.count() / options.width;
    if (n < 2)
      throw ValueError(
          fmt::format("BatchNorm: the statistics of a batch need more than one row in training; got x {}; hint: train "
                      "with larger batches",
                      to_string(x.shape())));
    Variable rows = reshape(x, {n, options.width});
    m = mean(rows, {0}), v = var(rows, {0}, {.unbiased = false});
    if (!recomputing()) {  // a checkpoint computes the same batch a second time
      const double keep = 1 - options.momentum, unbiased = static_cast<double>(n) / static_cast<double>(n - 1);
      auto moved = [&](const Tensor& old, const Tensor& now, double factor) {
        return add(mul(old, keep), mul(now.to(old.dtype()), options.momentum * factor));
      };
      running_mean = moved(running_mean, m.value(), 1), running_var = moved(running_var, v.value(), unbiased);
    }
  }
  return call.result("output", (x - m) / sqrt(v + options.eps) * weight + bias);
}

}  // namespace heed::nn
