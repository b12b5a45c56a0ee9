// What each score holds beyond the properties of all scores: the identities that tie one to another.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/concat.h"
#include "nn/attention/scores/cosine.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/general.h"
#include "nn/attention/scores/location.h"
#include "nn/attention/scores/reduced_rank.h"
#include "tensor/matmul.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::ScoreOptions;

Variable queries(int64_t width = kWidth) { return random({2, 3, width}, 1, kF64); }
Variable keys(int64_t width = kWidth) { return random({2, 5, width}, 2, kF64); }

// e of a score, its keys prepared.
Tensor scores(const nn::Score& score, const Variable& q, const Variable& k) {
  return score(q, score.prepare(k)).value();
}
Tensor dots(const Variable& q, const Variable& k) {
  return scores(built<nn::DotScore>({.query = q.size(2), .key = k.size(2)}), q, k);
}
bool close(const Tensor& a, const Tensor& b, double tol = 1e-12) { return relative_error(a, b) <= tol; }
double variance(const Tensor& x) {
  double m = 0, m2 = 0;
  for (double v : x.to_vector()) m += v, m2 += v * v;
  double n = static_cast<double>(x.count());
  return m2 / n - (m / n) * (m / n);
}

// Scores grow in proportion to the query, so longer vectors make sharper weights.
PROPERTY(linear_in_the_query) {
  CHECK(close(dots(queries() * 2.5, keys()), mul(dots(queries(), keys()), 2.5)));
  Tensor e = dots(queries(), keys());
  double by_hand = 0;
  for (int64_t w = 0; w < kWidth; ++w) by_hand += queries().value().at({1, 2, w}) * keys().value().at({1, 4, w});
  CHECK(e.at({1, 2, 4}) == doctest::Approx(by_hand));
}

// For random vectors of any width the scores have variance 1, whereas plain dot products grow with the width.
PROPERTY(variance_stays_one) {
  for (int64_t width : {16, 256}) {
    CAPTURE(width);
    Variable q(random({1, 300, width}, 1, kF64)), k(random({1, 300, width}, 2, kF64));
    ScoreOptions o{.query = width, .key = width};
    CHECK(variance(scores(built<nn::ScaledDotScore>(o), q, k)) == doctest::Approx(1).epsilon(0.05));
    CHECK(variance(dots(q, k)) == doctest::Approx(static_cast<double>(width)).epsilon(0.05));
  }
}

// For vectors of width one it is the dot product: the division by the root of the width is all that was added.
PROPERTY(width_one_is_dot) {
  nn::ScaledDotScore scaled = built<nn::ScaledDotScore>({.query = 1, .key = 1});
  CHECK(close(scores(scaled, queries(1), keys(1)), dots(queries(1), keys(1))));
}

// Making queries and keys longer multiplies all scores by one number, which acts as an inverse temperature.
PROPERTY(scaling_both_is_a_temperature) {
  nn::ScaledDotScore scaled = built<nn::ScaledDotScore>({.query = kWidth, .key = kWidth});
  double root = std::sqrt(3.0);
  CHECK(close(scores(scaled, queries() * root, keys() * root), mul(scores(scaled, queries(), keys()), 3)));
}

// With the identity as its matrix it is the dot product: the matrix is all that was added.
PROPERTY(identity_is_dot) {
  nn::GeneralScore general = built<nn::GeneralScore>({.query = kWidth, .key = kWidth});
  general.weight.set_value(Tensor::eye(kWidth, kF64));
  CHECK(close(scores(general, queries(), keys()), dots(queries(), keys())));
}

// The gradient of its matrix is the sum of outer products of queries and keys, weighed by the gradients of the scores.
PROPERTY(weight_gradient_is_a_sum_of_outer_products) {
  // dL/dW = sum_ts dL/de_ts q_t k_s^T, for widths that differ: a W that stands the wrong way round would not fit.
  nn::GeneralScore general = built<nn::GeneralScore>({.query = 3, .key = 4});
  Variable q = queries(3), k = keys(4);
  Tensor de = random({2, 3, 5}, 9, kF64);
  backward(sum(general(q, general.prepare(k)) * Variable(de)));
  Tensor wanted = Tensor::zeros({3, 4}, kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t s = 0; s < 5; ++s)
        for (int64_t i = 0; i < 3; ++i)
          for (int64_t j = 0; j < 4; ++j)
            wanted.set({i, j},
                       wanted.at({i, j}) + de.at({b, t, s}) * q.value().at({b, t, i}) * k.value().at({b, s, j}));
  CHECK(close(general.weight.grad(), wanted));
}

// Its matrix, cut into the columns of query and key, gives the additive score: concatenating first is the same.
PROPERTY(is_additive_with_one_matrix) {
  ScoreOptions o{.query = 3, .key = 4, .settings = {{"width", 5}}};
  nn::ConcatScore concat_score = built<nn::ConcatScore>(o);
  nn::AdditiveScore additive = built<nn::AdditiveScore>(o);
  additive.query.weight.set_value(concat_score.weight.value().slice(1, 0, 3).contiguous());
  additive.key.weight.set_value(concat_score.weight.value().slice(1, 3, 7).contiguous());
  additive.key.bias.set_value(Tensor::zeros({5}, kF64));
  additive.v.set_value(concat_score.v.value());
  CHECK(close(scores(concat_score, queries(3), keys(4)), scores(additive, queries(3), keys(4))));
}

