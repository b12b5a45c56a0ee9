// The page of heed look. Its panels share the selected head and word (tutorials/report/page/look.js).
//
// The page must stay below 5 MB, so of each row of scores it keeps the distances from the largest, in 16 bits (up to
// 30) or, if that is too much, in 8 bits (up to 12, in steps of 0.05). A softmax of them gives the row of weights
// again. Of a long text only the heads that matter most to the answer are kept whole, and a small picture of the
// others.
#pragma once

#include <string>

#include "nn/io/json.h"
#include "tutorials/app/look_heads.h"
#include "tutorials/report/report.h"

namespace heed::app {

struct LookPage {
  std::string model;                   // its name
  std::vector<LookHead> without = {};  // chosen at first
  uint64_t seed = 1;                   // of shuffles
  size_t room = 3'000'000;             // bytes for scores
};
report::Report look_page(const LookSubject& subject, const Effects& effects, const LookPage& page);

// A row of scores as distances from its largest: 0 where not allowed, then 1 .. most, most at the largest.
std::vector<unsigned> packed_row(const float* scores, int64_t count, bool fine);

}  // namespace heed::app
