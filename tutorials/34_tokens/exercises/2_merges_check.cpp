// Hints and checks of exercise 34.2.
#include "tutorials/34_tokens/exercises/2_merges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nn/text/unicode.h"
#include "nn/tokenizers/token_model.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Pair, mine::Pieces;

Pieces letters_of(const std::string& word) {
  Pieces letters;
  for (char c : word) letters.emplace_back(1, c);
  return letters;
}

void examine(app::Exercise& e) {
  struct Case {
    std::vector<Pair> merges;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases{
      {{{"a", "b"}, {"b", "c"}, {"a", "bc"}}, {"abc", "xbc", "abab", "bca", "x", "cabcb"}},
      {{{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"bc", "d"}}, {"abc", "abcd", "bcabd", "aabcd"}},
      {{{"e", "s"}, {"es", "t"}, {"l", "o"}, {"lo", "w"}, {"n", "e"}, {"ne", "w"}, {"new", "est"}},
       {"lowest", "newest", "lower", "nest", "slow"}},
      {{{"a", "a"}, {"aa", "aa"}, {"aa", "a"}}, {"aaa", "aaaa", "aaaaa", "aaaaaaa"}},
  };
  for (const Case& c : cases) {
    std::vector<std::string> names;  // of the library's model: letters and what the merges make
    for (char letter = 'a'; letter <= 'z'; ++letter) names.emplace_back(1, letter);
    for (const Pair& pair : c.merges)
      if (std::find(names.begin(), names.end(), pair.first + pair.second) == names.end())
        names.push_back(pair.first + pair.second);
    const tokenizers::Model library = tokenizers::byte_pairs(tokenizers::table_of(names), {.merges = c.merges});
    std::vector<std::string> shown;
    for (const Pair& pair : c.merges) shown.push_back(pair.first + "+" + pair.second);
    for (const std::string& word : c.words) {
      std::vector<tokenizers::Piece> pieces;
      library->append_pieces(word, pieces);
      Pieces expected;
      for (const tokenizers::Piece& piece : pieces)
        expected.push_back(word.substr(piece.begin, piece.end - piece.begin));
      e.check(fmt::format("{} with {}", word, fmt::join(shown, " ")),
              fmt::format("{}", fmt::join(mine::cut(letters_of(word), c.merges), " ")),
              fmt::format("{}", fmt::join(expected, " ")));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("34", 2, "Cut a word with merges");
  e.hint("Look at all neighbours before you join any. The rank of a pair is its place in the list of merges.");
  e.hint("The lowest rank wins. With equal ranks, the place that you saw first stays.");
  e.hint("After a join the neighbours are others: begin again from the left.");
  e.insight(
      "The order of the merges is the tokenizer: with another order, the same list cuts other pieces. A tokenizer "
      "that\n"
      "takes the longest piece first is WordPiece, and a model trained with the one cannot read the other.",
      "./heed exercise 34 3");
  return e.run(argc, argv, examine);
}
