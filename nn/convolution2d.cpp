#include "nn/convolution2d.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

Variable neighbours(const Variable& x, int64_t height, int64_t width) {
  const int64_t up = (height - 1) / 2, left = (width - 1) / 2;
  Variable wide = pad(
      x, {{.axis = 1, .before = up, .after = height - 1 - up}, {.axis = 2, .before = left, .after = width - 1 - left}});
  return unfold(unfold(wide, 1, height, 1), 2, width, 1);
}

Variable convolution2d(const Variable& x, const Variable& weight, const Variable& bias, int64_t groups) {
  const bool fits = x.rank() == 4 && weight.rank() == 4 && groups > 0 && weight.size(0) % groups == 0 &&
                    x.size(3) == groups * weight.size(1);
  if (!fits)
    throw ShapeError(
        fmt::format("convolution2d: x must be [B, R, C, I] and weight [O, I / groups, height, width], and the groups "
                    "must divide I and O; got x {}, weight {} and {} groups",
                    to_string(x.shape()), to_string(weight.shape()), groups));
  const int64_t B = x.size(0), R = x.size(1), C = x.size(2), O = weight.size(0);
  const int64_t taps = weight.size(1) * weight.size(2) * weight.size(3);  // of one output channel
  Variable windows = neighbours(x, weight.size(2), weight.size(3));
  if (groups == 1) return linear(reshape(windows, {B, R, C, taps}), reshape(weight, {O, taps}), bias);
  windows = reshape(windows, {B * R * C, groups, 1, taps});
  Variable y = matmul(windows, transpose(reshape(weight, {groups, O / groups, taps}), 1, 2));  // [.., groups, 1, O/g]
  y = reshape(y, {B, R, C, O});
  return bias.defined() ? y + bias : y;
}

Convolution2d::Convolution2d(const Options& o, Generator& rng) : options(o) {
  const int64_t taps = o.in / o.groups * o.height * o.width;
  weight = uniform_parameter({o.out, o.in / o.groups, o.height, o.width}, taps, rng);
  if (o.bias) bias = uniform_parameter({o.out}, taps, rng);
}

Variable Convolution2d::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", convolution2d(x, weight, bias, options.groups));
}

}  // namespace heed::nn
