// The score functions that are compared, and the range of each one's results over all widths.
#pragma once

#include <fmt/format.h>

#include <map>

#include "tutorials/14_scores/reader.h"

namespace scores {

inline std::vector<Entrant> entrants(double sharpness) {
  std::vector<Entrant> all{{.name = "dot", .score = "dot"},
                           {.name = "scaled dot", .score = "scaled_dot"},
                           {.name = "cosine", .score = "cosine", .sharpness = sharpness},
                           {.name = "location", .score = "location"},
                           {.name = "scaled dot, W", .score = "scaled_dot", .mapped = true},
                           {.name = "cosine, W", .score = "cosine", .mapped = true, .sharpness = sharpness},
                           {.name = "general", .score = "general"},
                           {.name = "concat", .score = "concat"},
                           {.name = "additive", .score = "additive"}};
  for (int64_t rank : {1, 2, 4, 8})
    all.push_back({.name = fmt::format("rank {}", rank), .score = "reduced_rank", .width = rank});
  return all;
}

struct Standing {
  double least = 100, most = 0;  // correct symbols in %: minimum and maximum over the widths
};
using League = std::map<std::string, Standing>;

}  // namespace scores
