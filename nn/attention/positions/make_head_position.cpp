#include "nn/attention/positions/head_position.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& given, Generator& rng) {
  HeadPositionOptions o = completed_stage(Kind::position, given);
  return stage_entry(Kind::position, o.name).position(o, rng);
}

}  // namespace heed::nn
