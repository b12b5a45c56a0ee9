// Greedy search and beam search build a sentence from a model that predicts one next word at a time.
//
// A search uses a model only through SearchModel: each row is an unfinished sentence, which receives its next word and
// returns the log-probabilities of the word after it. R rows, V vocabulary, S source length.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/decode/constraints.h"
#include "tensor/tensor.h"

namespace heed::nn {

class SearchModel {
 public:
  virtual ~SearchModel() = default;
  virtual int64_t rows() const = 0;
  virtual Tensor next(const Tensor& tokens) = 0;  // tokens [R] i64 -> log p of the next word [R, V]
  virtual void keep(const Tensor& rows) = 0;      // rows [R'] i64: the new row i is the old row rows[i]
  virtual Tensor weights() const { return {}; }   // [R, S], weights of the last step; undefined without attention
};

struct Hypothesis {
  std::vector<int64_t> tokens;  // without <s> and </s>
  double log_probability = 0;   // of the whole sentence, including </s>
  double score = 0;             // by which the search ranks hypotheses
  bool finished = false;        // true: ended with </s>; false: cut off at the length limit
  // For each token and </s>: one weight per source position; none without attention or SearchOptions::keep_weights.
  std::vector<std::vector<float>> weights;
};

struct SearchOptions {
  // The maximum number of words, without </s>. Each row has its own limit, so that it does not depend on the other rows
  // of the batch. Empty: 100 for every row.
  std::vector<int64_t> max_lengths = {};
  // The source length of each row. Positions after it are padding: hypotheses have no weights for them, and the
  // coverage penalty ignores them. Empty: no row has padding.
  std::vector<int64_t> source_lengths = {};
  // score = log p / ((5 + words) / 6)^alpha + beta sum_s log(min(1, sum_t w_ts))         (Wu et al. 2016, eq. 14)
  double length_penalty = 1;    // alpha; 0 ranks by log p alone, which prefers short sentences
  double coverage_penalty = 0;  // beta: penalty for source words with little attention; needs attention
  bool allow_unknown = true;    // whether <unk> may be written
  bool keep_weights = true;     // whether a hypothesis keeps its attention weights; the coverage penalty needs them
  Constraints constraints = {};
  // Diverse beam search (Vijayakumar et al., AAAI 2018, with Hamming diversity): the beam is divided into `groups` of
  // equal size, which extend their hypotheses one after another. For each time that an earlier group has written
  // a word in this step, the word's log p is reduced by `diversity` in the comparison; log p and score of a hypothesis
  // remain the model's. 1 group: plain beam search.
  int64_t groups = 1;
  double diversity = 0.5;
  // The text of a finished hypothesis of a row. If given, beam search returns each text once, with the best score of
  // the hypotheses that spell it: with pieces of words there can be several. A copy takes no place in the beam, so the
  // search goes on until it has found `wanted` different texts, or nothing can continue. Called by several
  // threads at once.
  std::function<std::string(size_t row, const Hypothesis&)> text = {};
  // How many of the best hypotheses are wanted; the search ends when no other can be among them. 0: the whole beam.
  int64_t wanted = 0;
};

// Returns one hypothesis per row: the likeliest word at each step.
std::vector<Hypothesis> greedy(SearchModel& model, const SearchOptions& options = {});

// The loop of greedy search and of sampling: `choose` returns the next word of a hypothesis, given log p [V].
using Choice = std::function<int64_t(const double* log_p, int64_t V, size_t hypothesis)>;
std::vector<Hypothesis> write_word_by_word(const char* name, SearchModel& model, const SearchOptions& options,
                                           const Choice& choose);
bool may_write(int64_t word, const SearchOptions& options);  // never <pad> or <s>; <unk> only if allowed

// Returns for each row the `beam` (or `wanted`) best hypotheses that were found, best first, and at least one. Each
// step extends the `beam` unfinished hypotheses of a sentence by every word and keeps the best; the search ends when no
// unfinished one can overtake the finished ones. beam = 1 is greedy search, except that it ends a sentence at the
// length limit with </s> (unless a constraint forbids that), where greedy search leaves it open. A row's result does
// not depend on the other rows of the batch. Afterwards the model's rows are no longer the sentences that it started
// with.
std::vector<std::vector<Hypothesis>> beam_search_all(SearchModel& model, int64_t beam,
                                                     const SearchOptions& options = {});
// The same for a model with one row.
std::vector<Hypothesis> beam_search(SearchModel& model, int64_t beam, const SearchOptions& options = {});

}  // namespace heed::nn
