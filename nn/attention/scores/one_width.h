// The check of scores that compare a query with a key entry by entry.
#pragma once

#include "nn/attention/scores/score.h"

namespace heed::nn {

// ShapeError, which begins with the score's name, unless queries and keys have one width.
void require_one_width(const char* score, const ScoreOptions& options);

}  // namespace heed::nn
