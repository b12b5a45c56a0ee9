#include "tutorials/30_real_translation/exercises/1_one_merge.h"

#include <map>

namespace mine {

// | // The gap merges nothing.
void merge_once(std::vector<Word>& words) {
  // ---- the gap: about 20 lines ----
  // | // 1. Count each pair of neighbouring pieces in all words. A std::map has its keys in order.
  // | // 2. Choose the pair with the largest count, the first one of equals. Without any pair there is nothing to do.
  // | // 3. Build the pieces of each word again: where the pair begins, one piece that has the text of both; else the
  // | //    piece.
  // ---- filled ----
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const Word& w : words)
    for (std::size_t i = 0; i + 1 < w.pieces.size(); ++i) counts[{w.pieces[i], w.pieces[i + 1]}] += w.times;
  if (counts.empty()) return;
  auto best = counts.begin();
  for (auto it = counts.begin(); it != counts.end(); ++it)
    if (it->second > best->second) best = it;
  const auto& [left, right] = best->first;
  for (Word& w : words) {
    Pieces merged;
    for (std::size_t i = 0; i < w.pieces.size(); ++i) {
      const bool pair = i + 1 < w.pieces.size() && w.pieces[i] == left && w.pieces[i + 1] == right;
      merged.push_back(pair ? left + right : w.pieces[i]);
      if (pair) ++i;
    }
    w.pieces = merged;
  }
  // ---- end of the gap ----
}

}  // namespace mine
