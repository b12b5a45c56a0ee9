// Parts that all searches share: length limits, checked access to the model's output, and the score of a hypothesis.
#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"
#include "nn/decode/search.h"

namespace heed::nn::search_steps {

// Throws ValueError unless the limits, and also the source lengths, are either empty or one per row.
void require_limits(const char* name, const SearchOptions& o, size_t rows);
int64_t limit_of(const SearchOptions& o, size_t row);
// Throws ValueError for a prefix with a word outside the model's vocabulary of V words. Asked at the first answer.
void require_prefix_words(const char* name, const SearchOptions& o, int64_t V);

// The model's output for one step: log p [R, V] and, with attention, weights [R, S].
class Answer {
 public:
  // Runs one step with the last words of all rows. Throws ShapeError unless log p is [rows, V] with V large enough for
  // the special words.
  Answer(const char* name, SearchModel& model, const std::vector<int64_t>& last);
  int64_t V() const { return log_p_.size(1); }
  bool single() const { return log_p_.dtype() == DType::f32; }
  template <class T>  // T: float if single(), else double
  const T* row(size_t r) const {
    return log_p_.data<T>() + static_cast<int64_t>(r) * V();
  }
  // Row r's attention weights over the source positions of the given sentence; empty without attention.
  std::vector<float> weights(size_t r, const SearchOptions& o, size_t sentence) const;

 private:
  Tensor log_p_;    // [R, V], f32 if the model returned f32, else f64
  Tensor weights_;  // [R, S] f32
};

// Calls model.keep(rows), unless these are all rows in their present order.
void keep_rows(SearchModel& model, const std::vector<int64_t>& rows, size_t of);

// Keeps these rows of what a hypothesis carries along, if it is there.
void pick(Tensor& t, const Tensor& rows);
void pick(Variable& v, const Tensor& rows);

double per_length(double log_probability, size_t words, const SearchOptions& o);
double score_of(const Hypothesis& h, const SearchOptions& o);

}  // namespace heed::nn::search_steps
