// Positions for longer texts and other shapes: skewed tables, scaled rotations, learned biases, grids.
#include <cmath>

#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/fire.h"
#include "nn/attention/positions/kerple.h"
#include "nn/attention/positions/rope_2d.h"
#include "nn/attention/positions/scaled_rope.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/positions/skew.h"
#include "nn/attention/registry.h"
#include "nn/pool.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

std::unique_ptr<nn::HeadPosition> built(const std::string& text, int64_t width) {
  nn::StageOptions o = nn::stage_from(nn::Kind::position, text);
  o.query = o.key = width, o.heads = 1;
  Generator rng(1);
  return nn::make_head_position(o, rng);
}

// The product of a query at place t and a key at place s.
double product(const nn::HeadPosition& position, const Tensor& q, const Tensor& k, int64_t t, int64_t s) {
  nn::Places places{.queries = 1, .keys = 1, .first_query = t, .first_key = s};
  return sum(position.turn_query(Variable(q), places) * position.turn_key(Variable(k), places)).item();
}

}  // namespace

// One product per query and distance, shifted into place, gives the score of every pair, so no vector per pair is
// stored.
TEST_CASE("skew: one product per query and distance gives the score of every pair" * holds("skew_is_the_gather")) {
  auto skew = drawn<nn::SkewPositions>({.name = "skew", .key = 3, .settings = {{"max_distance", 4}}, .heads = 2});
  for (int64_t L = 1; L <= 8; ++L)
    for (const auto& sizes : {std::tuple<int64_t, int64_t, int64_t>{L, L, 0}, {1, L, L - 1}, {2, L + 2, L}}) {
      const int64_t T = std::get<0>(sizes), S = std::get<1>(sizes), first = std::get<2>(sizes);
      CAPTURE(L);
      CAPTURE(T);
      Tensor q = random({2, 2, T, 3}, 7, kF64);
      nn::Places places{.queries = T, .keys = S, .first_query = first}, each = places;
      Tensor seen = skew.bias(Variable(q), places, 0.5).value();
      std::vector<int64_t> of_queries, of_keys;
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t t = 0; t < T; ++t) of_queries.push_back(first + t + 10 * b);
        for (int64_t s = 0; s < S; ++s) of_keys.push_back(s + 10 * b);
      }
      each.query_at = Tensor::from(of_queries, {2, T}), each.key_at = Tensor::from(of_keys, {2, S});
      CHECK(max_abs_difference(skew.bias(Variable(q), each, 0.5).value(), seen) < 1e-12);
      for (int64_t h = 0; h < 2; ++h)
        for (int64_t t = 0; t < T; ++t)
          for (int64_t s = 0; s < S; ++s) {
            double wanted = 0;
            int64_t row = std::clamp<int64_t>(s - t - first, -4, 4) + 4;
            for (int64_t k = 0; k < 3; ++k) wanted += 0.5 * q.at({1, h, t, k}) * skew.table.value().at({h, row, k});
            CHECK(seen.at({1, h, t, s}) == doctest::Approx(wanted).epsilon(1e-12));
          }
    }
}

// With one table for all heads it is the relative keys of Shaw et al.
TEST_CASE("skew: with one table for all heads it is Shaw's keys" * holds("one_table_for_all_heads_is_shaw")) {
  nn::HeadPositionOptions o{.name = "skew", .key = 4, .settings = {{"max_distance", 2}}, .heads = 2};
  auto skew = drawn<nn::SkewPositions>(o);
  o.name = "shaw_keys";
  auto shaw = drawn<nn::ShawPositions>(o);
  skew.table.set_value(shaw.keys.value().unsqueeze(0).expand({2, 5, 4}).contiguous());
  Variable q(random({3, 2, 5, 4}, 6, kF64));
  nn::Places places{.queries = 5, .keys = 7, .first_query = 2};
  CHECK(max_abs_difference(skew.bias(q, places, 0.5).value(), shaw.bias(q, places, 0.5).value()) < 1e-12);
}

