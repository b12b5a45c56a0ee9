#include "nn/attention/grids/lambda_layer.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/convolution2d.h"
#include "nn/init.h"

namespace heed::nn {

LambdaLayer::LambdaLayer(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      settings(options.settings.as<Settings>()),
      query({.in = o.query, .out = settings.inner * o.heads, .bias = false}, rng),
      key({.in = o.query, .out = settings.inner, .bias = false}, rng),
      value({.in = o.query, .out = head_width(options), .bias = false}, rng),
      query_norm({.width = query.options.out}, rng),
      value_norm({.width = value.options.out}, rng),
      positions(normal_parameter({2 * settings.reach + 1, 2 * settings.reach + 1, settings.inner}, 1, rng)) {}

void LambdaLayer::visit(Visitor& v) {
  v.child("query", query), v.child("key", key), v.child("value", value);
  v.child("query_norm", query_norm), v.child("value_norm", value_norm);
  v.parameter("positions", positions);
}

Variable LambdaLayer::queries(const Variable& x) const {
  return reshape(query_norm(query(x)), {x.size(0), x.size(1) * x.size(2), options.heads, settings.inner});
}
Variable LambdaLayer::keys(const Variable& x) const { return softmax(key(places_of(x)), 1); }
Variable LambdaLayer::values(const Variable& x) const { return value_norm(value(places_of(x))); }

Variable LambdaLayer::picture(const Variable& x) const {
  const int64_t B = x.size(0), R = x.size(1), C = x.size(2), T = R * C, K = settings.inner, r = settings.reach;
  Variable v = values(x);
  const int64_t V = v.size(2);
  // No place is farther than the picture is large.
  const int64_t down = std::min(r, R - 1), right = std::min(r, C - 1), taps = (2 * down + 1) * (2 * right + 1);
  Variable E = slice(slice(positions, 0, r - down, r + down + 1), 1, r - right, r + right + 1);
  Variable near = neighbours(rows_of(v, R, C), 2 * down + 1, 2 * right + 1);           // [B, R, C, V, .., ..]
  Variable of_places = matmul(reshape(near, {B, T, V, taps}), reshape(E, {taps, K}));  // [B, T, V, K]
  Variable content = matmul(transpose(v, 1, 2), keys(x));                              // [B, V, K]
  Variable lambda = of_places + unsqueeze(content, 1);
  Variable y = matmul(queries(x), transpose(lambda, 2, 3));  // [B, T, H, V]
  return reshape(y, {B, R, C, options.heads * V});
}

}  // namespace heed::nn
