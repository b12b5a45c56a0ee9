// Beam search for all sentences of a batch at once: the unfinished hypotheses of all sentences are the rows of one step
// of the model. The rows of a sentence are adjacent, best first, and are removed when its search has ended.
//
// Each step has R = sentences * beam rows with V words each, that is R * V continuations, of which every sentence needs
// its `beam` best. While its rows are read, a list of the best so far is kept, and sixteen words at a time are skipped
// if none of them can enter the list. Hypotheses are branches of a tree, so that keeping one copies nothing. A diverse
// beam search is one search for each group of a sentence, which sees what the groups before it have just written.
//
// If the options give hypotheses a text, each text is kept once. If a hypothesis ends with a text that the search has
// found before, it is removed from the list of the best, and the rows are read again, so that another continuation
// takes its place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "nn/decode/search_steps.h"
#include "nn/text/vocabulary.h"
#include "tensor/error.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

using namespace search_steps;
using text::Vocabulary;

// A word, its predecessor in the hypothesis, and the attention weights of the step that wrote it. Node 0 is <s>.
struct Node {
  int64_t word;
  size_t parent;
  std::vector<float> weights;
};

struct Live {
  double log_probability;
  size_t node;
};

struct Candidate {
  double rank;  // by which continuations are compared: log p minus the penalty for words of earlier groups
  double log_probability;
  size_t from;  // index among the sentence's unfinished hypotheses
  int64_t word;
};

// How often each word was written in this step by earlier groups of the same sentence.
using Written = std::map<int64_t, int64_t>;

struct Finished {
  Hypothesis hypothesis;
  std::string text;  // "" if the search was given none
};

// One search: a sentence, or one group of its beam.
struct Sentence {
  size_t row;  // of the sentence in the batch
  int64_t limit;
  std::vector<Node> tree{{Vocabulary::start, 0, {}}};
  std::vector<Live> live{{0, 0}};
  std::vector<Finished> done = {};  // best first
  bool ended = false;               // has a hypothesis ended? One that was dropped as a copy counts too
};

std::vector<int64_t> words_of(const Sentence& s, size_t node) {
  std::vector<int64_t> words;
  for (size_t n = node; n != 0; n = s.tree[n].parent) words.push_back(s.tree[n].word);
  std::reverse(words.begin(), words.end());
  return words;
}

// The best continuations so far, best first. Among equals, the one from the earlier row comes first, and then the one
// with the smaller word number; continuations are offered in this order.
class Best {
 public:
  explicit Best(size_t width) : width_(width) {}

  // Rows that may not end: their hypothesis would have a text that was found before.
  std::vector<bool> closed;

  // Offers all continuations of a sentence whose rows start at `row`; at its length limit only </s>.
  void read(const Answer& answer, size_t row, const Sentence& s, int64_t step, const SearchOptions& o,
            const Written& before) {
    kept.clear();
    closed.resize(s.live.size());
    for (size_t r = 0; r < s.live.size(); ++r) {
      NextWord next;
      if (o.constraints.any()) next = next_word(o.constraints, s.row, words_of(s, s.live[r].node));
      if (step == s.limit) {
        if (!next.allows(Vocabulary::stop)) continue;
        next = {.only = Vocabulary::stop};
      }
      if (closed[r]) {
        if (next.only == Vocabulary::stop) continue;
        next.banned.push_back(Vocabulary::stop);
      }
      int64_t first = next.only < 0 ? 0 : next.only, last = next.only < 0 ? answer.V() : next.only + 1;
      if (answer.single())
        offer(answer.row<float>(row + r), first, last, s.live[r], r, o, next, before);
      else
        offer(answer.row<double>(row + r), first, last, s.live[r], r, o, next, before);
    }
  }

  std::vector<Candidate> kept;

