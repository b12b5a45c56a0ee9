// Poolings: padding changes nothing, and what they share and where they differ.
#include "nn/pooling/pooling.h"

#include <cmath>

#include "nn/attention/structures/structured.h"
#include "nn/observe.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

const std::vector<std::string> kNames{"cls", "lasttoken",        "max", "mean", "mean_sqrt_len_tokens", "weightedmean",
                                      "sum", "position_encoding"};

// Three words at columns 1, 2, 4 of five; the others are padding, before, between and behind.
Tensor scattered() { return Tensor::from_bools({0, 1, 1, 0, 1}, {1, 5}); }

Tensor words_of(const Tensor& x, const std::vector<int64_t>& at) {
  return index_select(x, 1, Tensor::from(at, {static_cast<int64_t>(at.size())}));
}

}  // namespace

TEST_CASE("pool: what each name means, on three words" * holds("means_of_three_words")) {
  Variable x(Tensor::from(std::vector<double>{1, -4, 2, 5, 6, -1}, {1, 3, 2}));
  auto is = [&](const char* name, double a, double b) {
    std::vector<double> y = nn::pool(name, x).value().to_vector();
    CAPTURE(name);
    CHECK(y[0] == doctest::Approx(a).epsilon(1e-12));
    CHECK(y[1] == doctest::Approx(b).epsilon(1e-12));
  };
  is("cls", 1, -4);
  is("lasttoken", 6, -1);
  is("max", 6, 5);
  is("sum", 9, 0);
  is("mean", 3, 0);
  is("mean_sqrt_len_tokens", 9 / std::sqrt(3.0), 0);
  is("weightedmean", (1 + 2 * 2 + 3 * 6) / 6.0, (-4 + 2 * 5 - 3) / 6.0);
}

// The maximum is at least the mean; one word is itself, except for position_encoding, and no words give zeros.
TEST_CASE("pool: one word is itself by every name; the maximum is at least the mean; no words give 0" *
          holds("at_least_the_mean")) {
  Variable one(random({2, 1, 4}, 3, DType::f64)), many = leaf({3, 6, 4}, 4, DType::f64);
  for (const std::string& name : kNames) {
    CAPTURE(name);
    if (name != "position_encoding")  // entry k of the only word has the weight k / D there
      CHECK(bit_equal(nn::pool(name, one).value(), one.value().select(1, 0).contiguous()));
    Tensor words = Tensor::from_bools({1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, {3, 6});
    many.zero_grad();
    Variable y = nn::pool(name, many, words);
    CHECK(all_zero(y.value().select(0, 1)));
    backward(weighted_sum(y));
    CHECK(all_finite(many.grad()));
    CHECK(all_zero(many.grad().select(0, 1)));
    CHECK_FALSE(all_zero(many.grad().select(0, 0)));
  }
  std::vector<double> largest = nn::pool("max", many).value().to_vector(),
                      middle = nn::pool("mean", many).value().to_vector();
  for (size_t i = 0; i < largest.size(); ++i) CHECK(largest[i] >= middle[i]);
}

// With a learned query of zero the vector is the mean of the words, and without words it is zero.
TEST_CASE("attention pooling: with the question 0 it is the mean; a sentence without words gives 0" *
          holds("zero_query_is_the_mean")) {
  auto m = make<nn::AttentionPooling>({.score = {.name = "dot", .query = 4, .key = 4}}, 1);
  Variable x(random({2, 5, 4}, 3));
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 5});
  CHECK(max_abs_difference(m(x, x, words).context.value().select(1, 0), nn::pool("mean", x, words).value()) > 1e-3);
  m.query.set_value(Tensor::zeros({1, 4}));
  CHECK(max_abs_difference(m(x, x, words).context.value().select(1, 0), nn::pool("mean", x, words).value()) < 1e-6);
  Tensor none = Tensor::from_bools({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 5});
  Variable y = m(x, x, none).context;
  CHECK(all_zero(y.value().select(0, 0)));
  backward(weighted_sum(y));
  CHECK(all_finite(m.query.grad()));
}

