#include "nn/decode/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/decode/search_steps.h"
#include "nn/text/vocabulary.h"
#include "tensor/error.h"
#include "tensor/indexing.h"

namespace heed::nn {

using text::Vocabulary;

namespace search_steps {
namespace {

// sum_s log(min(1, sum_t w_ts)): 0 if every source word received a total attention of at least 1, negative otherwise.
double coverage(const Hypothesis& h) {
  double total = 0;
  for (size_t s = 0; !h.weights.empty() && s < h.weights[0].size(); ++s) {
    double covered = 0;
    for (const auto& row : h.weights) covered += static_cast<double>(row[s]);
    total += std::log(std::min(1.0, std::max(covered, 1e-12)));
  }
  return total;
}

Tensor ids(const std::vector<int64_t>& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }

}  // namespace

double per_length(double log_probability, size_t words, const SearchOptions& o) {
  return log_probability / std::pow((5.0 + static_cast<double>(words)) / 6.0, o.length_penalty);
}

double score_of(const Hypothesis& h, const SearchOptions& o) {
  double score = per_length(h.log_probability, h.tokens.size(), o);
  return o.coverage_penalty > 0 ? score + o.coverage_penalty * coverage(h) : score;
}

void require_limits(const char* name, const SearchOptions& o, size_t rows) {
  if (!o.max_lengths.empty() && o.max_lengths.size() != rows)
    throw ValueError(
        fmt::format("{}: needs one length limit per row; got {} for {}", name, o.max_lengths.size(), rows));
  if (!o.source_lengths.empty() && o.source_lengths.size() != rows)
    throw ValueError(
        fmt::format("{}: needs one source length per row; got {} for {}", name, o.source_lengths.size(), rows));
}

void require_prefix_words(const char* name, const SearchOptions& o, int64_t V) {
  for (const auto& prefix : o.constraints.prefixes)
    for (int64_t word : prefix)
      if (word < 0 || word >= V)
        throw ValueError(fmt::format("{}: the words of a prefix must lie in [0, {}); got {}", name, V, word));
}

int64_t limit_of(const SearchOptions& o, size_t row) { return o.max_lengths.empty() ? 100 : o.max_lengths.at(row); }

Answer::Answer(const char* name, SearchModel& model, const std::vector<int64_t>& last) : log_p_(model.next(ids(last))) {
  if (log_p_.rank() != 2 || std::cmp_not_equal(log_p_.size(0), last.size()) || log_p_.size(1) < Vocabulary::specials)
    throw ShapeError(fmt::format("{}: the model must answer [{}, V] with V at least {}; got {}", name, last.size(),
                                 int64_t{Vocabulary::specials}, to_string(log_p_.shape())));
  log_p_ = (log_p_.dtype() == DType::f32 ? log_p_ : log_p_.to(DType::f64)).contiguous();
  weights_ = model.weights();
  if (weights_.defined()) weights_ = weights_.to(DType::f32).contiguous();
}

std::vector<float> Answer::weights(size_t r, const SearchOptions& o, size_t sentence) const {
  if (!weights_.defined() || !(o.keep_weights || o.coverage_penalty > 0)) return {};
  int64_t S = weights_.size(1), length = o.source_lengths.empty() ? S : std::min(S, o.source_lengths[sentence]);
  const float* row = weights_.data<float>() + static_cast<int64_t>(r) * S;
  return {row, row + length};
}

void keep_rows(SearchModel& model, const std::vector<int64_t>& rows, size_t of) {
  bool all = rows.size() == of;
  for (size_t i = 0; i < rows.size() && all; ++i) all = std::cmp_equal(rows[i], i);
  if (!all) model.keep(ids(rows));
}
void pick(Tensor& t, const Tensor& rows) {
  if (t.defined()) t = index_select(t, rows);
}
void pick(Variable& v, const Tensor& rows) {
  if (v.defined()) v = index_select(v.value(), rows);
}

}  // namespace search_steps

bool may_write(int64_t word, const SearchOptions& o) {
  return word != Vocabulary::pad && word != Vocabulary::start && (o.allow_unknown || word != Vocabulary::unk);
}

namespace {

// log p, and -inf for what is forbidden.
std::vector<double> allowed_words(const double* log_p, int64_t V, const NextWord& next) {
  std::vector<double> allowed(log_p, log_p + V);
  for (int64_t w = 0; w < V; ++w)
    if (!next.allows(w)) allowed[static_cast<size_t>(w)] = -INFINITY;
  return allowed;
}

}  // namespace

std::vector<Hypothesis> write_word_by_word(const char* name, SearchModel& model, const SearchOptions& options,
                                           const Choice& choose) {
  using namespace search_steps;
  auto R = static_cast<size_t>(model.rows());
  require_limits(name, options, R);
  require_constraints(name, options.constraints, R);
  std::vector<Hypothesis> out(R);
  std::vector<int64_t> last(R, Vocabulary::start);
  std::vector<size_t> live(R);  // the hypothesis of each row of the model; finished rows are removed
  for (size_t r = 0; r < R; ++r) live[r] = r;
  std::vector<double> doubles, allowed;  // one row of log p each
  for (int64_t step = 0; !live.empty(); ++step) {
    Answer answer(name, model, last);
    int64_t V = answer.V();
    if (step == 0) require_prefix_words(name, options, V);
    std::vector<int64_t> kept, words;
    std::vector<size_t> still;
    for (size_t r = 0; r < live.size(); ++r) {
      const double* p = nullptr;
      if (answer.single()) {
        doubles.assign(answer.row<float>(r), answer.row<float>(r) + V);
        p = doubles.data();
      } else {
        p = answer.row<double>(r);
      }
      Hypothesis& h = out[live[r]];
      const double* offered = p;
      if (options.constraints.any()) {
        allowed = allowed_words(p, V, next_word(options.constraints, live[r], h.tokens));
        offered = allowed.data();
      }
      int64_t word = choose(offered, V, live[r]);
      h.finished = word == Vocabulary::stop;
      if (!h.finished && step >= limit_of(options, live[r])) continue;  // cut off at the length limit
      h.log_probability += p[word];
      h.weights.push_back(answer.weights(r, options, live[r]));
      if (h.finished) continue;
      h.tokens.push_back(word);
      kept.push_back(static_cast<int64_t>(r));
      words.push_back(word);
      still.push_back(live[r]);
    }
    if (!kept.empty()) keep_rows(model, kept, live.size());
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
      if (p[w] > p[best] && may_write(w, options)) best = w;
    return best;
  });
}

}  // namespace heed::nn
