#include "nn/attention/positions/head_position.h"

#include <fmt/format.h>

#include "nn/attention/positions/reads_places.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& given, Generator& rng) {
  HeadPositionOptions o = completed_stage(Kind::position, given);
  return stage_entry(Kind::position, o.name).position(o, rng);
}

bool reads_places_of(const HeadPosition& position) {
  const auto* reader = dynamic_cast<const ReadsPlaces*>(&position);
  return reader && reader->reads_places();
}

void require_heads(const char* who, int64_t heads) {
  if (heads < 1) throw ValueError(fmt::format("{}: needs at least one head; got {}", who, heads));
}

}  // namespace heed::nn
