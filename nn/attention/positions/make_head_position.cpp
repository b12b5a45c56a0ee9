#include <fmt/format.h>

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/shaw.h"

namespace heed::nn {

std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& o, Generator& rng) {
  if (o.name == "none") return std::make_unique<HeadPosition>();
  if (o.name == "rope" || o.name == "rope_interleaved") return std::make_unique<Rope>(o, rng);
  if (o.name == "shaw" || o.name == "shaw_keys") return std::make_unique<ShawPositions>(o, rng);
  throw ValueError(fmt::format(
      "head position: no such name; got {}; there are none, rope, rope_interleaved, shaw, shaw_keys", o.name));
}

}  // namespace heed::nn
