#include "nn/attention/positions/learned.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {
LearnedPositions::Options checked(const LearnedPositions::Options& o) {
  if (o.positions < 1 || o.width < 1)
    throw ValueError(
        fmt::format("LearnedPositions: sizes must be at least 1; got {} positions of width {}", o.positions, o.width));
  return o;
}
}  // namespace

LearnedPositions::LearnedPositions(const Options& o, Generator& rng)
    : options(checked(o)), weight(normal_parameter({o.positions, o.width}, o.std, rng)) {}

Variable LearnedPositions::operator()(const Variable& x, int64_t first) const {
  Call call(*this);
  require_sequence("LearnedPositions", x, options.width);
  int64_t end = first + x.size(1);
  if (first < 0 || end > options.positions)
    throw IndexError(fmt::format("LearnedPositions: the table has the positions 0 to {}; got {} to {}",
                                 options.positions - 1, first, end - 1));
  return call.result("output", x + slice(weight, 0, first, end));
}

Variable LearnedPositions::operator()(const Variable& x, const Tensor& places) const {
  Call call(*this);
  require_sequence("LearnedPositions", x, options.width);
  Tensor at = places.contiguous();
  const auto* p = at.data<int64_t>();
  for (int64_t i = 0; i < at.count(); ++i)
    if (p[i] < 0 || p[i] >= options.positions)
      throw IndexError(fmt::format("LearnedPositions: the table has the positions 0 to {}; got {} at a word",
                                   options.positions - 1, p[i]));
  return call.result("output", x + index_select(weight, at));
}

}  // namespace heed::nn
