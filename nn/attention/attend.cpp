#include "nn/attention/attend.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/scopes/masks.h"
#include "nn/layers.h"
#include "nn/observe.h"
#include "nn/padding.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

void check(const Variable& scores, const Variable& values) {
  int rank = scores.rank();
  bool fits = (rank == 3 || rank == 4) && values.rank() == rank && scores.size(-1) == values.size(-2);
  for (int axis = 0; fits && axis < rank - 2; ++axis) fits = scores.size(axis) == values.size(axis);
  if (!fits)
    throw ShapeError(fmt::format("attend: needs scores [B, T, S] and values [B, S, D]; got {} and {}",
                                 to_string(scores.shape()), to_string(values.shape())));
}

// Divides each row by its sum; a row of zeros stays zero.
Variable over_sum(const Variable& weights) {
  Variable total = sum(weights, {-1}, true);
  return weights / masked_fill(total, equal(total.value(), 0), 1);
}

}  // namespace

Attended attend(const Variable& scores, const Variable& values, const AttendOptions& o) {
  check(scores, values);
  Tensor allowed = scores.rank() == 4 ? beside_heads(o.allowed) : o.allowed;
  if (allowed.defined()) require_beside("attend", "mask", allowed.shape(), scores.shape());
  Variable logits = allowed.defined() ? masked_fill(scores, logical_not(allowed), -INFINITY) : scores;
  if (o.renormalise && o.factor.defined())  // before the softmax: keys with the factor 0 could take all weight
    logits = masked_fill(logits, equal(o.factor.value(), 0), -INFINITY);
  Variable weights = !o.normaliser ? softmax(logits, -1)
                     : o.context   ? (*o.normaliser)(logits, *o.context)
                                   : (*o.normaliser)(logits);
  if (o.factor.defined()) weights = weights * o.factor;
  if (o.renormalise) weights = over_sum(weights);
  if (o.report) Observe::report(weights.value(), logits.value());
  Variable reading = o.dropout ? (*o.dropout)(weights) : weights;
  Variable context = matmul(reading, o.clean ? values : without_unread(values, allowed));
  // If the padding is clean, only a word that no query may attend to can still be NaN. The sum of the context shows it.
  if (o.clean && allowed.defined() && !std::isfinite(sum(context.value()).item()))
    context = matmul(reading, without_unread(values, allowed));
  return {context, weights, logits};
}

Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed) {
  return attend(scores, values, AttendOptions{.allowed = allowed});
}

}  // namespace heed::nn
