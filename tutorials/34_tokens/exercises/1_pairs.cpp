#include "tutorials/34_tokens/exercises/1_pairs.h"

namespace mine {

std::map<Pair, int64_t> count_pairs(const std::vector<Word>& words) {
  std::map<Pair, int64_t> pairs;
  // ---- the gap: all pairs of neighbours, word by word ----
  // | // Now: only the first two pieces of each word, as if each word occurred once.
  // | for (const Word& word : words)
  // |   if (word.pieces.size() >= 2) ++pairs[{word.pieces[0], word.pieces[1]}];
  // ---- filled ----
  for (const Word& word : words)
    for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) pairs[{word.pieces[i], word.pieces[i + 1]}] += word.count;
  // ---- end of the gap ----
  return pairs;
}

Pieces joined(const Pieces& pieces, const Pair& pair) {
  Pieces out;
  // ---- the gap: from left to right; what was joined is behind us ----
  // | (void)pair;
  // | out = pieces;
  // ---- filled ----
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool both = i + 1 < pieces.size() && pieces[i] == pair.first && pieces[i + 1] == pair.second;
    out.push_back(both ? pieces[i] + pieces[i + 1] : pieces[i]);
    if (both) ++i;
  }
  // ---- end of the gap ----
  return out;
}

}  // namespace mine
