#include "tutorials/13_search_and_score/exercises/2_beam.h"

#include <algorithm>

namespace mine {

using namespace heed;

// | // The gap ends each sentence at once, so the answer is the empty sentence.
Partial beam_search(const Riddle& riddle, size_t width, int64_t longest) {
  std::vector<Partial> open{{}}, done;
  for (int64_t length = 0; length <= longest; ++length) {
    std::vector<Partial> extended;
    // ---- the gap: extend each of `open`, keep the best, separate the finished from the others ----
    // | for (Partial p : open) {
    // |   p.log_p += riddle.log_p(p.words)[text::Vocabulary::stop];
    // |   p.finished = true;
    // |   done.push_back(p);
    // | }
    // | open.resize(std::min(open.size(), width));
    // ---- filled ----
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
    // ---- end of the gap ----
    open = std::move(extended);
  }
  if (done.empty()) return {};
  return *std::max_element(done.begin(), done.end(),
                           [](const Partial& a, const Partial& b) { return a.log_p < b.log_p; });
}

}  // namespace mine
