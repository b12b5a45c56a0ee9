#include "nn/decode/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

using text::Vocabulary;

double per_length(double log_probability, size_t words, const SearchOptions& o) {
  return log_probability / std::pow((5.0 + static_cast<double>(words)) / 6.0, o.length_penalty);
}

// sum_s log(min(1, sum_t w_ts)): 0 where every source word was looked at, below where one was not.
double coverage(const Hypothesis& h) {
  double total = 0;
  for (size_t s = 0; !h.weights.empty() && s < h.weights[0].size(); ++s) {
    double looked = 0;
    for (const auto& row : h.weights) looked += static_cast<double>(row[s]);
    total += std::log(std::min(1.0, std::max(looked, 1e-12)));
  }
  return total;
}

double score_of(const Hypothesis& h, const SearchOptions& o) {
  double score = per_length(h.log_probability, h.tokens.size(), o);
  return o.coverage_penalty > 0 ? score + o.coverage_penalty * coverage(h) : score;
}

std::vector<float> row_of(const Tensor& weights, int64_t row) {
  if (!weights.defined()) return {};
  Tensor w = weights.select(0, row).to(DType::f32).contiguous();
  return {w.data<float>(), w.data<float>() + w.count()};
}

void require_limits(const char* name, const SearchOptions& o, size_t rows) {
  if (!o.max_lengths.empty() && o.max_lengths.size() != rows)
    throw ValueError(fmt::format("{}: needs one length limit a row; got {} for {}", name, o.max_lengths.size(), rows));
}

// What the model answered, [R, V] in f64; the special words are among the V.
Tensor scores_of(const char* name, const Tensor& log_p, size_t rows) {
  if (log_p.rank() != 2 || std::cmp_not_equal(log_p.size(0), rows) || log_p.size(1) < Vocabulary::specials)
    throw ShapeError(fmt::format("{}: the model must answer [{}, V] with V at least {}; got {}", name, rows,
                                 int64_t{Vocabulary::specials}, to_string(log_p.shape())));
  return log_p.to(DType::f64).contiguous();
}

int64_t limit_of(const SearchOptions& o, size_t row) { return o.max_lengths.empty() ? 100 : o.max_lengths.at(row); }

Tensor ids(const std::vector<int64_t>& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }

}  // namespace

bool may_write(int64_t word, const SearchOptions& o) {
  return word != Vocabulary::pad && word != Vocabulary::start && (o.allow_unknown || word != Vocabulary::unk);
}

std::vector<Hypothesis> write_word_by_word(const char* name, SearchModel& model, const SearchOptions& options,
                                           const Choice& choose) {
  auto R = static_cast<size_t>(model.rows());
  require_limits(name, options, R);
  std::vector<Hypothesis> out(R);
  std::vector<int64_t> last(R, Vocabulary::start);
  std::vector<size_t> live(R);  // which hypothesis each row of the model is; finished rows leave the model
  for (size_t r = 0; r < R; ++r) live[r] = r;
  for (int64_t step = 0; !live.empty(); ++step) {
    Tensor log_p = scores_of(name, model.next(ids(last)), live.size()), weights = model.weights();
    int64_t V = log_p.size(1);
    std::vector<int64_t> kept, words;
    std::vector<size_t> still;
    for (size_t r = 0; r < live.size(); ++r) {
      const double* p = log_p.data<double>() + static_cast<int64_t>(r) * V;
      int64_t word = choose(p, V, live[r]);
      Hypothesis& h = out[live[r]];
      h.finished = word == Vocabulary::stop;
      if (!h.finished && step >= limit_of(options, live[r])) continue;  // cut off
      h.log_probability += p[word];
      h.weights.push_back(row_of(weights, static_cast<int64_t>(r)));
      if (h.finished) continue;
      h.tokens.push_back(word);
      kept.push_back(static_cast<int64_t>(r));
      words.push_back(word);
      still.push_back(live[r]);
    }
    if (kept.size() < live.size() && !kept.empty()) model.keep(ids(kept));
    live = std::move(still);
    last = std::move(words);
  }
  for (Hypothesis& h : out) h.score = score_of(h, options);
  return out;
}

