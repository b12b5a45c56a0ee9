// What all searches share: limits, the model's answer checked and read row by row, and the score of a hypothesis.
#pragma once

#include <string>
#include <vector>

#include "nn/decode/search.h"

namespace heed::nn::search_steps {

// ValueError unless there is one limit a row, and one source length a row, or none at all.
void require_limits(const char* name, const SearchOptions& o, size_t rows);
int64_t limit_of(const SearchOptions& o, size_t row);

// The model's answer to one step: log p [R, V] and, with attention, weights [R, S].
class Answer {
 public:
  // ShapeError unless log p is [rows, V]; the special words are among the V.
  Answer(const char* name, SearchModel& model, const std::vector<int64_t>& last);
  int64_t V() const { return log_p_.size(1); }
  bool single() const { return log_p_.dtype() == DType::f32; }
  template <class T>  // float if single(), else double
  const T* row(size_t r) const {
    return log_p_.data<T>() + static_cast<int64_t>(r) * V();
  }
  // What the row looked at in the source positions of sentence `sentence`; empty without attention.
  std::vector<float> weights(size_t r, const SearchOptions& o, size_t sentence) const;

 private:
  Tensor log_p_;    // [R, V], f32 as the model gave it, or f64
  Tensor weights_;  // [R, S] f32
};

// Keeps the rows, in their order; nothing is copied when they are all there are.
void keep_rows(SearchModel& model, const std::vector<int64_t>& rows, size_t of);

double per_length(double log_probability, size_t words, const SearchOptions& o);
double score_of(const Hypothesis& h, const SearchOptions& o);

}  // namespace heed::nn::search_steps
