// Hints and checks of exercise 34.3.
#include "tutorials/34_tokens/exercises/3_viterbi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pieces;

// All cuts of a word, one after the other: 2^(n - 1) of them.
Pieces by_trying_all(const std::string& word, const std::map<std::string, double>& log_p, double unknown) {
  Pieces best;
  double largest = -1e300;
  for (unsigned long cuts = 0; cuts < 1ul << (word.size() - 1); ++cuts) {
    Pieces pieces(1);
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (i > 0 && (cuts >> (i - 1) & 1) != 0) pieces.emplace_back();
      pieces.back() += word[i];
    }
    double sum = 0;
    for (const std::string& piece : pieces) {
      const auto found = log_p.find(piece);
      sum += found != log_p.end() ? found->second : piece.size() == 1 ? unknown : -1e290;
    }
    if (sum > largest + 1e-9) largest = sum, best = pieces;
  }
  return best;
}

void examine(app::Exercise& e) {
  const std::map<std::string, double> hugs{{"hug", -2.3}, {"s", -2},    {"h", -4},    {"u", -4},
                                           {"g", -4},     {"hu", -3.9}, {"ug", -2.6}, {"gs", -2.5}};
  const std::map<std::string, double> words{{"un", -3},  {"una", -3.5}, {"ff", -5},    {"able", -4}, {"a", -4},
                                            {"f", -4.1}, {"b", -5},     {"l", -5},     {"e", -3},    {"u", -5.5},
                                            {"n", -4.5}, {"unaf", -9},  {"fable", -7}, {"abl", -6},  {"ab", -30}};
  const std::map<std::string, double> short_ones{{"a", -2}, {"b", -2},     {"c", -2},  {"d", -2},
                                                 {"e", -2}, {"abc", -6.5}, {"de", -3}, {"cde", -4.5}};
  for (const auto& [log_p, list] :
       {std::pair{hugs, std::vector<std::string>{"hugs", "hugsug", "bugs", "gsu", "xy", "h"}},
        std::pair{words, std::vector<std::string>{"unaffable", "unable", "fable", "naff", "zun", "ablez"}},
        std::pair{short_ones, std::vector<std::string>{"abcde", "abcdeabc", "decde"}}})
    for (const std::string& word : list)
      e.check(word, fmt::format("{}", fmt::join(mine::best_cut(word, log_p, -12.5), " ")),
              fmt::format("{}", fmt::join(by_trying_all(word, log_p, -12.5), " ")));
  e.check("the empty word: number of pieces", static_cast<double>(mine::best_cut("", hugs, -12.5).size()), 0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("34", 3, "The most probable pieces");
  e.hint("Two loops: e over the ends, and b over the places where the last piece could begin.");
  e.hint("best[b] is already known when e needs it, because b < e. Keep the largest sum, and its b in begin[e].");
  e.hint("Then go back: the last piece is word[begin[n], n), the one before it ends at begin[n].");
  e.insight(
      "2^(n-1) cuts, and n^2 / 2 steps: the best cut of the beginning does not depend on what comes after it. The "
      "beam\n"
      "search of lesson 13 has no such shortcut, since there every word depends on all words before it.",
      "./heed exercise 34");
  return e.run(argc, argv, examine);
}
