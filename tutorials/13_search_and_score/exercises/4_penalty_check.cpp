// Hints and checks of exercise 13.4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/13_search_and_score/exercises/4_penalty.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Found, mine::Sentence;

class Counting final : public nn::SearchModel {  // how often the library asks for the next words
 public:
  explicit Counting(const Riddle& riddle) : search_(riddle) {}
  int64_t rows() const override { return search_.rows(); }
  Tensor next(const Tensor& tokens) override { return ++steps, search_.next(tokens); }
  void keep(const Tensor& rows) override { search_.keep(rows); }
  int64_t steps = 0;

 private:
  RiddleSearch search_;
};

void examine(app::Exercise& e) {
  for (double alpha : {0.0, 0.6, 1.5}) {
    std::vector<double> ours, theirs, our_steps, their_steps;
    int64_t same = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
      const Riddle riddle{.words = 4, .seed = seed};
      const size_t width = 2 + seed % 3;
      const int64_t longest = 6;
      Counting model(riddle);
      auto library =
          nn::beam_search(model, static_cast<int64_t>(width), {.max_lengths = {longest}, .length_penalty = alpha});
      Found found = mine::beam_search(riddle, width, longest, alpha);
      for (size_t i = 0; i < library.size(); ++i) {
        theirs.push_back(library[i].score);
        same += i < found.best.size() && found.best[i].words == library[i].tokens;
      }
      for (const Sentence& s : found.best) ours.push_back(s.score);
      our_steps.push_back(static_cast<double>(found.steps)), their_steps.push_back(static_cast<double>(model.steps));
    }
    e.check(fmt::format("alpha {}: the scores of all finished sentences, number ", alpha), ours, theirs, 1e-9);
    e.check(fmt::format("alpha {}: the number of finished sentences whose words the library finds, too,", alpha),
            static_cast<double>(same), static_cast<double>(theirs.size()), 0);
    e.check(fmt::format("alpha {}: the number of steps for riddle ", alpha), our_steps, their_steps, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("13", 4, "Beam search with a length penalty");
  e.hint("Exercise 13.2 has steps 1 to 3 for alpha = 0. A pair of a Sentence and a bool says which extensions end.");
  e.hint("Finished sentences take places among the `width` extensions: cut first, then take them out.");
  e.hint(
      "After the cut the open sentences are still sorted: open[0] is the most probable one, so its bound is enough.");
  e.hint("The bound of an open sentence: score(open[0].log_p, longest). Stop if it is <= found.best.back().score.");
  e.insight(
      "log p falls with every word and the divisor grows, so the bound holds and stopping loses no sentence. Many\n"
      "programs stop at the first `width` finished sentences instead, which is faster and prefers short ones.",
      "./heed run 14");
  return e.run(argc, argv, examine);
}
