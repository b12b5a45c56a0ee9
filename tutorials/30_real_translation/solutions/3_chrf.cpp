#include "tutorials/30_real_translation/exercises/3_chrf.h"

#include <algorithm>

namespace mine {

Counts ngrams(const std::string& line, std::size_t n) {
  // ---- the gap, first half, filled ----
  std::string text;
  for (char c : line)
    if (c != ' ') text += c;
  Counts counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i) counts[text.substr(i, n)] += 1;
  return counts;
  // ---- end of the first half ----
}

double chrf(const Lines& hypotheses, const Lines& references, double beta) {
  // ---- the gap, second half, filled ----
  double P = 0, R = 0, orders = 0;
  for (std::size_t n = 1; n <= 6; ++n) {
    double matched = 0, of_hypotheses = 0, of_references = 0;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      Counts wanted = ngrams(references[i], n);
      for (const auto& [ngram, count] : wanted) of_references += count;
      for (const auto& [ngram, count] : ngrams(hypotheses[i], n)) {
        of_hypotheses += count;
        if (auto found = wanted.find(ngram); found != wanted.end()) matched += std::min(count, found->second);
      }
    }
    if (of_hypotheses == 0 || of_references == 0) continue;
    P += matched / of_hypotheses;
    R += matched / of_references;
    orders += 1;
  }
  if (P + R == 0) return 0;
  P /= orders, R /= orders;
  return 100 * (1 + beta * beta) * P * R / (beta * beta * P + R);
  // ---- end of the gap ----
}

}  // namespace mine