// With a scale of 1, or without decay, it is RoPE.
TEST_CASE("scaled rope: with a scale of 1, or without decay, it is rope" * holds("scale_one_is_rope")) {
  Variable x(random({2, 5, 3, 8}, 4, kF64));
  Tensor at = Tensor::from(std::vector<int64_t>{0, 5, 9, 40, 41, 3, 4, 5, 6, 7}, {2, 5});
  auto rope = built("rope", 8);
  for (const char* name : {"rope_linear:1", "rope_ntk:1", "rope_yarn:1", "xpos:10000,decay=1e15"}) {
    CAPTURE(name);
    auto scaled = built(name, 8);
    for (const nn::Places& places : {nn::Places{.queries = 5, .keys = 5, .first_query = 70, .first_key = 70},
                                     nn::Places{.queries = 5, .keys = 5, .query_at = at, .key_at = at}}) {
      CHECK(max_abs_difference(scaled->turn_query(x, places).value(), rope->turn_query(x, places).value()) < 1e-12);
      CHECK(max_abs_difference(scaled->turn_key(x, places).value(), rope->turn_key(x, places).value()) < 1e-12);
    }
  }
  for (const char* name : {"rope_linear", "rope_ntk", "rope_yarn:4,trained=100", "xpos"}) {
    nn::Places places{.queries = 5, .first_query = 70};
    CHECK(max_abs_difference(built(name, 8)->turn_query(x, places).value(), rope->turn_query(x, places).value()) >
          1e-2);
  }
}

// A pair of entries gives what it gives in RoPE, times a power of the decay that grows with the distance.
TEST_CASE("xpos: a pair of entries gives z^((t - s) / C) times what it gives in rope" *
          holds("products_decay_with_the_distance")) {
  auto xpos = built("xpos:10000,decay=16", 6), rope = built("rope", 6);
  for (int64_t pair = 0; pair < 3; ++pair) {
    Tensor q = Tensor::zeros({1, 1, 1, 6}, kF64), k = Tensor::zeros({1, 1, 1, 6}, kF64);
    for (int64_t half : {0, 3}) {
      q.set({0, 0, 0, pair + half}, 0.7 + static_cast<double>(half));
      k.set({0, 0, 0, pair + half}, 1.3 - static_cast<double>(half));
    }
    double z = (static_cast<double>(pair) / 3 + 0.4) / 1.4;
    for (auto [t, s] : {std::pair<int64_t, int64_t>{9, 0}, {9, 9}, {30, 14}, {3, 7}})
      CHECK(product(*xpos, q, k, t, s) ==
            doctest::Approx(std::pow(z, static_cast<double>(t - s) / 16) * product(*rope, q, k, t, s)).epsilon(1e-10));
  }
  Tensor q = random({1, 1, 1, 6}, 1, kF64), k = random({1, 1, 1, 6}, 2, kF64);  // so only the distance counts
  CHECK(product(*xpos, q, k, 12, 5) == doctest::Approx(product(*xpos, q, k, 47, 40)).epsilon(1e-9));
}

// Under linear interpolation by 4, place 4p is rotated as RoPE rotates place p; under NTK-aware scaling only the
// slowest pair is.
TEST_CASE("scaled rope: place 4 p is rotated as rope rotates place p, or only the slowest pair is" *
          holds("interpolated_places_are_old_places")) {
  Variable x(random({1, 1, 2, 8}, 4, kF64));
  auto turned = [&](const char* name, int64_t place) {
    return built(name, 8)->turn_query(x, {.queries = 1, .first_query = place}).value();
  };
  for (int64_t p : {0, 1, 7, 100}) CHECK(max_abs_difference(turned("rope_linear:4", 4 * p), turned("rope", p)) < 1e-12);
  // The fastest pair as in rope, the slowest interpolated; halves: pair i is (x_i, x_(i + 4)).
  Tensor ntk = turned("rope_ntk:4", 12), here = turned("rope", 12), there = turned("rope", 3);
  for (int64_t entry : {0, 4}) {
    CHECK(ntk.at({0, 0, 1, entry}) == doctest::Approx(here.at({0, 0, 1, entry})).epsilon(1e-12));
    CHECK(ntk.at({0, 0, 1, entry + 3}) == doctest::Approx(there.at({0, 0, 1, entry + 3})).epsilon(1e-12));
  }
}

