// Hints and checks of exercise 35.1.
#include "tutorials/35_inside/exercises/1_places.h"

#include <fmt/format.h>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// The same from a table: where did each word stand last?
double expected(const mine::Weights& w, const std::vector<std::string>& text, std::size_t d) {
  std::vector<std::pair<std::string, std::size_t>> last;
  double sum = 0;
  int count = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    bool found = false;
    for (auto& one : last)
      if (one.first == text[t]) {
        if (one.second + d <= t) sum += w[t][one.second + d], ++count;
        one.second = t, found = true;
      }
    if (!found) last.emplace_back(text[t], t);
  }
  return count == 0 ? 0 : sum / count;
}

void examine(app::Exercise& e) {
  Generator rng(351);
  const std::vector<std::vector<std::string>> texts = {{"a", "b", "c", "a", "b", "c"},
                                                       {"a", "b", "a", "c", "a", "b"},
                                                       {"tea", "owl", "red", "fox", "owl", "red", "tea", "key", "red"},
                                                       {"a", "b", "c", "d"}};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    mine::Weights w(texts[i].size(), std::vector<double>(texts[i].size(), 0.0));
    for (std::size_t t = 0; t < w.size(); ++t) {
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s) w[t][s] = rng.uniform(), sum += w[t][s];
      for (double& x : w[t]) x /= sum;
    }
    for (std::size_t d : {0U, 1U, 3U})
      e.check(fmt::format("text {}, d = {}", i + 1, d), mine::place_score(w, texts[i], d), expected(w, texts[i], d),
              1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("35", 1, "Where does a head look?");
  e.hint("Go back from t - 1 until you find the same word. If there is none, continue with the next t.");
  e.hint("With the place found at s, the weight is w[t][s + d], if s + d is not after t.");
  e.insight(
      "Ask for every d, not only for 1. The heads of this lesson copy words with a score near 0 at d = 1: they look at "
      "another\nplace, to which the layer before has moved the word.",
      "./heed exercise 35 2");
  return e.run(argc, argv, examine);
}
