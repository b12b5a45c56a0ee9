// Hints, common mistakes and checks of exercise 13.2.
#include "tutorials/13_search_and_score/exercises/2_beam.h"

#include <algorithm>
#include <functional>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Partial;
using Search = std::function<Partial(const Riddle&, size_t, int64_t)>;

bool better(const Partial& a, const Partial& b) { return a.log_p > b.log_p; }

struct Wrong {  // what to do differently
  bool one = false, per_sentence = false, unsorted = false, worst = false, last_word = false, free_places = false,
       no_end = false, first_end = false, no_stop = false, per_word = false;
};

std::vector<Partial> extensions(const Riddle& riddle, const Partial& p, bool may_go_on, const Wrong& wrong) {
  std::vector<double> log_p = riddle.log_p(p.words);
  double before = wrong.last_word ? 0 : p.log_p;
  std::vector<Partial> all;
  if (!wrong.no_stop || !may_go_on) all.push_back({p.words, before + log_p[text::Vocabulary::stop], true});
  for (int64_t w = riddle.first; may_go_on && w < riddle.first + riddle.words; ++w) {
    all.push_back({p.words, before + log_p[static_cast<size_t>(w)], false});
    all.back().words.push_back(w);
  }
  return all;
}

void prune(std::vector<Partial>& extended, size_t width, const Wrong& wrong) {
  if (!wrong.unsorted) std::ranges::stable_sort(extended, better);
  if (wrong.worst) std::ranges::reverse(extended);
  extended.resize(std::min(extended.size(), width));
}

Search search(Wrong wrong) {
  return [wrong](const Riddle& riddle, size_t width, int64_t longest) {
    std::vector<Partial> open{{}}, done;
    auto finish = [&](std::vector<Partial>& extended) {
      std::ranges::copy_if(extended, std::back_inserter(done), &Partial::finished);
      std::erase_if(extended, [](const Partial& p) { return p.finished; });
    };
    if (wrong.one) width = 1;
    for (int64_t length = 0; length <= longest && !(wrong.first_end && !done.empty()); ++length) {
      std::vector<Partial> extended;
      for (const Partial& p : open) {
        std::vector<Partial> its = extensions(riddle, p, length < longest || wrong.no_end, wrong);
        if (wrong.per_sentence) prune(its, width, wrong);
        extended.insert(extended.end(), its.begin(), its.end());
      }
      if (wrong.free_places) finish(extended);
      if (!wrong.per_sentence) prune(extended, width, wrong);
      finish(extended);
      open = std::move(extended);
    }
    auto value = [&](const Partial& p) {
      return wrong.per_word ? p.log_p / static_cast<double>(p.words.size() + 1) : p.log_p;
    };
    if (done.empty()) return Partial{};
    return *std::ranges::max_element(done, {}, value);
  };
}

const std::vector<app::Mistake<Search>> mistakes{
    {"The gap is still open: it ends every sentence before its first word",
     [](const Riddle& riddle, size_t, int64_t) {
       return Partial{{}, riddle.log_p({})[text::Vocabulary::stop], true};
     }},
    {"Your search is greedy: only one sentence stays in the beam, where `width` should", search({.one = true})},
    {"You keep `width` extensions of each sentence: keep `width` of all extensions together",
     search({.per_sentence = true})},
    {"You keep the first `width` extensions, not the best: sort them by log_p before you cut",
     search({.unsorted = true})},
    {"You keep the extensions with the smallest log_p: sort in descending order, a.log_p > b.log_p",
     search({.worst = true})},
    {"You compare sentences by their last word alone: log_p is a sum, add p.log_p of the sentence before",
     search({.last_word = true})},
    {"Finished sentences take no place in your beam: cut to `width` first, then remove the finished ones",
     search({.free_places = true})},
    {"Your sentences go on after `longest` words: at that length extend by </s> only", search({.no_end = true})},
    {"You stop at the first finished sentence: a longer one may have a larger log_p. Go on until `longest`",
     search({.first_end = true})},
    {"Your sentences end after `longest` words only: extend by </s> at every length", search({.no_stop = true})},
    {"You compare finished sentences by log_p per word: here there is no length penalty", search({.per_word = true})},
};

void examine(app::Exercise& e, const Search& beam_search) {
  std::vector<double> ours, theirs, wide, best;
  int64_t same = 0, greedy = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Riddle riddle{.words = 3, .seed = seed};
    nn::Hypothesis truth = exhaustive(riddle, 4, 0);
    RiddleSearch model(riddle);
    nn::Hypothesis library = nn::beam_search(model, 3, {.max_lengths = {4}, .length_penalty = 0}).at(0);
    Partial three = beam_search(riddle, 3, 4);
    ours.push_back(three.log_p), theirs.push_back(library.log_probability);
    same += three.words == library.tokens;
    wide.push_back(beam_search(riddle, 256, 4).log_p), best.push_back(truth.log_probability);
    greedy += beam_search(riddle, 1, 4).words == truth.tokens;
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
  return e.run(argc, argv, Search(mine::beam_search), examine, mistakes);
}
