#include "nn/attention/scores/location.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

LocationScore::LocationScore(const Options& o, Generator& rng) : options(o) {
  if (o.max_source < 1)
    throw ValueError(fmt::format("location: the longest source must be at least 1; got {}", o.max_source));
  weight = uniform_parameter({o.max_source, o.query}, o.query, rng);
}

Variable LocationScore::operator()(const Variable& query, const Variable& keys) const {
  Call call(*this);
  int64_t S = keys.size(-2);
  if (S > options.max_source)
    throw ShapeError(fmt::format("location: the table has a row for each of {} positions; got a source of {}",
                                 options.max_source, S));
  return call.result("scores", linear(query, slice(weight, 0, 0, S), {}));
}

}  // namespace heed::nn
