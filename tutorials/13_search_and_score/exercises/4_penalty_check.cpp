// Hints, common mistakes and checks of exercise 13.4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutorials/13_search_and_score/exercises/4_penalty.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Found;
using mine::Sentence;
using Search = std::function<Found(const Riddle&, size_t, int64_t, double)>;

// The right answer with one part exchanged.
struct Wrong {
  bool no_penalty = false, stop_counts = false, plain_length = false, multiplied = false;              // score
  bool by_score = false, per_sentence = false, free_places = false, no_end = false, lost_sum = false;  // beam
  bool unsorted = false, uncut = false, first_end = false, never_stops = false, tight = false, best_bound = false,
       one_too_few = false;  // finished sentences, stop
};

struct Extension {
  Sentence sentence;
  bool finished;
};

double score(double log_p, int64_t n, double alpha, const Wrong& w) {
  if (w.no_penalty) return log_p;
  const double words = static_cast<double>(n + (w.stop_counts ? 1 : 0));
  const double length = w.plain_length ? std::max(words, 1.0) : (5 + words) / 6;
  return w.multiplied ? log_p * std::pow(length, alpha) : log_p / std::pow(length, alpha);
}

void prune(std::vector<Extension>& all, size_t width, double alpha, const Wrong& w) {
  auto value = [&](const Extension& e) {
    return w.by_score ? score(e.sentence.log_p, std::ssize(e.sentence.words), alpha, w) : e.sentence.log_p;
  };
  std::ranges::stable_sort(all, std::ranges::greater{}, value);
  all.resize(std::min(all.size(), width));
}

std::vector<Extension> extensions(const Riddle& riddle, const Sentence& s, int64_t longest, const Wrong& w) {
  const std::vector<double> log_p = riddle.log_p(s.words);
  const double before = w.lost_sum ? 0 : s.log_p;
  std::vector<Extension> all{{{s.words, before + log_p[text::Vocabulary::stop]}, true}};
  for (int64_t v = riddle.first; std::ssize(s.words) < longest && v < riddle.first + riddle.words; ++v) {
    all.push_back({{s.words, before + log_p[static_cast<size_t>(v)]}, false});
    all.back().sentence.words.push_back(v);
  }
  return all;
}

bool decided(const Found& found, const std::vector<Sentence>& open, size_t width, int64_t longest, double alpha,
             const Wrong& w) {
  if (w.never_stops || open.empty()) return false;
  if (w.first_end) return !found.best.empty();
  if (found.best.size() < width - (w.one_too_few ? 1 : 0) || found.best.empty()) return false;
  const int64_t n = w.tight ? std::ssize(open[0].words) : longest;
  return score(open[0].log_p, n, alpha, w) <= (w.best_bound ? found.best.front() : found.best.back()).score;
}

Search search(Wrong w) {
  return [w](const Riddle& riddle, size_t width, int64_t longest, double alpha) {
    Found found;
    std::vector<Sentence> open{{}};
    auto finish = [&](std::vector<Extension>& extended) {
      for (Extension& x : extended) {
        x.sentence.score = score(x.sentence.log_p, std::ssize(x.sentence.words), alpha, w);
        if (x.finished) found.best.push_back(x.sentence);
      }
      std::erase_if(extended, [](const Extension& e) { return e.finished; });
    };
    while (!open.empty()) {
      ++found.steps;
      std::vector<Extension> extended;
      for (const Sentence& s : open) {
        std::vector<Extension> its = extensions(riddle, s, longest + (w.no_end ? 1 : 0), w);
        if (w.per_sentence) prune(its, width, alpha, w);
        extended.insert(extended.end(), its.begin(), its.end());
      }
      if (w.free_places) finish(extended);
      if (!w.per_sentence) prune(extended, width, alpha, w);
      finish(extended);
      open.clear();
      for (const Extension& x : extended) open.push_back(x.sentence);
      std::ranges::stable_sort(open, std::ranges::greater{}, &Sentence::log_p);
      if (!w.unsorted) std::ranges::stable_sort(found.best, std::ranges::greater{}, &Sentence::score);
      if (!w.uncut) found.best.resize(std::min(found.best.size(), width));
      if (decided(found, open, width, longest, alpha, w)) break;
    }
    return found;
  };
}

const std::vector<app::Mistake<Search>> mistakes{
    {"The gap is still open: it finishes the empty sentence and nothing else",
     [](const Riddle& riddle, size_t, int64_t, double) {
       const double log_p = riddle.log_p({})[text::Vocabulary::stop];
       return Found{{{{}, log_p, log_p}}, 0};
     }},
    {"Finished sentences are compared by log p: divide it by ((5 + n) / 6)^alpha", search({.no_penalty = true})},
    {"</s> is counted as a word: n is the number of words without it", search({.stop_counts = true})},
    {"You divide by n^alpha: the divisor is ((5 + n) / 6)^alpha, which grows more slowly",
     search({.plain_length = true})},
    {"log p is multiplied by the length penalty, which prefers short sentences even more: divide",
     search({.multiplied = true})},
    {"The extensions are pruned by score: prune them by log p, only finished sentences are compared by score",
     search({.by_score = true})},
    {"You keep `width` extensions of each sentence: keep `width` of all extensions together",
     search({.per_sentence = true})},
    {"Finished sentences take no place in the beam: cut to `width` first, then take the finished ones out",
     search({.free_places = true})},
    {"Sentences have one word too many: after `longest` words extend by </s> only", search({.no_end = true})},
    {"The log p of a sentence is that of its last word: add it to the log p of the sentence before",
     search({.lost_sum = true})},
    {"The finished sentences are in the order in which they were found: sort them by score",
     search({.unsorted = true})},
    {"All finished sentences are kept: cut them after `width`", search({.uncut = true})},
    {"You stop at the first finished sentence: go on until `width` are finished and none can be overtaken",
     search({.first_end = true})},
    {"The search goes on when no open sentence can overtake the finished ones: it needs more steps than necessary",
     search({.never_stops = true})},
    {"You stop too early: an open sentence may get longer, which raises its score. Its bound uses `longest` words",
     search({.tight = true})},
    {"You stop when the best finished sentence cannot be overtaken: compare with the last one of the `width` best",
     search({.best_bound = true})},
    {"You stop with one finished sentence too few: `width` must be finished", search({.one_too_few = true})},
};

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

void examine(app::Exercise& e, const Search& beam_search) {
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
      Found found = beam_search(riddle, width, longest, alpha);
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
  return e.run(argc, argv, Search(mine::beam_search), examine, mistakes);
}
