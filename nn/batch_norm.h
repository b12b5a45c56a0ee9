// Batch normalisation ("Batch normalization: accelerating deep network training by reducing internal covariate shift",
// algorithms 1 and 2), channels last.
//
//   training     y = (x - m) / sqrt(v + eps) * weight + bias      m, v: mean and variance of a channel over all the
//                                                                 rows of the batch; v divides by their number n
//   evaluation   the same with the running mean and variance      r <- (1 - momentum) r + momentum (m or v n / (n - 1))
//
// In training the output of a row depends on the other rows of its batch. A call in training mode changes the two
// buffers, so each thread that trains needs its own module. Names, momentum and both variances are PyTorch's.
#pragma once

#include "nn/module.h"

namespace heed::nn {

struct BatchNorm : Module {
  struct Options {
    int64_t width;  // D, channels
    double eps = 1e-5;
    double momentum = 0.1;  // share of the new batch in the running statistics
    double first_weight = 1;
  };
  BatchNorm(const Options& options, Generator& unused);
  Variable operator()(const Variable& x) const;  // [.., D] -> [.., D]. ValueError in training with a single row
  void visit(Visitor& v) {
    v.parameter("weight", weight), v.parameter("bias", bias);
    v.buffer("running_mean", running_mean), v.buffer("running_var", running_var);
  }
  Options options;
  Variable weight, bias;                     // [D], first_weight and 0 at the start
  mutable Tensor running_mean, running_var;  // [D], 0 and 1 at the start
};

}  // namespace heed::nn
