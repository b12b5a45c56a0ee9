// Sinusoidal and learned absolute positions.
#include <cmath>

#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/sinusoidal.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Tensor table(int64_t count, int64_t width, int64_t first = 0) {
  return nn::sinusoidal_positions(count, {.width = width}, first, DType::f64);
}

}  // namespace

// The rows agree with numbers worked out by hand, sine and cosine in turn.
TEST_CASE("sinusoidal: the numbers of D = 4, and sine and cosine in turn" * holds("golden_rows")) {
  Tensor p = table(2, 4);
  CHECK(p.select(0, 0).to_vector() == std::vector<double>{0, 1, 0, 1});
  const double wanted[] = {.841471, .540302, .01, .99995};
  for (int64_t c = 0; c < 4; ++c) CHECK(p.at({1, c}) == doctest::Approx(wanted[c]).epsilon(1e-5));
}

// The product of two positions depends on their distance alone, and all positions have the same length.
TEST_CASE("sinusoidal: P(p) . P(p + k) depends on k alone, and the length of P(p) on nothing" *
          holds("products_depend_on_the_distance")) {
  Tensor p = table(40, 8), products = matmul(p, p.transpose(0, 1));
  for (int64_t i = 0; i < 38; ++i) {
    CHECK(products.at({i, i}) == doctest::Approx(4).epsilon(1e-12));
    CHECK(products.at({i, i + 2}) == doctest::Approx(2.563718).epsilon(1e-6));
  }
}

// Moving by some places rotates a position by angles that do not depend on where it was.
TEST_CASE("sinusoidal: P(p + k) is P(p) turned, by angles that do not depend on p" * holds("a_shift_is_a_rotation")) {
  int64_t D = 6, k = 3;
  Tensor p = table(20, D);
  for (int64_t at = 0; at + k < 20; ++at)
    for (int64_t i = 0; i < D; i += 2) {
      double angle = static_cast<double>(k) / std::pow(10000.0, static_cast<double>(i) / static_cast<double>(D));
      double s = p.at({at, i}), c = p.at({at, i + 1});
      CHECK(p.at({at + k, i}) == doctest::Approx(s * std::cos(angle) + c * std::sin(angle)).epsilon(1e-10));
      CHECK(p.at({at + k, i + 1}) == doctest::Approx(c * std::cos(angle) - s * std::sin(angle)).epsilon(1e-10));
    }
}

// Both layouts have the same columns in another order, for even and odd widths.
TEST_CASE("sinusoidal: halves are the same columns in another order, for even and odd widths" *
          holds("layouts_are_a_permutation")) {
  for (int64_t D : {1, 2, 5, 8}) {
    Tensor interleaved = table(7, D);
    Tensor halves = nn::sinusoidal_positions(7, {.width = D, .layout = nn::SinusoidalLayout::halves}, 0, DType::f64);
    Tensor order = nn::sinusoidal_permutation(D);
    CHECK(bit_equal(index_select(interleaved, 1, order), halves));
    int64_t sines = (D + 1) / 2;
    for (int64_t c = 0; c < D; ++c) CHECK(halves.at({0, c}) == (c < sines ? 0 : 1));  // at p = 0
  }
  Tensor odd = table(3, 5);  // two pairs and a sine
  CHECK(odd.at({2, 4}) == doctest::Approx(std::sin(2 / std::pow(10000.0, 4.0 / 5))).epsilon(1e-12));
}

TEST_CASE("sinusoidal: a module adds the rows from its first position, and has no parameter") {
  auto m = make<nn::SinusoidalPositions>({.width = 6}, 1);
  CHECK(nn::count_parameters(m) == 0);
  Variable x(random({2, 5, 6}, 3));
  Tensor all = m(x).value();
  for (int64_t t = 0; t < 5; ++t) {
    Tensor one = m(Variable(x.value().slice(1, t, t + 1)), t).value();  // a decoder that goes step by step
    CHECK(bit_equal(one.select(1, 0).contiguous(), all.select(1, t).contiguous()));
  }
  CHECK(max_abs_difference(sub(all, x.value()).select(0, 1), nn::sinusoidal_positions(5, {.width = 6})) < 1e-6);
}

// Rows are added from the first place on, and only rows that were used get a gradient.
TEST_CASE("learned positions: rows are added from the first, and only rows that were seen get a gradient" *
          holds("only_rows_that_were_seen_learn")) {
  auto m = make<nn::LearnedPositions>({.positions = 6, .width = 4}, 1);
  Variable x(random({2, 3, 4}, 3));
  Variable y = m(x, 2);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t)
      CHECK(bit_equal(y.value().select(0, b).select(0, t).contiguous(),
                      add(x.value().select(0, b).select(0, t), m.weight.value().select(0, 2 + t))));
  backward(weighted_sum(y));
  for (int64_t p = 0; p < 6; ++p) CHECK(all_zero(m.weight.grad().select(0, p)) == !(p >= 2 && p < 5));
}
