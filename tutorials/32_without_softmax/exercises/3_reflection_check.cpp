// Hints and checks of exercise 32.3.
#include "tutorials/32_without_softmax/exercises/3_reflection.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// Both parities after each word.
std::vector<double> answers_of(const std::string& words) {
  mine::Pair S{};
  std::vector<double> out;
  for (char word : words) {
    const mine::Write w = mine::write_of(word);
    const double missing = w.b * (w.v - w.k[0] * S[0] - w.k[1] * S[1]);
    S[0] += w.k[0] * missing, S[1] += w.k[1] * missing;
    for (int odd : mine::parities_of(S)) out.push_back(odd);
  }
  return out;
}
std::vector<double> counted(const std::string& words) {
  int a = 0, b = 0;
  std::vector<double> out;
  for (char word : words) a += word == 'a', b += word == 'b', out.push_back(a % 2), out.push_back(b % 2);
  return out;
}

void examine(app::Exercise& e) {
  for (const char* words : {"a", "aa", "aaaaa", "b.b", "abab", "a..b.a", "bbabaab.ab"})
    e.check(fmt::format("\"{}\": is the number of a odd, of b odd, after each word", words), answers_of(words),
            counted(words), 0);
  Generator rng(323);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "ab."[rng.below(3)];
  const std::vector<double> got = answers_of(text), wanted = counted(text);
  double wrong = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) wrong += got[i] != wanted[i];
  e.check("2,000 random words: wrong answers", wrong, 0, 0);
  for (char word : {'a', 'b', '.'}) {
    const mine::Write w = mine::write_of(word);
    e.check(fmt::format("'{}': length of the key", word), std::hypot(w.k[0], w.k[1]), 1, 1e-12);
    e.check(fmt::format("'{}': b is from 0 to 2 (1: yes)", word), w.b >= 0 && w.b <= 2 ? 1 : 0, 1, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("32", 3, "Count by two");
  e.hint("Along the key, the update is s -> (1 - b) s + b v. Which b lets two words cancel each other?");
  e.hint("With b = 2 it is s -> -s + 2 v. Begin at 0 and write v = 1 a few times.");
  e.hint(
      "Words that do not count need b = 0. 'a' and 'b' need keys at right angles, so that neither changes the other.");
  e.insight(
      "The factor along the key is 1 - b. If b stays below 1 it is positive, and after many words no sign is left "
      "that\n"
      "could tell odd from even. A gate between 0 and 1 has the same limit. With b = 2 the factor is -1.",
      "./heed run 32");
  return e.run(argc, argv, examine);
}