 private:
  template <class T>
  void offer(const T* log_p, int64_t first, int64_t last, const Live& live, size_t from, const SearchOptions& o,
             const NextWord& next, const Written& before) {
    constexpr int64_t block = 16;
    T floor = floor_of<T>(live.log_probability);
    for (int64_t begin = first; begin < last; begin += block) {
      int64_t end = std::min(begin + block, last);
      if (end - begin == block) {
        int above = 0;
        for (int64_t j = 0; j < block; ++j) above |= log_p[begin + j] > floor;
        if (!above) continue;
      }
      for (int64_t w = begin; w < end; ++w) {
        double p = static_cast<double>(log_p[w]), total = live.log_probability + p, rank = total;
        if (!before.empty())
          if (auto times = before.find(w); times != before.end())
            rank -= o.diversity * static_cast<double>(times->second);
        if (!std::isfinite(p) || !may_write(w, o) || (full() && !(rank > kept.back().rank)) || !next.allows(w))
          continue;
        auto place =
            std::upper_bound(kept.begin(), kept.end(), rank, [](double t, const Candidate& c) { return t > c.rank; });
        kept.insert(place, {rank, total, from, w});
        if (kept.size() > width_) kept.pop_back();
        floor = floor_of<T>(live.log_probability);
      }
    }
  }

  bool full() const { return kept.size() == width_; }

  // A bound: no word whose log p is at or below it can enter the list. It is rounded down, so that a word near the
  // bound goes to the exact comparison.
  template <class T>
  T floor_of(double so_far) const {
    if (!full()) return -static_cast<T>(INFINITY);
    return std::nextafter(static_cast<T>(kept.back().rank - so_far), -static_cast<T>(INFINITY));
  }

  size_t width_;
};

Hypothesis hypothesis_of(const Sentence& s, const Live& live) {
  Hypothesis h;
  h.log_probability = live.log_probability;
  h.tokens = words_of(s, live.node);
  for (size_t n = live.node; n != 0; n = s.tree[n].parent) h.weights.push_back(s.tree[n].weights);
  std::reverse(h.weights.begin(), h.weights.end());
  return h;
}

bool better(const Finished& a, const Finished& b) { return a.hypothesis.score > b.hypothesis.score; }

// Adds a hypothesis to those that its group has found. Returns false for a copy, whose text a group of this sentence
// has found before; then only the better of the two is kept.
bool keep(std::span<Sentence> groups, size_t group, Hypothesis h, const SearchOptions& o) {
  h.score = score_of(h, o);
  Finished found{std::move(h), {}};
  if (o.text) {
    found.text = o.text(groups[group].row, found.hypothesis);
    for (Sentence& s : groups)
      for (Finished& other : s.done) {
        if (other.text != found.text) continue;
        if (better(found, other)) other = std::move(found);
        return false;
      }
  }
  groups[group].done.push_back(std::move(found));
  return true;
}

// Reads the continuations of a group, whose first row is `row`, and keeps those that have ended.
void read(Best& best, const Answer& answer, size_t row, std::span<Sentence> groups, size_t group, int64_t step,
          const SearchOptions& o, const Written& before) {
  Sentence& s = groups[group];
  std::vector<bool> seen(s.live.size());  // of each row: has its hypothesis ended?
  for (bool again = true; again;) {
    again = false;
    best.read(answer, row, s, step, o, before);
    for (const Candidate& c : best.kept) {
      if (c.word != Vocabulary::stop || seen[c.from]) continue;
      Hypothesis h = hypothesis_of(s, {c.log_probability, s.live[c.from].node});
      h.weights.push_back(answer.weights(row + c.from, o, s.row));
      h.finished = s.ended = seen[c.from] = true;
      if (!keep(groups, group, std::move(h), o)) best.closed[c.from] = again = true;
    }
  }
}

// True if no unfinished hypothesis can still overtake the `wanted` best finished ones: with every word log p decreases
// and the divisor grows, and the coverage term is never above 0.
bool decided(const Sentence& s, size_t wanted, const SearchOptions& o) {
  if (s.done.size() < wanted) return s.live.empty();
  double reach = -INFINITY;
  for (const Live& l : s.live) reach = std::max(reach, per_length(l.log_probability, static_cast<size_t>(s.limit), o));
  return reach <= s.done[wanted - 1].hypothesis.score;
}

