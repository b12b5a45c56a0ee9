// Hints and checks of exercise 34.1.
#include "tutorials/34_tokens/exercises/1_pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pair, mine::Pieces, mine::Word;

std::string counts_in_words(const std::map<Pair, int64_t>& pairs) {
  std::string out;
  for (const auto& [pair, count] : pairs)
    out += fmt::format("{}{} {}: {}", out.empty() ? "" : ", ", pair.first, pair.second, count);
  return out;
}

void examine(app::Exercise& e) {
  const std::vector<Word> two{{{"l", "o", "w"}, 5}, {{"l", "o", "w", "e", "r"}, 2}};
  e.check("pairs of low and lower", counts_in_words(mine::count_pairs(two)), "e r: 2, l o: 7, o w: 7, w e: 2");
  const std::vector<Word> later{{{"low"}, 5}, {{"n", "e", "w", "est"}, 6}, {{"b", "a", "a", "a"}, 3}, {{"a", "b"}, 1}};
  e.check("pairs of low, newest, baaa and ab", counts_in_words(mine::count_pairs(later)),
          "a a: 6, a b: 1, b a: 3, e w: 6, n e: 6, w est: 6");
  e.check("no words", counts_in_words(mine::count_pairs({})), "");
  struct Joining {
    Pieces pieces;
    Pair pair;
    const char* expected;
  };
  for (const Joining& j : {Joining{{"l", "o", "w", "e", "r"}, {"l", "o"}, "lo w e r"},
                           {{"w", "e", "e", "r"}, {"e", "r"}, "w e er"},
                           {{"a", "a", "a"}, {"a", "a"}, "aa a"},
                           {{"b", "a", "n", "a", "n", "a"}, {"a", "n"}, "b an an a"},
                           {{"aa", "a", "aa"}, {"a", "aa"}, "aa aaa"},
                           {{"a", "b", "a"}, {"b", "a"}, "a ba"},
                           {{"a"}, {"a", "a"}, "a"}})
    e.check(fmt::format("{} joined in {}", fmt::join({j.pair.first, j.pair.second}, " + "), fmt::join(j.pieces, " ")),
            fmt::format("{}", fmt::join(mine::joined(j.pieces, j.pair), " ")), j.expected);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("34", 1, "One step of byte-pair encoding");
  e.hint("A word with n pieces has n - 1 pairs. A word that occurs 5 times adds 5 to each of them.");
  e.hint("To join, walk from the left with an index. After a join, the next piece to look at is two further.");
  e.insight(
      "Repeat these two functions 50,000 times on bytes, and you have a vocabulary like GPT-2's.\n"
      "The order in which the pairs were joined is kept: it is needed to cut new words.",
      "./heed exercise 34 2");
  return e.run(argc, argv, examine);
}
