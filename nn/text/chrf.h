// chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015): overlap in sequences of one
// to six characters, so that a word with the right stem and a wrong ending still gets a partial score.
//
// clang-format off
//   P     = mean over n of the share of the hypotheses' n-grams that are in the references
//   R     = mean over n of the share of the references' n-grams that are in the hypotheses
//   chrF2 = 100 * (1 + 4) P R / (4 P + R)       recall weighs twice as much (beta = 2)
// clang-format on
//
// As in sacreBLEU 2 by default: white space is removed, case is kept, there are no word n-grams, and an order n counts
// only if both sides have n-grams of it.
#pragma once

#include <string>
#include <vector>

namespace heed::text {

// 0 to 100. InputError if the numbers of lines differ or there are none.
double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references);

}  // namespace heed::text
