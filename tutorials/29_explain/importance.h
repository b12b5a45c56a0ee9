// How important is each word? Three answers, and how far two of them agree.
//
// clang-format off
//   attention        w_i
//   gradient         |x_i . dy/dx_i|, with the weights held constant, or with the gradient through
//                    the weights, too
//   leave-one-out    |y(all words) - y(without word i)|
//
//   agreement        Kendall's tau-b = (C - D) / sqrt((P - A) (P - B))
//                    P pairs of words; C in the same order by both, D in opposite order; A, B: ties
//                    of the first, of the second
// clang-format on
//
// Jain and Wallace (NAACL 2019), algorithm 1; they take the change of the probability and hold the weights constant.
// Here y is the logit: with two classes the gradients of both have the same order within a review. Kendall, Biometrika
// 33 (1945), for ties.
#pragma once

#include <cmath>

#include "tutorials/29_explain/classifier.h"

namespace explain {

using Ranking = std::vector<double>;  // one number per word, the larger the more important

inline double kendall_tau(const Ranking& a, const Ranking& b) {
  double same = 0, ties_a = 0, ties_b = 0, pairs = 0;
  auto sign = [](double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; };
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      int in_a = sign(a[i] - a[j]), in_b = sign(b[i] - b[j]);
      same += in_a * in_b;  // +1 in the same order, -1 in opposite order
      ties_a += in_a == 0;
      ties_b += in_b == 0;
      ++pairs;
    }
  double scale = std::sqrt((pairs - ties_a) * (pairs - ties_b));
  return scale > 0 ? same / scale : 0;
}

enum class Through { constant_weights, weights_too };

// Row b of t [B, T], without padding.
inline Ranking row(const Tensor& t, int64_t b, int64_t length) {
  Ranking out;
  for (int64_t i = 0; i < length; ++i) out.push_back(t.at({b, i}));
  return out;
}

// dy/dx [B, T, E] of each review. Reviews do not influence one another, so one backward pass serves the whole batch.
inline Tensor input_gradient(const Classifier& m, const Batch& batch, Through through) {
  Variable x(m.embedding(batch.ids).value().clone(), Variable::kRequiresGrad);
  Read read = m.read(x, batch.lengths);
  Variable y = through == Through::weights_too ? read.answer : m.answer_with(read.weights.detach(), read.h);
  return heed::grad({sum(y)}, {x})[0].value();
}

// All answers to "how important is word i?" for one review.
struct Importance {
  Ranking attention, gradient, whole_gradient, norm, left_out;
};

// The answers of m for review r without each of its words: [T].
inline Ranking answers_without(const Classifier& m, const data::Symbols& symbols, const Review& r) {
  std::vector<Review> shorter(r.words.size(), r);
  for (size_t i = 0; i < shorter.size(); ++i)
    shorter[i].words.erase(shorter[i].words.begin() + static_cast<std::ptrdiff_t>(i));
  heed::NoGrad guard;
  return m(batch_of(symbols, shorter)).answer.value().to_vector();
}

inline std::vector<Importance> importance(const Classifier& m, const data::Symbols& symbols,
                                          const std::vector<Review>& reviews) {
  Batch batch = batch_of(symbols, reviews);
  Tensor held = input_gradient(m, batch, Through::constant_weights);
  Tensor whole = input_gradient(m, batch, Through::weights_too);
  heed::NoGrad guard;
  Read read = m(batch);
  Tensor x = read.x.value();
  auto projected = [&](const Tensor& g) { return abs(sum(mul(x, g), heed::Dims{2}, false)); };  // [B, T]
  Tensor gradient = projected(held), whole_gradient = projected(whole);
  Tensor norm = heed::norm(Variable(whole), 2, {2}).value();
  std::vector<Importance> out;
  for (size_t i = 0; i < reviews.size(); ++i) {
    auto b = static_cast<int64_t>(i), length = std::ssize(reviews[i].words);
    Importance one{.attention = row(read.weights.value(), b, length),
                   .gradient = row(gradient, b, length),
                   .whole_gradient = row(whole_gradient, b, length),
                   .norm = row(norm, b, length),
                   .left_out = answers_without(m, symbols, reviews[i])};
    double y = read.answer.value().at({b});
    for (double& without : one.left_out) without = std::abs(y - without);
    out.push_back(one);
  }
  return out;
}

inline int64_t top(const Ranking& r) { return std::max_element(r.begin(), r.end()) - r.begin(); }

// The mean agreement over reviews.
inline double agreement(const std::vector<Ranking>& a, const std::vector<Ranking>& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += kendall_tau(a[i], b[i]);
  return total / static_cast<double>(a.size());
}
inline std::vector<Ranking> each(const std::vector<Importance>& all, Ranking Importance::*which) {
  std::vector<Ranking> out;
  for (const Importance& one : all) out.push_back(one.*which);
  return out;
}
// Control: random numbers in place of the weights.
inline std::vector<Ranking> random_like(const std::vector<Ranking>& all, uint64_t seed) {
  Generator rng(seed, 1ull << 41);
  std::vector<Ranking> out = all;
  for (Ranking& r : out)
    for (double& x : r) x = rng.uniform();
  return out;
}

// In how many of the reviews, in %, the deciding word is the most important one.
inline double percent_found(const std::vector<Ranking>& all, const std::vector<Review>& reviews) {
  double found = 0;
  for (size_t i = 0; i < all.size(); ++i) found += top(all[i]) == reviews[i].reason;
  return 100 * found / static_cast<double>(all.size());
}

}  // namespace explain
