// What a head does, in figures: means over the rows of its weights w [T, S], which each sum to 1.
//
//   previous, next   w_t,t-1 and w_t,t+1            first, separator   w_t,0; all other words of the template
//   itself           w_t,t                          same word          the other places of the word of t
//   distance         sum_s w_ts |t - s|             entropy            -sum_s w_ts log2 w_ts, in bits
//
// The control is a head whose rows are permuted among the places that they may read. The mean over all permutations
// needs no dice: each of the n places then has 1/n of the row. Only the entropy stays as it is.
//
// And is the picture an explanation? The rank correlation (Spearman, 1904) of a head's weights with what happens to the
// answer when each word is hidden, beside the same weights in random order (lessons 12 and 29).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutorials/app/look_subject.h"

namespace heed::app {

struct HeadFigure {
  const char* name;
  double value = 0, control = 0;  // NaN: there is nothing to measure (cross-attention has no previous word)
};
struct HeadFigures {
  std::vector<HeadFigure> all = {};
  std::string role = {};  // in words: "previous word", "spread evenly", "mixed"
};
// weights and scores [T, S] of one head
HeadFigures figures_of(const LookAttention& attention, const Tensor& weights, const LookWords& queries,
                       const LookWords& keys, const Tensor& scores);

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);  // 0 if all of one are equal

struct Trust {
  double correlation = 0;
  double shuffled = 1;  // the share of shuffles of the weights that correlate as much or more
  int64_t words = 0;    // that were compared
};
Trust trust_of(const std::vector<double>& weights, const std::vector<double>& effects, uint64_t seed);

// What happens to the answer without each head, and without each of some words.
struct Switched {
  LookHead head = {};  // or, in the lists of words,
  int64_t word = -1;   // its number
  double change = 0;   // of the answer
  std::vector<report::Candidate> best = {};
};
struct Effects {
  LookAnswer whole;
  std::vector<Switched> heads = {}, source = {}, target = {};
};
// `most` words of each side at most, evenly spread; the word that asks is not hidden.
Effects effects_of(const LookSubject& subject, int64_t most);

// The weights of a head over the words of `hidden`: of the row that asks, or the mean of all rows where none does.
std::vector<double> weights_on(const LookSubject& subject, const LookAttention& attention, const LookHead& head,
                               const std::vector<Switched>& hidden);

}  // namespace heed::app
