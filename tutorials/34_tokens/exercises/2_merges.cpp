#include "tutorials/34_tokens/exercises/2_merges.h"

#include <algorithm>

namespace mine {

Pieces cut(Pieces pieces, const std::vector<Pair>& merges) {
  for (;;) {
    std::size_t best = merges.size(), place = 0;  // the merge to apply, and its left piece
    // ---- the gap: which merge, and where? ----
    // | // Now: the first neighbours from the left that are a merge.
    // | for (std::size_t i = 0; i + 1 < pieces.size() && best == merges.size(); ++i)
    // |   for (std::size_t m = 0; m < merges.size(); ++m)
    // |     if (merges[m] == Pair(pieces[i], pieces[i + 1])) best = m, place = i;
    // ---- filled ----
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto found = std::find(merges.begin(), merges.end(), Pair(pieces[i], pieces[i + 1]));
      const auto rank = static_cast<std::size_t>(found - merges.begin());
      if (rank < best) best = rank, place = i;
    }
    // ---- end of the gap ----
    if (best == merges.size()) return pieces;
    // ---- the gap: join the two pieces at `place` ----
    // | return pieces;
    // ---- filled ----
    pieces[place] += pieces[place + 1];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    // ---- end of the gap ----
  }
}

}  // namespace mine
