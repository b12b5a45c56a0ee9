#include "tutorials/30_real_translation/exercises/1_one_merge.h"

#include <map>

namespace mine {

void merge_once(std::vector<Word>& words) {
  // ---- the gap, filled ----
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
