#include "nn/attention/attend.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

void check(const Variable& scores, const Variable& values, const Tensor& allowed) {
  int rank = scores.rank();
  bool fits = (rank == 3 || rank == 4) && values.rank() == rank && scores.size(-1) == values.size(-2);
  for (int axis = 0; fits && axis < rank - 2; ++axis) fits = scores.size(axis) == values.size(axis);
  if (!fits)
    throw ShapeError(fmt::format("attend: needs scores [B, T, S] and values [B, S, D]; got {} and {}",
                                 to_string(scores.shape()), to_string(values.shape())));
  if (allowed.defined() && !(broadcast_shape("attend", allowed.shape(), scores.shape()) == scores.shape()))
    throw ShapeError(fmt::format("attend: the mask must broadcast to the scores; got mask {} and scores {}",
                                 to_string(allowed.shape()), to_string(scores.shape())));
}

}  // namespace

Attended attend(const Variable& scores, const Variable& values, const AttendOptions& o) {
  check(scores, values, o.allowed);
  Variable logits = o.allowed.defined() ? masked_fill(scores, logical_not(o.allowed), -INFINITY) : scores;
  Variable weights = o.normaliser ? (*o.normaliser)(logits) : softmax(logits, -1);
  if (o.factor.defined()) weights = weights * o.factor;
  Observe::report(weights.value());
  return {matmul(o.dropout ? (*o.dropout)(weights) : weights, values), weights};
}

Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed) {
  return attend(scores, values, AttendOptions{.allowed = allowed});
}

}  // namespace heed::nn
