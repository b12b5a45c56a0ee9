#include "nn/attention/positions/rotary_position.h"

#include <fmt/format.h>

#include <vector>

#include "nn/attention/registry.h"
#include "tensor/error.h"

namespace heed::nn {

RotaryPosition::RotaryPosition(const Options& o, const std::string& name)
    : options(completed_stage(Kind::position, o, name)) {}

void require_even_widths(const HeadPositionOptions& options) {
  if (options.query % 2 != 0 || options.key % 2 != 0)
    throw ValueError(fmt::format("{}: turns pairs, so queries and keys must have even widths; got {} and {}",
                                 options.name, options.query, options.key));
}

void require_one_width(const HeadPositionOptions& options) {
  if (options.query != options.key)
    throw ValueError(
        fmt::format("{}: has a number for each pair of entries, so queries and keys must be equally wide; "
                    "got {} and {}",
                    options.name, options.query, options.key));
}

Tensor RotaryPosition::places_of(int64_t first, int64_t T, const Tensor& at) {
  if (at.defined()) return at.contiguous();
  std::vector<int64_t> places;
  for (int64_t t = 0; t < T; ++t) places.push_back(first + t);
  return Tensor::from(places, {T});
}

Variable RotaryPosition::turn_query(const Variable& q, const Places& p) const {
  Call call(*this);
  return call.result("turned", turned(q, p.first_query, p.query_at, /*key=*/false));
}

Variable RotaryPosition::turn_key(const Variable& k, const Places& p) const {
  Call call(*this);
  return call.result("turned", turned(k, p.first_key, p.key_at, /*key=*/true));
}

}  // namespace heed::nn
