#include "nn/attention/scores/one_width.h"

#include <fmt/format.h>

#include "tensor/error.h"

namespace heed::nn {

void require_one_width(const char* score, const ScoreOptions& o) {
  if (o.query != o.key || o.key < 1)
    throw ShapeError(fmt::format("{}: queries and keys must have one width; got {} and {}", score, o.query, o.key));
}

}  // namespace heed::nn
