// Hints and checks of exercise 13.2.
#include "tutorials/13_search_and_score/exercises/2_beam.h"

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Partial;

void examine(app::Exercise& e) {
  std::vector<double> ours, theirs, wide, best;
  int64_t same = 0, greedy = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Riddle riddle{.words = 3, .seed = seed};
    nn::Hypothesis truth = exhaustive(riddle, 4, 0);
    RiddleSearch model(riddle);
    nn::Hypothesis library = nn::beam_search(model, 3, {.max_lengths = {4}, .length_penalty = 0}).at(0);
    Partial three = mine::beam_search(riddle, 3, 4);
    ours.push_back(three.log_p), theirs.push_back(library.log_probability);
    same += three.words == library.tokens;
    wide.push_back(mine::beam_search(riddle, 256, 4).log_p), best.push_back(truth.log_probability);
    greedy += mine::beam_search(riddle, 1, 4).words == truth.tokens;
  }
  e.check("the log p of the answer to riddle ", ours, theirs, 1e-6);
  e.check("the number of 50 answers of a beam of 3 that the library gives, too,", static_cast<double>(same), 50, 0);
  e.check("with a beam of 256, which is exhaustive, the log p of the answer to riddle ", wide, best, 1e-9);
  e.check("greedy search misses some of the best sentences (1: yes)", greedy < 50, 1, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("13", 2, "Beam search");
  e.hint(
      "For each open sentence: one extension by </s>, and, if length < longest, one by each word. Add the log p of the "
      "new word to that of the sentence.");
  e.hint("Sort all extensions by log_p, the largest first, and cut after `width`.");
  e.hint("Then the finished ones go to done; the others are the next open ones.");
  e.insight(
      "A beam of 1 is greedy search, and a beam as wide as the number of sentences is exhaustive. In between it "
      "misses\n"
      "a sentence whose beginning looks worse than `width` others.",
      "./heed exercise 13 3");
  return e.run(argc, argv, examine);
}