std::vector<Hypothesis> greedy(SearchModel& model, const SearchOptions& options) {
  return write_word_by_word("greedy", model, options, [&](const double* p, int64_t V, size_t) {
    int64_t best = Vocabulary::stop;
    for (int64_t w = 0; w < V; ++w)
      if (may_write(w, options) && p[w] > p[best]) best = w;
    return best;
  });
}

std::vector<Hypothesis> beam_search(SearchModel& model, int64_t beam, const SearchOptions& options) {
  if (beam < 1) throw ValueError(fmt::format("beam_search: needs a beam of at least 1; got {}", beam));
  if (!(options.coverage_penalty >= 0))
    throw ValueError(
        fmt::format("beam_search: the coverage penalty must not be negative; got {}", options.coverage_penalty));
  if (model.rows() != 1) throw ValueError(fmt::format("beam_search: takes one sentence; got {}", model.rows()));
  require_limits("beam_search", options, 1);
  struct Candidate {
    double log_probability;
    size_t from;
    int64_t word;
  };
  std::vector<Hypothesis> live(1), done;
  std::vector<int64_t> last{Vocabulary::start};
  auto width = static_cast<size_t>(beam);
  int64_t max_length = limit_of(options, 0);
  auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; };
  for (int64_t step = 0; step <= max_length && !live.empty(); ++step) {
    Tensor log_p = scores_of("beam_search", model.next(ids(last)), live.size()), weights = model.weights();
    int64_t V = log_p.size(1);
    std::vector<Candidate> candidates;
    for (size_t r = 0; r < live.size(); ++r)
      for (int64_t w = 0; w < V; ++w) {
        double p = log_p.data<double>()[static_cast<int64_t>(r) * V + w];
        bool allowed = step == max_length ? w == Vocabulary::stop : may_write(w, options);
        if (allowed && std::isfinite(p)) candidates.push_back({live[r].log_probability + p, r, w});
      }
    size_t take = std::min(candidates.size(), width);
    auto first = candidates.begin();
    std::partial_sort(
        first, first + static_cast<int64_t>(take), candidates.end(), [](const Candidate& a, const Candidate& b) {
          return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                        : std::pair(a.from, a.word) < std::pair(b.from, b.word);
        });
    std::vector<Hypothesis> next;
    std::vector<int64_t> rows, words;
    for (size_t i = 0; i < take; ++i) {
      const Candidate& c = candidates[i];
      Hypothesis h = live[c.from];
      h.log_probability = c.log_probability;
      h.weights.push_back(row_of(weights, static_cast<int64_t>(c.from)));
      if (c.word == Vocabulary::stop) {
        h.finished = true;
        h.score = score_of(h, options);
        done.push_back(std::move(h));
        continue;
      }
      h.tokens.push_back(c.word);
      rows.push_back(static_cast<int64_t>(c.from));
      words.push_back(c.word);
      next.push_back(std::move(h));
    }
    live = std::move(next);
    last = std::move(words);
    std::sort(done.begin(), done.end(), better);
    if (done.size() > width) done.resize(width);
    // log p only falls, the divisor only grows, and no coverage is above 0: the most an unfinished sentence can reach.
    double reach = -INFINITY;
    for (const Hypothesis& h : live)
      reach = std::max(reach, per_length(h.log_probability, static_cast<size_t>(max_length), options));
    if (done.size() == width && reach <= done.back().score) break;
    if (!live.empty()) model.keep(ids(rows));
  }
  if (done.empty())  // nothing ended within the limit: give what there is
    for (Hypothesis& h : live) {
      h.score = score_of(h, options);
      done.push_back(std::move(h));
    }
  std::sort(done.begin(), done.end(), better);
  return done;
}

}  // namespace heed::nn
