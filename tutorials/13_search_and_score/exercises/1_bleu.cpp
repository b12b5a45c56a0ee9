#include "tutorials/13_search_and_score/exercises/1_bleu.h"

#include <algorithm>
#include <cmath>

namespace mine {

// The gap counts an n-gram as often as the hypothesis has it, however rare it is in the reference.
double precision(const Words& hypothesis, const Words& reference, size_t n) {
  double found = 0, all = 0;
  // ---- the gap, first half: clip the counts ----
  for (const auto& [run, count] : runs(hypothesis, n)) {
    found += runs(reference, n).count(run) ? static_cast<double>(count) : 0;
    all += static_cast<double>(count);
  }
  // ---- end of the first half ----
  return found / all;
}

double bleu_of([[maybe_unused]] const Words& hypothesis, [[maybe_unused]] const Words& reference) {
  // ---- the gap, second half: the geometric mean of p_1 .. p_4, and the brevity penalty ----
  return 0;
  // ---- end of the gap ----
}

}  // namespace mine
