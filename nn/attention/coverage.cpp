#include "nn/attention/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"

namespace heed::nn {

Variable coverage_loss(const Variable& weights) {
  if (weights.rank() != 3)
    throw ShapeError(fmt::format("coverage_loss: needs weights [B, T, S]; got {}", to_string(weights.shape())));
  int64_t B = weights.size(0), T = weights.size(1), S = weights.size(2);
  if (T == 0) return sum(weights, {2});
  Variable none(Tensor::zeros({B, 1, S}, weights.dtype()));
  Variable before = concat({none, slice(cumsum(weights, 1), 1, 0, T - 1)}, 1);  // c [B, T, S]
  return sum(minimum(weights, before), {2});
}

Variable mean_coverage_loss(const Variable& weights, const Tensor& steps) {
  Tensor counts = steps.to(weights.dtype());  // [B, T]
  double number = std::max(heed::sum(counts).item(), 1.0);
  return sum(coverage_loss(weights) * Variable(counts)) / number;
}

}  // namespace heed::nn