// No score exceeds the sum of the absolute output weights, since a tanh comes before them.
PROPERTY(bounded_by_v) {
  // |e| <= sum |v|: a tanh stands between, not a relu (trap 2).
  nn::AdditiveScore additive = built<nn::AdditiveScore>({.query = kWidth, .key = kWidth, .settings = {{"width", 5}}});
  double bound = 0;
  for (double v : additive.v.value().to_vector()) bound += std::abs(v);
  double largest = 0;
  for (double e : scores(additive, queries() * 100, keys() * 100).to_vector()) largest = std::max(largest, std::abs(e));
  CHECK(largest <= bound * (1 + 1e-12));
  CHECK(largest > bound / 2);
}

// With output weights of zero all scores are equal, and all keys are read alike.
PROPERTY(zero_v_is_uniform) {
  nn::Attention attention = make<nn::Attention>(small_options(entry), 3);
  nn::convert(attention, kF64);
  static_cast<nn::AdditiveScore&>(*attention.score).v.set_value(Tensor::zeros({5}, kF64));
  Tensor w = attention(queries(), attention.remember(keys(), keys())).weights.value();
  CHECK(close(w, Tensor::full({2, 3, 5}, 0.2, kF64)));
}

// It is the general score whose matrix is a product of two narrow ones, and so of low rank.
PROPERTY(is_general_of_low_rank) {
  nn::ReducedRankScore reduced = built<nn::ReducedRankScore>({.query = 3, .key = 4, .settings = {{"width", 2}}});
  nn::GeneralScore general = built<nn::GeneralScore>({.query = 3, .key = 4});
  Tensor w = matmul(reduced.query.weight.value().transpose(0, 1), reduced.key.weight.value());  // [3, 4]
  general.weight.set_value(w);
  Tensor e = scores(reduced, queries(3), keys(4));
  CHECK(close(e, scores(general, queries(3), keys(4))));
  double largest = 0;  // rank 2: every minor of three rows and columns is 0
  for (int64_t leave = 0; leave < 4; ++leave) {
    std::vector<int64_t> c;
    for (int64_t j = 0; j < 4; ++j)
      if (j != leave) c.push_back(j);
    auto m = [&](int64_t i, size_t j) { return w.at({i, c[j]}); };
    double minor = m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
                   m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
                   m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
    largest = std::max(largest, std::abs(minor));
  }
  CHECK(largest < 1e-12);
}

// It is the score of a transformer's head before the division by the root of the width.
PROPERTY(is_one_head_times_root) {
  nn::ReducedRankScore reduced =
      built<nn::ReducedRankScore>({.query = kWidth, .key = kWidth, .settings = {{"width", 3}}});
  nn::ScaledDotScore head = built<nn::ScaledDotScore>({.query = 3, .key = 3});
  Tensor e = scores(head, reduced.query(queries()), reduced.key(keys()));
  CHECK(close(scores(reduced, queries(), keys()), mul(e, std::sqrt(3.0))));
}

// A longer key or query changes no score; one in the opposite direction does.
PROPERTY(length_of_a_key_does_not_count) {
  nn::CosineScore cosine = built<nn::CosineScore>({.query = kWidth, .key = kWidth});
  Tensor e = scores(cosine, queries(), keys());
  Tensor longer = keys().value().clone();
  for (int64_t w = 0; w < kWidth; ++w) longer.set({0, 3, w}, 50 * longer.at({0, 3, w}));
  CHECK(close(scores(cosine, queries(), longer), e, 1e-5));  // eps = 1e-6 is not scaled with them
  CHECK(close(scores(cosine, queries() * 7, keys()), e, 1e-5));
  CHECK_FALSE(close(scores(cosine, queries() * -1, keys()), e, 1e-5));
}

// No score exceeds the sharpness, and a query equal to a key reaches it.
PROPERTY(bounded_by_beta) {
  nn::CosineScore cosine = built<nn::CosineScore>({.query = kWidth, .key = kWidth, .settings = {{"sharpness", 3}}});
  CHECK(cosine.beta().item() == doctest::Approx(3));
  for (double e : scores(cosine, queries() * 100, keys() * 100).to_vector()) CHECK(std::abs(e) <= 3 * (1 + 1e-12));
  CHECK(scores(cosine, keys() * 10, keys()).at({0, 2, 2}) == doctest::Approx(3));  // a key asked for by itself
}

// With a sharpness near zero all keys are read alike, whatever they are.
PROPERTY(zero_beta_is_uniform) {
  nn::Attention attention = make<nn::Attention>(small_options(entry), 3);
  nn::convert(attention, kF64);
  static_cast<nn::CosineScore&>(*attention.score).raw_beta.set_value(Tensor::scalar(-40, kF64));
  Tensor w = attention(queries(), attention.remember(keys(), keys())).weights.value();
  CHECK(close(w, Tensor::full({2, 3, 5}, 0.2, kF64)));
}

// Other keys leave the weights unchanged, bit by bit: only the place in the source counts.
PROPERTY(keys_are_not_read) {
  Ask ask = small_ask(), other = ask;
  other.keys = leaf({2, 5, kWidth}, 99, kF64);
  CHECK(bit_equal(subject_of(entry)(ask).weights.value(), subject_of(entry)(other).weights.value()));
  CHECK(weights_depend_on_keys(subject_of(entry)) != "");
}

// A short source uses the first rows of the learned matrix, as if the scores of a longer one were cut off.
PROPERTY(short_source_uses_the_first_rows) {
  nn::LocationScore location =
      built<nn::LocationScore>({.query = kWidth, .key = kWidth, .settings = {{"max_source", 9}}});
  Tensor of_nine = scores(location, queries(), random({2, 9, kWidth}, 4, kF64));
  CHECK(close(scores(location, queries(), keys()), of_nine.slice(2, 0, 5)));
}

}  // namespace
}  // namespace heed::nn_test