// The angles of each scheme agree with its formula, pair by pair.
TEST_CASE("scaled rope: the angles of each scheme, pair by pair" * holds("golden_scaled_angles")) {
  nn::ScaledRope::Settings settings{.factor = 4, .base = 10000, .trained = 2048};
  auto close = [](const std::vector<double>& seen, const std::vector<double>& wanted) {
    REQUIRE(seen.size() == wanted.size());
    for (size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
  };
  close(nn::scaled_thetas("rope_linear", 8, settings), {.25, .025, .0025, .00025});
  close(nn::scaled_thetas("rope_ntk", 8, settings), {1, .0629961, .00396850, .00025});  // 10^-i 4^(-i/3)
  // Rotations in 2048 words: 325.9, 32.59, 3.259, 0.3259; kept: 1, 1, (3.2595 - 1) / 31 = 0.0728871, 0.
  close(nn::scaled_thetas("rope_yarn", 8, settings), {1, .1, .0025 + .0075 * .0728871, .00025});
  close(nn::scaled_thetas("rope_ntk", 2, settings), {1});
  // YaRN's temperature: products are (1 + 0.1 ln 4)^2 times as large.
  Tensor q = random({1, 1, 1, 8}, 1, kF64);
  double plain = sum(square(Variable(q))).item(), t = 1 + 0.1 * std::log(4.0);
  CHECK(product(*built("rope_yarn:4", 8), q, q, 5, 5) == doctest::Approx(plain * t * t).epsilon(1e-10));
}

// Both kernels have the values of their formulas, and ALiBi is the power of 1.
TEST_CASE("kerple: the logarithm and the power, and ALiBi as its power of 1" * holds("kernel_values")) {
  nn::Places places{.queries = 3, .keys = 6, .first_query = 2};
  Variable q(random({1, 2, 3, 4}, 1, kF64));
  for (const char* name : {"kerple", "kerple_power"}) {
    auto m = drawn<nn::KerpleBias>({.name = name, .heads = 2});
    Tensor seen = m.bias(q, places, 1).value();
    REQUIRE(seen.shape() == Shape{1, 2, 3, 6});
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < 3; ++t)
        for (int64_t s = 0; s < 6; ++s) {
          double d = std::abs(static_cast<double>(s - t - 2)), a = std::exp(m.r1.value().at({h})),
                 b = m.r2.value().at({h});
          double wanted = std::string(name) == "kerple" ? -a * std::log(1 + std::exp(b) * d)
                          : d == 0                      ? 0
                                                        : -a * std::pow(d, 2 / (1 + std::exp(-b)));
          CHECK(seen.at({0, h, t, s}) == doctest::Approx(wanted).epsilon(1e-12));
        }
  }
  auto power = drawn<nn::KerpleBias>({.name = "kerple_power", .heads = 2});
  power.r1.set_value(Tensor::from(std::vector<double>{std::log(1 / 16.0), std::log(1 / 256.0)}, {2}));
  power.r2.set_value(Tensor::zeros({2}, kF64));
  auto alibi = make<nn::AlibiBias>({.heads = 2}, 1);
  CHECK(max_abs_difference(power.bias(q, places, 1).value(), alibi(places, kF64).value()) < 1e-12);
}

TEST_CASE("kerple, fire: small rates have their digits in f32") {
  nn::Places places{.queries = 4, .keys = 4, .first_query = 20};  // no distance of 0, whose bias is 0
  auto agree = [&](auto wide, auto narrow) {
    nn::convert(narrow, DType::f32);
    Tensor right = wide.bias(Variable(random({1, 2, 4, 4}, 1, kF64)), places, 1).value();
    Tensor seen = narrow.bias(Variable(random({1, 2, 4, 4}, 1)), places, 1).value().to(kF64);
    CHECK(max_abs_difference(div(seen, right), Tensor::ones(right.shape(), kF64)) < 1e-5);
  };
  auto kerple = [] {
    auto m = drawn<nn::KerpleBias>({.name = "kerple", .heads = 2});
    m.r2.set_value(Tensor::full({2}, -20, kF64));
    return m;
  };
  auto fire = [] {
    auto m = drawn<nn::FireBias>({.name = "fire", .settings = {{"threshold", 5}, {"hidden", 3}}, .heads = 2});
    m.c.set_value(Tensor::full({1}, -20, kF64));
    return m;
  };
  agree(kerple(), kerple());
  agree(fire(), fire());
}

