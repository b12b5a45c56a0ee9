// Hints, common mistakes and checks of exercise 30.1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tutorials/30_real_translation/exercises/1_one_merge.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pieces;
using mine::Word;
using Words = std::vector<Word>;
using Merge = std::function<void(Words&)>;

// The right answer with one part exchanged.
struct Wrong {
  bool unweighted = false, last_of_equals = false, rarest = false, alphabet = false;  // how the pair is chosen
  bool keep_right = false, first_only = false, from_right = false, first_word = false, other_order = false;
};

using Pair = std::pair<std::string, std::string>;
Pair chosen(const Words& words, const Wrong& wrong) {
  std::map<Pair, int64_t> counts;
  for (const Word& w : words)
    for (std::size_t i = 0; i + 1 < w.pieces.size(); ++i)
      counts[{w.pieces[i], w.pieces[i + 1]}] += wrong.unweighted ? 1 : w.times;
  auto best = counts.begin();
  for (auto it = counts.begin(); it != counts.end() && !wrong.alphabet; ++it) {
    const bool more = wrong.rarest ? it->second < best->second : it->second > best->second;
    if (more || (wrong.last_of_equals && it->second == best->second)) best = it;
  }
  return best == counts.end() ? Pair{} : best->first;
}

Pieces merged(Pieces pieces, Pair pair, const Wrong& wrong) {
  if (wrong.from_right) std::ranges::reverse(pieces), std::swap(pair.first, pair.second);
  Pieces result;
  bool done = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool next = i + 1 < pieces.size();
    bool here = next && pieces[i] == pair.first && pieces[i + 1] == pair.second;
    if (wrong.other_order) here = here || (next && pieces[i] == pair.second && pieces[i + 1] == pair.first);
    here = here && !(wrong.first_only && done);
    const std::string both = next ? (wrong.from_right ? pieces[i + 1] + pieces[i] : pieces[i] + pieces[i + 1]) : "";
    result.push_back(here ? both : pieces[i]);
    done = done || here;
    if (here && !wrong.keep_right) ++i;
  }
  if (wrong.from_right) std::ranges::reverse(result);
  return result;
}

Merge merge(Wrong wrong) {
  return [wrong](Words& words) {
    const Pair pair = chosen(words, wrong);
    for (Word& w : words) {
      const Pieces before = w.pieces;
      w.pieces = merged(w.pieces, pair, wrong);
      if (wrong.first_word && w.pieces != before) return;
    }
  };
}

const std::vector<app::Mistake<Merge>> mistakes{
    {"The gap is still open: no pair is merged", [](Words&) {}},
    {"Each word counts once: a pair of a word that occurs 5 times counts 5 times, so add `times`",
     merge({.unweighted = true})},
    {"Of equally frequent pairs the last one is merged: take the first, with > and not >=",
     merge({.last_of_equals = true})},
    {"The rarest pair is merged: choose the largest count", merge({.rarest = true})},
    {"The first pair of the alphabet is merged, whatever its count: compare the counts", merge({.alphabet = true})},
    {"The right half of the pair is still there after the merge: go on two places behind a pair, not one",
     merge({.keep_right = true})},
    {"The pair is merged once in each word: merge it wherever it occurs", merge({.first_only = true})},
    {"Words are merged from the right: a a a must give aa a", merge({.from_right = true})},
    {"Only the first word that has the pair is changed: merge it in all words", merge({.first_word = true})},
    {"The pair is merged in either order: o l is another pair than l o", merge({.other_order = true})},
};

std::string shown(const Words& words) {
  std::vector<std::string> parts;
  for (const Word& w : words) parts.push_back(fmt::format("{}", fmt::join(w.pieces, " ")));
  return fmt::format("{}", fmt::join(parts, " / "));
}

void examine(app::Exercise& e, const Merge& merge_once) {
  Words words{{{"l", "o", "w"}, 5}, {{"l", "o", "w", "e", "r"}, 2}, {{"n", "e", "w"}, 6}, {{"w", "e", "l", "l"}, 1}};
  int64_t count = 0;
  for (const char* expected : {"lo w / lo w e r / n e w / w e l l", "low / low e r / n e w / w e l l",
                               "low / low e r / n ew / w e l l", "low / low e r / new / w e l l"}) {
    merge_once(words);
    e.check(fmt::format("low, lower, new, well after merge {}", ++count), shown(words), expected);
  }
  const auto one = [&](const char* what, const Pieces& pieces, const char* expected) {
    Words single{{pieces, 1}};
    merge_once(single);
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
  return e.run(argc, argv, Merge(mine::merge_once), examine, mistakes);
}
