#include "tutorials/13_search_and_score/exercises/4_penalty.h"

#include <algorithm>
#include <cmath>

namespace mine {

using namespace heed;

// | // The gap finishes the empty sentence and nothing else.
Found beam_search(const Riddle& riddle, size_t width, int64_t longest, double alpha) {
  Found found;
  std::vector<Sentence> open{{}};
  // ---- the gap: about 25 lines ----
  // | // Write a function for log p / ((5 + n) / 6)^alpha. Then, as long as `open` is not empty:
  // | //   1. Count the step. Collect all extensions, each with its words, its log p and whether it ends with </s>.
  // | //   2. Sort them by log p, the largest first, and cut after `width`.
  // | //   3. Those that end with </s> go to found.best with their score, the others become `open`.
  // | //   4. Sort found.best by score and cut after `width`.
  // | //   5. If found.best is full, compare the bound of the most probable open sentence with the score of the last
  // | //      one.
  // | const double log_p = riddle.log_p({})[text::Vocabulary::stop];
  // | found.best.push_back({open[0].words, log_p, log_p});
  // ---- filled ----
  auto score = [&](double log_p, int64_t n) { return log_p / std::pow((5 + static_cast<double>(n)) / 6, alpha); };
  while (!open.empty()) {
    ++found.steps;
    std::vector<std::pair<Sentence, bool>> extended;  // true: ends with </s>
    for (const Sentence& s : open) {
      const std::vector<double> log_p = riddle.log_p(s.words);
      extended.push_back({{s.words, s.log_p + log_p[text::Vocabulary::stop]}, true});
      for (int64_t w = riddle.first; std::ssize(s.words) < longest && w < riddle.first + riddle.words; ++w) {
        extended.push_back({{s.words, s.log_p + log_p[static_cast<size_t>(w)]}, false});
        extended.back().first.words.push_back(w);
      }
    }
    std::ranges::stable_sort(extended, [](auto& a, auto& b) { return a.first.log_p > b.first.log_p; });
    extended.resize(std::min(extended.size(), width));
    open.clear();
    for (auto& [s, finished] : extended) {
      s.score = score(s.log_p, std::ssize(s.words));
      (finished ? found.best : open).push_back(s);
    }
    std::ranges::stable_sort(found.best, [](auto& a, auto& b) { return a.score > b.score; });
    found.best.resize(std::min(found.best.size(), width));
    const bool full = found.best.size() == width;
    if (full && !open.empty() && score(open[0].log_p, longest) <= found.best.back().score) break;
  }
  // ---- end of the gap ----
  return found;
}

}  // namespace mine
