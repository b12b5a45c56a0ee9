// Similarity of two words: the cosine of the angle between their vectors. And the nearest words of a word.
//
//   cos(a, b) = a . b / (|a| |b|)         1: same direction, 0: right angle, -1: opposite
#pragma once

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "autograd/ops.h"
#include "nn/text/word_vectors.h"
#include "tensor/indexing.h"
#include "tutorials/07_embeddings/text.h"

namespace heed {

class Space {
 public:
  explicit Space(const text::WordVectors& table) : words(table.words) {
    Variable x(table.vectors.to(DType::f64));
    Variable length = norm(x, 2, {1}, /*keep=*/true);  // [V, 1]
    unit_ = (x / maximum(length, Variable(Tensor::full({1, 1}, 1e-30, DType::f64)))).value().contiguous();
    for (size_t i = 0; i < words.size(); ++i) index_[words[i]] = static_cast<int64_t>(i);
  }
  double cosine(const std::string& a, const std::string& b) const { return cosine(at(a), at(b)); }
  double cosine(int64_t a, int64_t b) const {
    int64_t D = unit_.size(1);
    const double *x = unit_.data<double>() + a * D, *y = unit_.data<double>() + b * D;
    return std::inner_product(x, x + D, y, 0.0);
  }
  bool has(const std::string& word) const { return index_.count(word) != 0; }
  int64_t at(const std::string& word) const { return index_.at(word); }
  Tensor unit_vectors(const std::vector<std::string>& some) const {  // [.., D] f64
    std::vector<int64_t> rows;
    for (const std::string& word : some) rows.push_back(at(word));
    return index_select(unit_, Tensor::from(rows, {std::ssize(rows)}));
  }
  // The `count` words nearest to this one, without the word itself.
  std::vector<int64_t> nearest(int64_t word, int64_t count) const {
    std::vector<int64_t> others;
    std::vector<double> near(words.size());
    for (int64_t i = 0; i < std::ssize(words); ++i)
      if (near[static_cast<size_t>(i)] = cosine(word, i); i != word) others.push_back(i);
    count = std::min(count, std::ssize(others));
    std::partial_sort(others.begin(), others.begin() + count, others.end(), [&](int64_t a, int64_t b) {
      return near[static_cast<size_t>(a)] > near[static_cast<size_t>(b)];
    });
    others.resize(static_cast<size_t>(count));
    return others;
  }
  std::vector<std::string> words;

 private:
  Tensor unit_;  // [V, D] f64, rows of length 1
  std::unordered_map<std::string, int64_t> index_;
};

// Of the `count` nearest words of each word that has a class: the share with the same class, in %.
inline double same_class(const Space& space, const WordClasses& classes, int64_t count) {
  double same = 0, all = 0;
  for (int64_t w = 0; w < std::ssize(space.words); ++w) {
    const std::string& word = space.words[static_cast<size_t>(w)];
    if (classes.of(word).empty()) continue;
    for (int64_t other : space.nearest(w, count))
      same += classes.share(word, space.words[static_cast<size_t>(other)]), ++all;
  }
  return all > 0 ? 100 * same / all : 0;
}

// The mean cosine over all pairs of different words.
inline double mean_cosine(const Space& space) {
  double total = 0, V = static_cast<double>(space.words.size());
  for (int64_t a = 0; a < std::ssize(space.words); ++a)
    for (int64_t b = 0; b < a; ++b) total += space.cosine(a, b);
  return total / (V * (V - 1) / 2);
}

}  // namespace heed