// The bias is a network of the distance as a share of the text.
TEST_CASE("fire: a network of the share that the distance has of the text" * holds("network_of_a_share")) {
  auto m = drawn<nn::FireBias>({.name = "fire", .settings = {{"threshold", 5}, {"hidden", 3}}, .heads = 2});
  double c = std::exp(m.c.value().item()), L = 5 * std::exp(m.threshold.value().item());
  Variable q(random({2, 2, 4, 4}, 1, kF64));
  Tensor at = Tensor::from(std::vector<int64_t>{3, 4, 5, 60, 0, 1, 2, 3}, {2, 4});
  for (bool given : {false, true}) {
    nn::Places places{.queries = 4, .keys = 4, .first_query = 20, .first_key = 19};
    if (given) places.query_at = places.key_at = at;
    Tensor seen = m.bias(q, places, 1).value();
    REQUIRE(seen.shape() == Shape{given ? 2 : 1, 2, 4, 4});
    for (int64_t b = 0; b < seen.size(0); ++b)
      for (int64_t t = 0; t < 4; ++t)
        for (int64_t s = 0; s < 4; ++s) {
          double i = given ? at.at({b, t}) : static_cast<double>(20 + t);
          double d = std::abs((given ? at.at({b, s}) : static_cast<double>(19 + s)) - i);
          double share = std::log(1 + c * d) / std::log(1 + c * std::max(L, i));
          for (int64_t h = 0; h < 2; ++h) {
            double wanted = 0;
            for (int64_t n = 0; n < 3; ++n)
              wanted += m.weight_out.value().at({h, n}) *
                        std::max(0.0, m.weight_in.value().at({n, 0}) * share + m.bias_in.value().at({n}));
            CHECK(seen.at({b, h, t, s}) == doctest::Approx(wanted).epsilon(1e-12));
          }
        }
  }
  // The first word, seen from far away, is the whole way in any text that is longer than L.
  auto first = [&](int64_t place) { return m.bias(q, {.queries = 1, .keys = 1, .first_query = place}, 1).value(); };
  CHECK(max_abs_difference(first(5000), first(80)) < 1e-12);
}

// Products depend on the rows and columns between two cells, not on where the cells are.
TEST_CASE("rope_2d: products depend on the rows and the columns between two cells, and not on where they are" *
          holds("rows_and_columns_apart_alone_count")) {
  for (int64_t width : {8, 6}) {
    auto grid = built("rope_2d:5", width), line = built("rope_2d:1000", width);
    Tensor q = random({1, 1, 1, width}, 1, kF64), k = random({1, 1, 1, width}, 2, kF64);
    double here = product(*grid, q, k, 6, 13);  // (1, 1) and (2, 3)
    CHECK(product(*grid, q, k, 11, 18) == doctest::Approx(here).epsilon(1e-10));
    CHECK(product(*grid, q, k, 17, 24) == doctest::Approx(here).epsilon(1e-10));
    CHECK(std::abs(product(*grid, q, k, 8, 15) - here) > 1e-3);  // as far apart in a line: (1, 3) and (3, 0)
    CHECK(std::abs(product(*grid, q, k, 13, 6) - here) > 1e-3);  // the direction counts
    CHECK(product(*line, q, k, 8, 15) == doctest::Approx(product(*line, q, k, 6, 13)).epsilon(1e-10));
    Tensor at = Tensor::from(std::vector<int64_t>{13}, {1, 1});
    Variable x(k);
    CHECK(bit_equal(grid->turn_key(x, {.keys = 1, .key_at = at}).value(),
                    grid->turn_key(x, {.keys = 1, .first_key = 13}).value()));
  }
}

// The weights are the published ones, and the order of the words changes the vector.
TEST_CASE("pool: the position encoding of memory networks, its numbers and its order" *
          holds("order_of_words_counts")) {
  // l of three words and two entries, written out from l_jk = (1 - j/3) - (k/2)(1 - 2j/3).
  const std::vector<double> l{2 / 3.0 - 1 / 6.0, 2 / 3.0 - 1 / 3.0, 1 / 3.0 + 1 / 6.0, 1 / 3.0 + 1 / 3.0, 0.5, 1};
  Tensor x = random({1, 3, 2}, 5, kF64);
  Tensor y = nn::pool("position_encoding", Variable(x)).value();
  for (int64_t k = 0; k < 2; ++k) {
    double wanted = 0;
    for (int64_t j = 0; j < 3; ++j) wanted += l[static_cast<size_t>(2 * j + k)] * x.at({0, j, k});
    CHECK(y.at({0, k}) == doctest::Approx(wanted).epsilon(1e-12));
  }
  Tensor swapped = x.clone();
  for (int64_t k = 0; k < 2; ++k) {
    swapped.set({0, 0, k}, x.at({0, 2, k}));
    swapped.set({0, 2, k}, x.at({0, 0, k}));
  }
  CHECK(max_abs_difference(nn::pool("position_encoding", Variable(swapped)).value(), y) > 1e-2);
  CHECK(max_abs_difference(nn::pool("sum", Variable(swapped)).value(), nn::pool("sum", Variable(x)).value()) < 1e-12);
}
