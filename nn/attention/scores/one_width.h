// The check of scores that compare a query with a key entry by entry.
#pragma once

#include <fmt/format.h>

#include "nn/attention/scores/score.h"
#include "tensor/error.h"

namespace heed::nn {

inline void require_one_width(const char* score, const ScoreOptions& o) {
  if (o.query != o.key || o.key < 1)
    throw ShapeError(fmt::format("{}: queries and keys must have one width; got {} and {}", score, o.query, o.key));
}

}  // namespace heed::nn
