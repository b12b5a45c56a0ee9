#include "nn/attention/attend.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/observe.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed) {
  if (scores.rank() != 3 || values.rank() != 3 || scores.size(0) != values.size(0) || scores.size(2) != values.size(1))
    throw ShapeError(fmt::format("attend: needs scores [B, T, S] and values [B, S, D]; got {} and {}",
                                 to_string(scores.shape()), to_string(values.shape())));
  Variable logits = scores;
  if (allowed.defined()) {
    if (!(broadcast_shape("attend", allowed.shape(), scores.shape()) == scores.shape()))
      throw ShapeError(fmt::format("attend: the mask must broadcast to the scores; got mask {} and scores {}",
                                   to_string(allowed.shape()), to_string(scores.shape())));
    logits = masked_fill(scores, logical_not(allowed), -INFINITY);
  }
  Variable weights = softmax(logits, -1);
  Observe::report(weights.value());
  return {matmul(weights, values), weights};
}

}  // namespace heed::nn
