#include "tutorials/34_tokens/exercises/3_viterbi.h"

#include <algorithm>
#include <limits>

namespace mine {

Pieces best_cut(const std::string& word, const std::map<std::string, double>& log_p, double unknown) {
  const std::size_t n = word.size();
  std::vector<double> best(n + 1, -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(n + 1);  // of the last piece of the best cut of the first e letters
  best[0] = 0;
  // ---- the gap: best[e] and begin[e] for e = 1 .. n ----
  // | // Now: every letter is a piece.
  // | (void)log_p;
  // | for (std::size_t e = 1; e <= n; ++e) best[e] = best[e - 1] + unknown, begin[e] = e - 1;
  // ---- filled ----
  for (std::size_t e = 1; e <= n; ++e)
    for (std::size_t b = 0; b < e; ++b) {
      const auto piece = log_p.find(word.substr(b, e - b));
      if (piece == log_p.end() && e - b > 1) continue;
      const double sum = best[b] + (piece == log_p.end() ? unknown : piece->second);
      if (sum > best[e]) best[e] = sum, begin[e] = b;
    }
  // ---- end of the gap ----
  Pieces pieces;
  // ---- the gap: from the end to the beginning ----
  // | if (n > 0) pieces.push_back(word);
  // ---- filled ----
  for (std::size_t e = n; e > 0; e = begin[e]) pieces.push_back(word.substr(begin[e], e - begin[e]));
  std::reverse(pieces.begin(), pieces.end());
  // ---- end of the gap ----
  return pieces;
}

}  // namespace mine
