#include "nn/attention/grids/outlook.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/convolution2d.h"

namespace heed::nn {

Outlook::Outlook(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      size(2 * options.settings.as<Settings>().radius + 1),
      value({.in = head_width(options) * o.heads, .out = o.query, .bias = false}, rng),
      weights({.in = o.query, .out = o.heads * size * size * size * size}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {}

Variable Outlook::picture(const Variable& x) const {
  const int64_t B = x.size(0), R = x.size(1), C = x.size(2), H = options.heads, K = x.size(3) / H, n = size * size;
  Variable windows = transpose(reshape(neighbours(value(x), size, size), {B, R * C, H, K, n}), 3, 4);  // [.., n, K]
  Variable A = softmax(reshape(weights(x), {B, R * C, H, n, n}) / std::sqrt(static_cast<double>(K)));
  Variable Y = reshape(transpose(matmul(A, windows), 3, 4), {B, R, C, H * K, size, size});
  const int64_t before = size / 2;
  Variable y = fold(fold(Y, 2, C + 2 * before, 1), 1, R + 2 * before, 1);  // the windows, added where they overlap
  y = slice(slice(y, 1, before, before + R), 2, before, before + C);
  return out_proj(y);
}

}  // namespace heed::nn
