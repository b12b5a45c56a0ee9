#include "nn/attention/grids/criss_cross.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {

CrissCross::CrissCross(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      settings(options.settings.as<Settings>()),
      query({.in = o.query, .out = std::max<int64_t>(1, o.query / settings.reduction)}, rng),
      key({.in = o.query, .out = query.options.out}, rng),
      value({.in = o.query, .out = o.query}, rng),
      gamma(zeros_parameter({1})) {}

Variable CrissCross::pass(const Variable& x) const {
  const int64_t R = x.size(1), C = x.size(2);
  auto turned = [](const Variable& y) { return transpose(y, 1, 2); };  // [B, R, C, ..] <-> [B, C, R, ..]
  Variable q = query(x), k = key(x), v = value(x);
  Variable in_row = matmul(q, transpose(k, 2, 3));                     // [B, R, C, C]
  Variable in_column = matmul(turned(q), transpose(turned(k), 2, 3));  // [B, C, R, R]
  in_column = masked_fill(in_column, greater(Tensor::eye(R), 0), -HUGE_VAL);
  Variable w = softmax(concat({turned(in_column), in_row}, 3));  // [B, R, C, R + C]
  Variable read = turned(matmul(turned(slice(w, 3, 0, R)), turned(v))) + matmul(slice(w, 3, R, R + C), v);
  return x + gamma * read;
}

Variable CrissCross::picture(const Variable& x) const {
  Variable y = x;
  for (int64_t n = 0; n < settings.passes; ++n) y = pass(y);
  return y;
}

}  // namespace heed::nn
