#include "nn/attention/structures/feature_wise.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"
#include "nn/made_if.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {

FeatureWiseAttention::FeatureWiseAttention(const Options& o, Generator& rng)
    : options(o),
      query(made_if<Linear>(o.query > 0, {.in = o.query, .out = o.value, .bias = false}, rng)),
      key({.in = o.key, .out = o.value}, rng) {}

Attended FeatureWiseAttention::operator()(const Variable& q, const Variable& k, const Variable& v,
                                          const Tensor& allowed) const {
  constexpr double kCap = 5;  // c
  Call call(*this);
  if (v.rank() != 3 || v.size(2) != options.value)
    throw ShapeError(
        fmt::format("FeatureWiseAttention: values must be [B, S, {}]; got {}", options.value, to_string(v.shape())));
  Variable hidden = unsqueeze(key(without_unread(k, allowed)), 1);
  if (query) hidden = hidden + unsqueeze((*query)(q), 2);
  Variable e = tanh(hidden / kCap) * kCap;  // [B, T, S, D]
  if (allowed.defined()) {
    Shape scores{e.size(0), e.size(1), e.size(2)};
    require_beside("FeatureWiseAttention", "mask", allowed.shape(), scores);
    e = masked_fill(e, logical_not(allowed.expand(scores)).unsqueeze(-1), -INFINITY);
  }
  Variable w = softmax(e, 2);
  return {call.result("context", sum(w * unsqueeze(without_unread(v, allowed), 1), {2})), call.result("weights", w)};
}

}  // namespace heed::nn
