#include "nn/attention/readers/reader.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::unique_ptr<Reader> make_reader(const std::string& text, Generator& rng) {
  StageOptions o = stage_from(Kind::reader, text);
  return stage_entry(Kind::reader, o.name).reader(o, rng);
}

}  // namespace heed::nn
