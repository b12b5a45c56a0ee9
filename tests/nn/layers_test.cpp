// Linear, Embedding, Dropout: small promises, each of which someone broke once.
#include "nn/layers.h"

#include <cmath>

#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

TEST_CASE("Linear: any number of leading axes, and initial values within 1/sqrt(I)") {
  nn::Linear layer = make<nn::Linear>({.in = 16, .out = 3}, 1);
  Tensor x = random({2, 5, 16}, 2);
  Variable y = layer(x);
  CHECK(y.shape() == Shape{2, 5, 3});
  CHECK(bit_equal(layer(x.select(0, 1)).value(), y.value().select(0, 1).contiguous()));
  CHECK(layer(x.select(0, 1).select(0, 4)).shape() == Shape{3});
  for (const Tensor& w : {layer.weight.value(), layer.bias.value()}) {
    double largest = 0;
    for (double v : w.to_vector()) largest = std::max(largest, std::abs(v));
    CHECK(largest <= 0.25);
    CHECK(largest > 0.1);
  }
}

TEST_CASE("Embedding: the row of the padding is zero, is looked up, and never learns") {
  nn::Embedding table = make<nn::Embedding>({.vocabulary = 5, .width = 3, .padding = 2}, 1);
  CHECK(all_zero(table.weight.value().select(0, 2)));
  Variable y = table(Tensor::from(std::vector<int64_t>{2, 4, 2, 4}, {2, 2}));
  REQUIRE(y.shape() == Shape{2, 2, 3});
  CHECK(bit_equal(y.value().select(0, 1).select(0, 1).contiguous(), table.weight.value().select(0, 4).contiguous()));
  backward(sum(y));
  CHECK(all_zero(table.weight.grad().select(0, 2)));
  CHECK(table.weight.grad().select(0, 4).to_vector() == std::vector<double>{2, 2, 2});
  CHECK(message_of<IndexError>([&] { table(Tensor::from(std::vector<int64_t>{0, 5}, {2})); }) != "no error");
  CHECK(message_of<IndexError>([&] { table(Tensor::from(std::vector<int64_t>{-1}, {1})); }) != "no error");
  CHECK(message_of<DTypeError>([&] { table(Tensor::zeros({2})); }) != "no error");
}

TEST_CASE("Dropout: zero or 1/(1-p), in the right proportion, so that the expectation stays") {
  for (double p : {0.1, 0.5, 0.75}) {
    nn::Dropout dropout = make<nn::Dropout>({.p = p}, 1);
    Tensor y = dropout(Variable(Tensor::ones({400, 500}, DType::f64))).value();
    double total = 0;
    int64_t dropped = 0, odd = 0;
    for (double v : y.to_vector()) {
      total += v;
      dropped += v == 0;
      odd += v != 0 && v != 1 / (1 - p);
    }
    CHECK(odd == 0);
    // Five standard deviations of a mean of 200,000 coins.
    double deviation = std::sqrt(p * (1 - p) / 2e5);
    CHECK(std::abs(static_cast<double>(dropped) / 2e5 - p) < 5 * deviation);
    CHECK(std::abs(total / 2e5 - 1) < 5 * deviation / (1 - p));
  }
}

TEST_CASE("Dropout: does nothing while evaluating or with p = 0, drops everything with p = 1") {
  Variable x = leaf({3, 4}, 1);
  nn::Dropout dropout = make<nn::Dropout>({.p = 0.5}, 1);
  CHECK_FALSE(bit_equal(dropout(x).value(), x.value()));
  CHECK_FALSE(bit_equal(dropout(x).value(), dropout(x).value()));  // another mask each time
  nn::set_training(dropout, false);
  CHECK(dropout(x).same_as(x));
  CHECK(make<nn::Dropout>({.p = 0}, 1)(x).same_as(x));
  Variable y = make<nn::Dropout>({.p = 1}, 1)(x);
  CHECK(all_zero(y.value()));
  backward(sum(y));
  CHECK(all_zero(x.grad()));
}

TEST_CASE("Dropout: the gradient passes exactly where the value did") {
  nn::Dropout dropout = make<nn::Dropout>({.p = 0.5}, 1);
  Variable x = leaf(Tensor::ones({20, 30}));
  Variable y = dropout(x);
  backward(sum(y));
  CHECK(bit_equal(x.grad(), y.value()));
}

TEST_CASE("Dropout: with the generator put back, the mask comes again") {
  nn::Dropout dropout = make<nn::Dropout>({.p = 0.5}, 1);
  Variable x(Tensor::ones({50}));
  dropout(x);
  auto generators = nn::detail::collect(dropout).generators;
  REQUIRE(generators.size() == 1);
  CHECK(generators[0].first == "generator");
  Generator kept = *generators[0].second;
  Tensor a = dropout(x).value(), b = dropout(x).value();
  *generators[0].second = Generator(kept.seed(), kept.offset());
  CHECK(bit_equal(dropout(x).value(), a));
  CHECK(bit_equal(dropout(x).value(), b));
  CHECK_FALSE(bit_equal(a, b));
  nn::Dropout copy = nn::clone(dropout);
  CHECK(bit_equal(copy(x).value(), dropout(x).value()));
}
