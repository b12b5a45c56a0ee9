// Exercise 13.1: BLEU of one sentence.
//
//   p_n  = sum over the different n-grams of min(count in hypothesis, count in reference) / number of n-grams of the
//          hypothesis                                                                                     n = 1 .. 4
//   BLEU = 100 min(1, exp(1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)        c, r: words of hypothesis and reference
//
// An n-gram is a run of n words. If a p_n is 0, BLEU is 0 here. Sentences have at least four words.
// Papineni et al., ACL 2002, section 2.3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mine {

using Words = std::vector<std::string>;

double precision(const Words& hypothesis, const Words& reference, size_t n);  // p_n
double bleu_of(const Words& hypothesis, const Words& reference);

// Given: each n-gram, and how often it occurs.
inline std::map<Words, int64_t> runs(const Words& words, size_t n) {
  std::map<Words, int64_t> counts;
  for (size_t begin = 0; begin + n <= words.size(); ++begin)
    ++counts[Words(words.begin() + static_cast<int64_t>(begin), words.begin() + static_cast<int64_t>(begin + n))];
  return counts;
}

}  // namespace mine
