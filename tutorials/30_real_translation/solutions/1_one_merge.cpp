// Exercise 30.1: one merge of a byte-pair encoding (Sennrich, Haddow and Birch, ACL 2016).
//
//   count    each pair of neighbours, in each word as often as the word occurs
//   merge    the most frequent pair becomes one piece, everywhere; of equally frequent ones the smallest by its text
//            (nn/text/bpe.h takes the greatest: a convention, and both ends must keep it)
//
// A run of three equal letters: the merge goes from left to right.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "tutorials/common/exercise.h"

namespace {

using Pieces = std::vector<std::string>;
struct Word {
  Pieces pieces;
  int64_t times;
};

void merge_once(std::vector<Word>& words) {
  // ---- the gap, filled: count, choose, merge ----
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const Word& w : words)
    for (size_t i = 0; i + 1 < w.pieces.size(); ++i) counts[{w.pieces[i], w.pieces[i + 1]}] += w.times;
  if (counts.empty()) return;
  auto best = counts.begin();
  for (auto it = counts.begin(); it != counts.end(); ++it)
    if (it->second > best->second) best = it;
  const auto& [left, right] = best->first;
  for (Word& w : words) {
    Pieces merged;
    for (size_t i = 0; i < w.pieces.size(); ++i) {
      bool pair = i + 1 < w.pieces.size() && w.pieces[i] == left && w.pieces[i + 1] == right;
      merged.push_back(pair ? left + right : w.pieces[i]);
      if (pair) ++i;
    }
    w.pieces = merged;
  }
  // ---- end of the gap ----
}

std::string shown(const std::vector<Word>& words) {
  std::string text;
  for (const Word& w : words) text += fmt::format("{}{}", text.empty() ? "" : " / ", fmt::join(w.pieces, " "));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("30", 1, "One merge");
  e.hint(
      "std::map<std::pair<std::string, std::string>, int64_t> counts, in order: the first of equals is the smallest.");
  e.hint("counts[{pieces[i], pieces[i + 1]}] += times for each i.");
  e.hint("Build each word anew: at i and i + 1 the pair? Then push both as one piece and go two places on, else one.");
  return e.run(argc, argv, [&] {
    std::vector<Word> words{
        {{"l", "o", "w"}, 5}, {{"l", "o", "w", "e", "r"}, 2}, {{"n", "e", "w"}, 6}, {{"w", "e", "l", "l"}, 1}};
    for (const char* expected : {"lo w / lo w e r / n e w / w e l l", "low / low e r / n e w / w e l l",
                                 "low / low e r / n ew / w e l l", "low / low e r / new / w e l l"}) {
      merge_once(words);
      if (!e.check("the words,", shown(words), expected)) return;
    }
    std::vector<Word> run{{{"a", "a", "a"}, 1}};
    merge_once(run);
    e.check("three equal letters,", shown(run), "aa a");
  });
}
