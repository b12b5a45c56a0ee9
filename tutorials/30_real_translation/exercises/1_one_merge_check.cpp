// Hints and checks of exercise 30.1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "tutorials/30_real_translation/exercises/1_one_merge.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pieces;
using mine::Word;
using Words = std::vector<Word>;

std::string shown(const Words& words) {
  std::vector<std::string> parts;
  for (const Word& w : words) parts.push_back(fmt::format("{}", fmt::join(w.pieces, " ")));
  return fmt::format("{}", fmt::join(parts, " / "));
}

void examine(app::Exercise& e) {
  Words words{{{"l", "o", "w"}, 5}, {{"l", "o", "w", "e", "r"}, 2}, {{"n", "e", "w"}, 6}, {{"w", "e", "l", "l"}, 1}};
  int64_t count = 0;
  for (const char* expected : {"lo w / lo w e r / n e w / w e l l", "low / low e r / n e w / w e l l",
                               "low / low e r / n ew / w e l l", "low / low e r / new / w e l l"}) {
    mine::merge_once(words);
    e.check(fmt::format("low, lower, new, well after merge {}", ++count), shown(words), expected);
  }
  const auto one = [&](const char* what, const Pieces& pieces, const char* expected) {
    Words single{{pieces, 1}};
    mine::merge_once(single);
    e.check(what, shown(single), expected);
  };
  one("three equal letters after a merge", {"a", "a", "a"}, "aa a");
  one("banana after a merge", {"b", "a", "n", "a", "n", "a"}, "b an an a");
  one("a word of one letter", {"a"}, "a");
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("30", 1, "One merge");
  e.hint(
      "std::map<std::pair<std::string, std::string>, int64_t> counts, in order: the first of equals is the smallest.");
  e.hint("counts[{pieces[i], pieces[i + 1]}] += times for each i.");
  e.hint("Build each word anew: at i and i + 1 the pair? Then push both as one piece and go two places on, else one.");
  e.insight(
      "Each merge adds one piece to the vocabulary: 8,000 merges give some 8,000 pieces. Frequent words end as one\n"
      "piece, and a word that was never seen is still made of known pieces, in the worst case of its letters.",
      "./heed exercise 30 2");
  return e.run(argc, argv, examine);
}
