#include "nn/attention/positions/sinusoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "tensor/indexing.h"

namespace heed::nn {

Tensor sinusoidal_permutation(int64_t width) {
  std::vector<int64_t> from;
  for (int64_t c = 0; c < width; c += 2) from.push_back(c);
  for (int64_t c = 1; c < width; c += 2) from.push_back(c);
  return Tensor::from(from, {width});
}

Tensor sinusoidal_positions(int64_t count, const SinusoidalOptions& o, int64_t first, DType dtype) {
  if (o.width < 1 || count < 0 || first < 0)
    throw ValueError(
        fmt::format("sinusoidal_positions: needs a width, and no negative position; got width {}, count "
                    "{}, first {}",
                    o.width, count, first));
  require_float("sinusoidal_positions", dtype);
  Tensor table = Tensor::empty({count, o.width}, DType::f64);
  for (int64_t p = 0; p < count; ++p)
    for (int64_t c = 0; c < o.width; ++c) {
      auto pair = static_cast<double>(c - c % 2), D = static_cast<double>(o.width);
      double angle = static_cast<double>(first + p) / std::pow(10000.0, pair / D);
      table.data<double>()[p * o.width + c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  if (o.layout == SinusoidalLayout::halves) table = index_select(table, 1, sinusoidal_permutation(o.width));
  return table.to(dtype);
}

SinusoidalPositions::SinusoidalPositions(const Options& o, Generator&) : options(o) {
  if (o.width < 1) throw ValueError(fmt::format("SinusoidalPositions: width must be at least 1; got {}", o.width));
}

Variable SinusoidalPositions::operator()(const Variable& x, int64_t first) const {
  Call call(*this);
  require_sequence("SinusoidalPositions", x, options.width);
  return call.result("output", x + Variable(sinusoidal_positions(x.size(1), options, first, x.dtype())));
}

Variable SinusoidalPositions::operator()(const Variable& x, const Tensor& places) const {
  Call call(*this);
  require_sequence("SinusoidalPositions", x, options.width);
  Tensor at = places.contiguous();
  const auto* p = at.data<int64_t>();
  int64_t rows = at.count() ? 1 + *std::max_element(p, p + at.count()) : 0;
  Tensor table = sinusoidal_positions(std::max<int64_t>(rows, 0), options, 0, x.dtype());
  return call.result("output", x + Variable(index_select(table, at)));
}

}  // namespace heed::nn