void require_beam(int64_t beam, const SearchOptions& options) {
  if (beam < 1) throw ValueError(fmt::format("beam_search: needs a beam of at least 1; got {}", beam));
  if (!(options.length_penalty >= 0))  // `decided` needs it
    throw ValueError(
        fmt::format("beam_search: the length penalty must not be negative; got {}", options.length_penalty));
  if (!(options.coverage_penalty >= 0))
    throw ValueError(
        fmt::format("beam_search: the coverage penalty must not be negative; got {}", options.coverage_penalty));
  if (options.groups < 1 || beam % options.groups != 0)
    throw ValueError(
        fmt::format("beam_search: the groups must divide the beam; got {} groups for {}", options.groups, beam));
  if (!(options.diversity >= 0))
    throw ValueError(fmt::format("beam_search: the diversity must not be negative; got {}", options.diversity));
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search_all(SearchModel& model, int64_t beam, const SearchOptions& options) {
  require_beam(beam, options);
  const auto inputs = static_cast<size_t>(model.rows()), groups = static_cast<size_t>(options.groups);
  const size_t width = static_cast<size_t>(beam) / groups, count = inputs * groups;
  const size_t returned = static_cast<size_t>(options.wanted > 0 ? std::min(options.wanted, beam) : beam);
  const size_t wanted = groups == 1 ? returned : width;  // of each group
  require_limits("beam_search", options, inputs);
  require_constraints("beam_search", options.constraints, inputs);
  std::vector<Sentence> sentences;  // the groups of a sentence are adjacent
  std::vector<int64_t> copies;
  for (size_t i = 0; i < inputs; ++i)
    for (size_t g = 0; g < groups; ++g) {
      sentences.push_back({.row = i, .limit = std::max<int64_t>(0, limit_of(options, i))});
      copies.push_back(static_cast<int64_t>(i));
    }
  keep_rows(model, copies, inputs);
  std::vector<int64_t> last(count, Vocabulary::start);  // of each row

  for (int64_t step = 0; !last.empty(); ++step) {
    Answer answer("beam_search", model, last);
    if (step == 0) require_prefix_words("beam_search", options, answer.V());
    std::vector<size_t> first_row(count);
    for (size_t i = 1; i < count; ++i) first_row[i] = first_row[i - 1] + sentences[i - 1].live.size();
    std::vector<Best> best(count, Best(width));
    parallel_for(0, static_cast<int64_t>(inputs), 1, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin) * groups; i < static_cast<size_t>(end) * groups; i += groups) {
        Written before;  // by earlier groups
        for (size_t g = 0; g < groups; ++g) {
          read(best[i + g], answer, first_row[i + g], std::span(sentences).subspan(i, groups), g, step, options,
               before);
          if (groups > 1)
            for (const Candidate& c : best[i + g].kept) ++before[c.word];
        }
      }
    });
    std::vector<int64_t> rows, words;
    for (size_t i = 0; i < count; ++i) {
      Sentence& s = sentences[i];
      if (s.live.empty()) continue;
      size_t row = first_row[i];
      std::vector<Live> next;
      std::vector<int64_t> from;
      for (const Candidate& c : best[i].kept) {
        if (c.word == Vocabulary::stop) continue;
        s.tree.push_back({c.word, s.live[c.from].node, answer.weights(row + c.from, options, s.row)});
        next.push_back({c.log_probability, s.tree.size() - 1});
        from.push_back(static_cast<int64_t>(row + c.from));
      }
      if (next.empty() && !s.ended)  // none finished, none can continue: return these
        for (const Live& l : s.live)
          keep(std::span(sentences).subspan(i - i % groups, groups), i % groups, hypothesis_of(s, l), options);
      s.live = std::move(next);
      std::stable_sort(s.done.begin(), s.done.end(), better);
      if (s.done.size() > width) s.done.resize(width);
      if (decided(s, wanted, options)) s.live.clear();
      if (s.live.empty()) {
        s.tree.clear();
        continue;
      }
      for (const Live& l : s.live) words.push_back(s.tree[l.node].word);
      rows.insert(rows.end(), from.begin(), from.end());
    }
    if (!rows.empty()) keep_rows(model, rows, last.size());
    last = std::move(words);
  }
  std::vector<std::vector<Hypothesis>> found(inputs);
  for (Sentence& s : sentences)
    for (Finished& f : s.done) found[s.row].push_back(std::move(f.hypothesis));
  for (auto& all : found) {
    if (groups > 1) {  // two groups may have found the same sentence
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
      std::set<std::vector<int64_t>> seen;
      std::erase_if(all, [&](const Hypothesis& h) { return !seen.insert(h.tokens).second; });
    }
    if (all.size() > returned) all.resize(returned);
  }
  return found;
}

std::vector<Hypothesis> beam_search(SearchModel& model, int64_t beam, const SearchOptions& options) {
  require_beam(beam, options);
  if (model.rows() != 1) throw ValueError(fmt::format("beam_search: takes one sentence; got {}", model.rows()));
  return beam_search_all(model, beam, options).at(0);
}

}  // namespace heed::nn
