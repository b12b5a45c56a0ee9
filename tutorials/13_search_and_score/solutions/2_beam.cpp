// Solution of exercise 13.2: beam search.
//
// A riddle (riddle.h) says log p of the next word after any history. Keep `width` unfinished histories; extend each by
// every word; of all extensions the `width` with the largest log p stay. One that was extended by </s> is finished and
// leaves the beam; but it has taken a place. After `longest` words only </s> may follow. The answer is the finished
// sentence with the largest log p (no length penalty).
//
// text::Vocabulary::stop is </s>; the words are riddle.first .. riddle.first + riddle.words - 1.
#include <algorithm>

#include "tutorials/13_search_and_score/riddle.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Partial {
  std::vector<int64_t> words;
  double log_p = 0;
  bool finished = false;
};

Partial beam_search(const Riddle& riddle, size_t width, int64_t longest) {
  std::vector<Partial> open{{}}, done;
  for (int64_t length = 0; length <= longest; ++length) {
    std::vector<Partial> extended;
    for (const Partial& p : open) {
      std::vector<double> log_p = riddle.log_p(p.words);
      extended.push_back({p.words, p.log_p + log_p[text::Vocabulary::stop], true});
      for (int64_t w = riddle.first; length < longest && w < riddle.first + riddle.words; ++w) {
        extended.push_back({p.words, p.log_p + log_p[static_cast<size_t>(w)], false});
        extended.back().words.push_back(w);
      }
    }
    std::sort(extended.begin(), extended.end(), [](const Partial& a, const Partial& b) { return a.log_p > b.log_p; });
    extended.resize(std::min(extended.size(), width));
    for (const Partial& p : extended)
      if (p.finished) done.push_back(p);
    std::erase_if(extended, [](const Partial& p) { return p.finished; });
    open = std::move(extended);
  }
  return *std::max_element(done.begin(), done.end(),
                           [](const Partial& a, const Partial& b) { return a.log_p < b.log_p; });
}

int main(int argc, char** argv) {
  app::Exercise e("13", 2, "Beam search");
  e.hint("For each open sentence: one extension by </s>, and, where length < longest, one by each word.");
  e.hint("Sort all extensions by log_p, the largest first, and cut behind `width`.");
  e.hint("Then those that are finished go to done, the others are the next open ones.");
  return e.run(argc, argv, [&] {
    int64_t agree = 0, best = 0, greedy = 0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Riddle riddle{.words = 3, .seed = seed};
      nn::Hypothesis truth = exhaustive(riddle, 4, 0);
      RiddleSearch model(riddle);
      nn::SearchOptions o{.max_lengths = {4}, .length_penalty = 0};
      agree += beam_search(riddle, 3, 4).words == nn::beam_search(model, 3, o).at(0).tokens;
      best += beam_search(riddle, 256, 4).words == truth.tokens;
      greedy += beam_search(riddle, 1, 4).words == truth.tokens;
    }
    e.check("how many of 50 answers of a beam of 3 are those of the library", static_cast<double>(agree), 50, 0);
    e.check("how many of 50 answers of a beam of 256 are the best of all", static_cast<double>(best), 50, 0);
    e.check("greedy search misses some (1: yes)", greedy < 50, 1, 0);
  });
}