TEST_CASE("attention pooling: the order of the words does not matter, the question does") {
  auto m = make<nn::AttentionPooling>({.score = {.name = "additive", .query = 3, .key = 4}}, 1);
  nn::convert(m, DType::f64);
  Tensor x = random({2, 5, 4}, 3, DType::f64), moved = words_of(x, {3, 0, 4, 2, 1});
  Tensor before = m(Variable(x), Variable(x)).context.value();
  CHECK(max_abs_difference(m(Variable(moved), Variable(moved)).context.value(), before) < 1e-12);
  Variable question(random({2, 1, 3}, 4, DType::f64));
  Tensor asked = m.ask(question, Variable(x), Variable(x)).context.value();
  CHECK(max_abs_difference(asked, before) > 1e-4);
  auto given = make<nn::AttentionPooling>({.score = {.name = "dot", .query = 4, .key = 4}, .learned = false}, 1);
  CHECK(nn::count_parameters(given) == 0);
}

// Several poolings are put side by side in the order of their names, attention among them.
TEST_CASE("Pooling: by name, several side by side, and attention among them" * holds("parts_stand_side_by_side")) {
  auto m = make<nn::Pooling>({.modes = {"mean", "attention", "max"}, .width = 4}, 1);
  CHECK(m.width() == 12);
  Variable x(random({2, 5, 4}, 3));
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {2, 5});
  int seen = 0;
  nn::Observe observe([&](const nn::AttentionSeen&) { ++seen; });
  Tensor y = m(x, words).value();
  CHECK(seen == 1);
  REQUIRE(y.shape() == Shape{2, 12});
  CHECK(bit_equal(y.slice(1, 0, 4).contiguous(), nn::pool("mean", x, words).value()));
  CHECK(bit_equal(y.slice(1, 4, 8).contiguous(), (*m.parts[1])(x, words).value()));
  CHECK(bit_equal(y.slice(1, 8, 12).contiguous(), nn::pool("max", x, words).value()));
  Variable one(random({2, 1, 4}, 5));
  for (const std::string& name : kNames) {
    auto by_name = make<nn::Pooling>({.modes = {name}, .width = 4}, 1);
    CHECK(bit_equal(by_name(one).value(), nn::pool(name, one).value()));
  }
  auto attention = make<nn::Pooling>({.modes = {"attention"}, .width = 4}, 1);
  CHECK(bit_equal(attention(one).value(), one.value().view({2, 4})));
}

// The order of the words changes nothing, padding is not read, and each seed has a row of its own.
TEST_CASE("pooling by multi-head attention: a set has no order, padding is not in it, each seed has its row" *
          holds("a_set_has_no_order")) {
  auto m = make<nn::MultiHeadPooling>({.model = 6, .heads = 2, .seeds = 3}, 1);
  nn::convert(m, DType::f64);
  Tensor x = random({1, 5, 6}, 3, DType::f64);
  nn::Attended seen = m(Variable(x));
  REQUIRE(seen.context.shape() == Shape{1, 3, 6});
  REQUIRE(seen.weights.shape() == Shape{1, 2, 3, 5});
  CHECK(max_abs_difference(m(Variable(words_of(x, {3, 0, 4, 2, 1}))).context.value(), seen.context.value()) < 1e-12);
  CHECK(max_abs_difference(seen.context.value().select(1, 0), seen.context.value().select(1, 2)) > 1e-3);
  CHECK(bit_equal(m(Variable(x), scattered()).context.value(), m(Variable(words_of(x, {1, 2, 4}))).context.value()));
  // By the formula.
  Variable z = m.before_out(relu(m.before_in(Variable(x)))), seeds = unsqueeze(m.seeds, 0);
  Variable h = m.first_norm(seeds + m.attention(seeds, z, z).output);
  Variable y = m.second_norm(h + m.after_out(relu(m.after_in(h))));
  CHECK(max_abs_difference(y.value(), seen.context.value()) < 1e-14);
}
