#include "nn/attention/registry.h"
#include "nn/attention/structures/output_memory.h"

namespace heed::nn {

std::unique_ptr<OutputMemory> make_output_memory(const std::string& text, int64_t width, Generator& rng) {
  StageOptions o = stage_from(Kind::memory, text);
  o.key = width;
  return stage_entry(Kind::memory, o.name).memory(o, rng);
}

}  // namespace heed::nn
