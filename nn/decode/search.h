// From a model that scores the next word to a sentence: greedy search and beam search.
//
// A search knows a model only as a SearchModel: rows of unfinished sentences that take a word each and answer with the
// log-probabilities of the next. R rows, V vocabulary, S source length.
#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

class SearchModel {
 public:
  virtual ~SearchModel() = default;
  virtual int64_t rows() const = 0;
  virtual Tensor next(const Tensor& tokens) = 0;  // tokens [R] i64 -> log p of the next word [R, V]
  virtual void keep(const Tensor& rows) = 0;      // rows [R'] i64: row i becomes what row rows[i] was
  virtual Tensor weights() const { return {}; }   // [R, S], the attention of the last step; undefined without any
};

struct Hypothesis {
  std::vector<int64_t> tokens;              // without <s> and </s>
  double log_probability = 0;               // of the whole sentence, </s> included
  double score = 0;                         // what the search ranked by
  bool finished = false;                    // ended with </s>, not at the length limit
  std::vector<std::vector<float>> weights;  // for each token and </s>: one weight a source position
};

struct SearchOptions {
  // Words, </s> not counted; one limit a row, so that a sentence's limit does not depend on its neighbours. Empty: 100
  // each.
  std::vector<int64_t> max_lengths = {};
  // Source positions, one number a row: what stands behind them in a batch is padding, which no hypothesis gets weights
  // for and no coverage counts. Empty: all are the sentence's own.
  std::vector<int64_t> source_lengths = {};
  // score = log p / ((5 + words) / 6)^alpha + beta sum_s log(min(1, sum_t w_ts))         (Wu et al. 2016, eq. 14)
  double length_penalty = 1;    // alpha; 0: log p, which prefers short sentences
  double coverage_penalty = 0;  // beta: what a source word that nothing looked at costs; needs attention
  bool allow_unknown = true;    // may <unk> be written?
};

// One hypothesis a row: the likeliest word at each step.
std::vector<Hypothesis> greedy(SearchModel& model, const SearchOptions& options = {});

// The loop of greedy search and of sampling: `choose` gives the next word of a hypothesis from log p [V].
using Choice = std::function<int64_t(const double* log_p, int64_t V, size_t hypothesis)>;
std::vector<Hypothesis> write_word_by_word(const char* name, SearchModel& model, const SearchOptions& options,
                                           const Choice& choose);
bool may_write(int64_t word, const SearchOptions& options);  // neither <pad> nor <s>, and <unk> where it is allowed

// For each row the `beam` best hypotheses found, best first, at least one. Keeps `beam` unfinished sentences, extends
// each by every word, keeps the best again; ends when no unfinished one can still overtake. beam = 1 is greedy. A row's
// result does not depend on the rows beside it. The model's rows become the unfinished hypotheses of all sentences.
std::vector<std::vector<Hypothesis>> beam_search_all(SearchModel& model, int64_t beam,
                                                     const SearchOptions& options = {});
// For a model with one row.
std::vector<Hypothesis> beam_search(SearchModel& model, int64_t beam, const SearchOptions& options = {});

}  // namespace heed::nn
