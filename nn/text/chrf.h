// chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015): overlap in runs of one to
// six characters, so that a right stem with a wrong ending still earns something.
//
//   P, R  = mean over n of the share of the hypothesis' (the reference's) n-grams that are matched, corpus-wide
//   chrF2 = 100 * (1 + 4) P R / (4 P + R): recall counts twice as much as precision, beta = 2
//
// As sacreBLEU 2 has it by default: white space removed, case kept, no word n-grams, and only the orders n count of
// which both sides have any.
#pragma once

#include <string>
#include <vector>

namespace heed::text {

// 0 to 100. InputError if the numbers of lines differ or there are none.
double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references);

}  // namespace heed::text
