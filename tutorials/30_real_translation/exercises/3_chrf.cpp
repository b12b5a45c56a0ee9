#include "tutorials/30_real_translation/exercises/3_chrf.h"

#include <algorithm>

namespace mine {

// | // The gap counts the line as one n-gram.
Counts ngrams(const std::string& line, std::size_t n) {
  // ---- the gap, first half: about 6 lines ----
  // | // 1. Copy the characters of the line that are not spaces.
  // | // 2. Count the n characters from each place that has n characters.
  // | return {{line, 1}};
  // ---- filled ----
  std::string text;
  for (char c : line)
    if (c != ' ') text += c;
  Counts counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i) counts[text.substr(i, n)] += 1;
  return counts;
  // ---- end of the first half ----
}

double chrf(const Lines& hypotheses, const Lines& references, double beta) {
  // ---- the gap, second half: about 20 lines ----
  // | // For each n from 1 to 6:
  // | //   1. Add up h_n, r_n and m_n over all sentences. An n-gram matches at most as often as the reference has it.
  // | //   2. If h_n and r_n are not 0, add m_n / h_n to P and m_n / r_n to R, and count this n.
  // | // Then divide P and R by the number of n that were counted, and combine them. Beware of 0 / 0.
  // | return 0;
  // ---- filled ----
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
