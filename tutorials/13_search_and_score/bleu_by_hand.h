// BLEU step by step: runs of one to four words are counted, clipped, divided and multiplied.
//
//   p_n  = sum min(count in hypothesis, count in reference) / sum count in hypothesis        n = 1 .. 4
//   BLEU = 100 min(1, exp(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)      c, r: number of words in hypotheses and references
//
// If no run of n words matches, the number of matches is taken as 1/2 for the first such n, 1/4 for the second, and so
// on, as in nn/text/bleu.h. (Papineni, Roukos, Ward and Zhu, ACL 2002.)
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace heed {

using Words = std::vector<std::string>;

inline std::map<Words, int64_t> runs_of(const Words& words, size_t n) {
  std::map<Words, int64_t> counts;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    auto begin = words.begin() + static_cast<int64_t>(i);
    ++counts[Words(begin, begin + static_cast<int64_t>(n))];
  }
  return counts;
}

struct BleuParts {
  bool clip = true, brevity = true;  // false: BLEU without clipping, without the brevity penalty
};
struct BleuByHand {
  std::array<double, 4> matches{}, totals{};
  double hypothesis = 0, reference = 0;  // words
  double score(const BleuParts& parts = {}) const {
    double product = 1, missing = 1;
    for (size_t n = 0; n < 4; ++n) {
      if (totals[n] == 0 || matches[0] == 0) return 0;
      product *= (matches[n] > 0 ? matches[n] : 1 / (missing *= 2)) / totals[n];
    }
    double brevity = parts.brevity && hypothesis < reference ? std::exp(1 - reference / hypothesis) : 1;
    return 100 * brevity * std::pow(product, 0.25);
  }
};
inline BleuByHand bleu_by_hand(const std::vector<Words>& hypotheses, const std::vector<Words>& references,
                               const BleuParts& parts = {}) {
  BleuByHand b;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    b.hypothesis += static_cast<double>(hypotheses[i].size());
    b.reference += static_cast<double>(references[i].size());
    for (size_t n = 1; n <= 4; ++n) {
      std::map<Words, int64_t> wanted = runs_of(references[i], n);
      for (const auto& [run, count] : runs_of(hypotheses[i], n)) {
        auto found = wanted.find(run);
        int64_t there = found == wanted.end() ? 0 : found->second;
        b.matches[n - 1] += static_cast<double>(parts.clip || there == 0 ? std::min(count, there) : count);
        b.totals[n - 1] += static_cast<double>(count);
      }
    }
  }
  return b;
}

}  // namespace heed
