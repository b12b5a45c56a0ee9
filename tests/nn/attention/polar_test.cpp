// Positions by polar coordinates, and biases that are a network of the distance.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nn/attention/positions/dynamic_bias.h"
#include "nn/attention/positions/polar.h"
#include "nn/attention/registry.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// The score is a sum over the entries: two lengths times the cosine of the distance at the entry's frequency plus a
// learned angle.
TEST_CASE("polar: the cosine of the distance times two lengths, whatever the place" *
          holds("lengths_and_directions_are_apart")) {
  constexpr int64_t K = 3, H = 2;
  auto polar = drawn<nn::PolarPosition>({.name = "polar", .key = K, .settings = {{"base", 50}}, .heads = H});
  polar.delta.set_value(mul(polar.delta.value(), 3));                           // some of them beyond a turn
  Tensor q = random({1, 1, H, K}, 5, kF64), k = random({1, 1, 1, K}, 6, kF64);  // one head of keys for two of queries
  auto length = [](double x) { return std::log1p(std::exp(x)); };
  for (auto [t, s] : {std::pair<int64_t, int64_t>{0, 0}, {4, 1}, {104, 101}, {2, 9}}) {
    nn::Places places{.queries = 1, .keys = 1, .first_query = t, .first_key = s};
    Tensor turned_q = polar.turn_query(Variable(q), places).value(),
           turned_k = polar.turn_key(Variable(k), places).value();
    CHECK(turned_q.shape() == Shape{1, 1, H, 2 * K});
    for (int64_t h = 0; h < H; ++h) {
      double expected = 0, seen = 0;
      for (int64_t c = 0; c < K; ++c)
        expected += length(q.at({0, 0, h, c})) * length(k.at({0, 0, 0, c})) *
                    std::cos(static_cast<double>(s - t) * std::pow(50, -static_cast<double>(c) / K) +
                             std::clamp(polar.delta.value().at({h, c}), -2 * std::numbers::pi, 0.));
      for (int64_t c = 0; c < 2 * K; ++c) seen += turned_q.at({0, 0, h, c}) * turned_k.at({0, 0, 0, c});
      CHECK(seen == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

// The bias is a network of the distance and its direction, the same at any place.
TEST_CASE("dynamic_bias: a network of the distance and its direction, at any place" *
          holds("a_network_of_the_distance")) {
  auto m = drawn<nn::DynamicBias>({.name = "dynamic_bias", .settings = {{"hidden", 3}}, .heads = 2});
  Variable q(Tensor::zeros({1, 2, 3, 2}, kF64));
  nn::Places places{.queries = 3, .keys = 4, .first_query = 1},
      far{.queries = 3, .keys = 4, .first_query = 801, .first_key = 800};
  Tensor seen = m.bias(q, places, 1).value();
  CHECK(seen.shape() == Shape{1, 2, 3, 4});
  CHECK(same_bits({seen}, {m.bias(q, far, 1).value()}));
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 4; ++s) {
      double d = static_cast<double>(s - t - 1), way = d < 0 ? -std::log(1 - d) : std::log(1 + d);
      Tensor x = Tensor::full({1, 1}, way, kF64);
      Tensor each = m.linear3(relu(m.linear2(relu(m.linear1(Variable(x)))))).value();
      for (int64_t h = 0; h < 2; ++h) CHECK(seen.at({0, h, t, s}) == doctest::Approx(each.at({0, h})).epsilon(1e-12));
    }
  // Places one by one, and a sentence without words.
  nn::Places each{.queries = 3, .keys = 4};
  each.query_at = Tensor::from(std::vector<int64_t>{1, 2, 3, 5, 6, 7}, {2, 3});
  each.key_at = Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}, {2, 4});
  Tensor both = m.bias(q, each, 1).value();
  for (int64_t b : {0, 1}) CHECK(max_abs_difference(both.slice(0, b, b + 1).contiguous(), seen) < 1e-15);
  CHECK(m.bias(Variable(Tensor::zeros({1, 2, 0, 2}, kF64)), {.queries = 0, .keys = 4}, 1).shape() == Shape{1, 2, 0, 4});
}
