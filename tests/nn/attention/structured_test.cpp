// The structured self-attentive embedding and its penalty.
#include "nn/attention/structures/structured.h"

#include <cmath>

#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// Weights and vectors are those of the formula, and padding is never read.
TEST_CASE("structured: A = softmax(W_2 tanh(W_1 H^T)), M = A H, padding never read" *
          holds("words_that_are_not_there")) {
  auto m = make<nn::StructuredEmbedding>({.input = 3, .hidden = 5, .rows = 4}, 1);
  nn::convert(m, DType::f64);
  Variable h(random({2, 6, 3}, 3, DType::f64));
  std::vector<Tensor> shown;
  nn::Observe observe([&](const nn::AttentionSeen& seen) { shown.push_back(seen.weights); });
  nn::Attended seen = m(h);
  Variable hidden = tanh(matmul(m.hidden.weight, transpose(h, 1, 2)));  // [B, A, S]
  Variable a = softmax(matmul(m.attention.query, hidden), -1);
  CHECK(max_abs_difference(seen.weights.value(), a.value()) < 1e-14);
  CHECK(max_abs_difference(seen.context.value(), matmul(a, h).value()) < 1e-14);
  REQUIRE(shown.size() == 1);
  CHECK(bit_equal(shown[0], seen.weights.value()));
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1}, {2, 6});
  nn::Attended padded = m(h, words), cut = m(Variable(h.value().slice(0, 0, 1).slice(1, 0, 4).contiguous()));
  CHECK(bit_equal(padded.context.value().slice(0, 0, 1).contiguous(), cut.context.value()));
  CHECK(all_zero(padded.weights.value().slice(0, 0, 1).slice(2, 4, 6)));
}

// With one row it is attention pooling, which agrees with an example worked out by hand.
TEST_CASE("structured: one row is attention pooling" * holds("one_row_is_attention_pooling")) {
  auto m = make<nn::StructuredEmbedding>({.input = 3, .hidden = 5, .rows = 1}, 1);
  nn::convert(m, DType::f64);
  Tensor h = random({2, 6, 3}, 3, DType::f64), w1 = m.hidden.weight.value(), query = m.attention.query.value();
  Tensor pooled = m(Variable(h)).context.value();
  REQUIRE(pooled.shape() == Shape{2, 1, 3});
  for (int64_t b = 0; b < 2; ++b) {
    std::vector<double> p;
    double total = 0;
    for (int64_t s = 0; s < 6; ++s) {
      double e = 0;
      for (int64_t a = 0; a < 5; ++a) {
        double x = 0;
        for (int64_t d = 0; d < 3; ++d) x += w1.at({a, d}) * h.at({b, s, d});
        e += query.at({0, a}) * std::tanh(x);
      }
      p.push_back(std::exp(e));
      total += p.back();
    }
    for (int64_t d = 0; d < 3; ++d) {
      double read = 0;
      for (int64_t s = 0; s < 6; ++s) read += p[size_t(s)] / total * h.at({b, s, d});
      CHECK(pooled.at({b, 0, d}) == doctest::Approx(read).epsilon(1e-12));
    }
  }
}

// The penalty is 0 if each row reads one word of its own, and for nothing else.
TEST_CASE("structured: the penalty is 0 for distinct one-hots, and for nothing else" *
          holds("penalty_is_0_for_distinct_one_hots")) {
  auto penalty = [](const std::vector<double>& a) {
    return nn::redundancy(Variable(Tensor::from(a, {1, 2, 3}))).value().at({0});
  };
  CHECK(penalty({1, 0, 0, 0, 0, 1}) == 0);
  CHECK(penalty({1, 0, 0, 1, 0, 0}) == 2);                       // equal rows: off the diagonal
  CHECK(penalty({.5, .5, 0, 0, 0, 1}) == doctest::Approx(.25));  // one row spreads: on the diagonal
  CHECK(penalty({.5, .5, 0, 0, .5, .5}) == doctest::Approx(.25 + .25 + 2 * .0625));
  Variable many(random({3, 4, 5}, 1, DType::f64));
  CHECK(nn::redundancy(many).shape() == Shape{3});
}
