#include <fmt/format.h>

#include "nn/attention/positions/embedding_position.h"
#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

// A scheme with a single position, to be asked.
std::unique_ptr<EmbeddingPosition> small(const EmbeddingPositionOptions& o) {
  Generator unused(0);
  return make_embedding_position({.name = o.name, .width = o.width, .max_positions = 1}, unused);
}

}  // namespace

std::unique_ptr<EmbeddingPosition> make_embedding_position(const EmbeddingPositionOptions& o, Generator& rng) {
  for (const CatalogueEntry& e : stage_entries(Kind::position))
    if (e.embedding_position && e.name == o.name) return e.embedding_position(o, rng);
  return nullptr;
}

int64_t embedding_position_parameters(const EmbeddingPositionOptions& o) {
  std::unique_ptr<EmbeddingPosition> one = small(o);
  if (!one) return 0;
  return count_parameters(*one) * (one->limit() > 0 ? o.max_positions : 1);
}

int64_t embedding_position_limit(EmbeddingPositionOptions o) {
  o.width = 1;
  std::unique_ptr<EmbeddingPosition> one = small(o);
  return one && one->limit() > 0 ? o.max_positions : 0;
}

void require_sequence(const char* who, const Variable& x, int64_t width) {
  if (x.rank() != 3 || x.size(2) != width)
    throw ShapeError(fmt::format("{}: needs x [B, T, {}]; got {}", who, width, to_string(x.shape())));
}

}  // namespace heed::nn
