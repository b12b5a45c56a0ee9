#include "tutorials/13_search_and_score/exercises/1_bleu.h"

#include <algorithm>
#include <cmath>

namespace mine {

// | // The gap counts an n-gram as often as the hypothesis has it, however rare it is in the reference.
double precision(const Words& hypothesis, const Words& reference, size_t n) {
  double found = 0, all = 0;
  // ---- the gap, first half: clip the counts ----
  // | for (const auto& [run, count] : runs(hypothesis, n)) {
  // |   found += runs(reference, n).count(run) ? static_cast<double>(count) : 0;
  // |   all += static_cast<double>(count);
  // | }
  // ---- filled: clip the counts ----
  std::map<Words, int64_t> wanted = runs(reference, n);
  for (const auto& [run, count] : runs(hypothesis, n)) {
    found += static_cast<double>(std::min(count, wanted[run]));
    all += static_cast<double>(count);
  }
  // ---- end of the first half ----
  return found / all;
}

double bleu_of(const Words& hypothesis, const Words& reference) {
  // ---- the gap, second half: the geometric mean of p_1 .. p_4, and the brevity penalty ----
  // | return 0;
  // ---- filled: the geometric mean of p_1 .. p_4, and the brevity penalty ----
  double product = 1, c = static_cast<double>(hypothesis.size()), r = static_cast<double>(reference.size());
  for (size_t n = 1; n <= 4; ++n) product *= precision(hypothesis, reference, n);
  return 100 * (c < r ? std::exp(1 - r / c) : 1) * std::pow(product, 0.25);
  // ---- end of the gap ----
}

}  // namespace mine
