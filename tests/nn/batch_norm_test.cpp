// Batch normalisation and the convolution in two dimensions, each against its formula in plain loops.
#include "nn/batch_norm.h"

#include <cmath>

#include "nn/convolution2d.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

TEST_CASE("BatchNorm: training divides by n, the running variance by n - 1; evaluation uses the running ones") {
  auto m = drawn<nn::BatchNorm>({.width = 3});
  Tensor x = random({2, 4, 3}, 5, kF64);
  Tensor y = m(Variable(x)).value(), w = m.weight.value(), b = m.bias.value();
  for (int64_t d = 0; d < 3; ++d) {
    double mean = 0, square = 0;
    for (int64_t r = 0; r < 8; ++r) mean += x.at({r / 4, r % 4, d}) / 8;
    for (int64_t r = 0; r < 8; ++r) square += std::pow(x.at({r / 4, r % 4, d}) - mean, 2);
    for (int64_t r = 0; r < 8; ++r)
      CHECK(y.at({r / 4, r % 4, d}) ==
            doctest::Approx((x.at({r / 4, r % 4, d}) - mean) / std::sqrt(square / 8 + 1e-5) * w.at({d}) + b.at({d})));
    CHECK(m.running_mean.at({d}) == doctest::Approx(0.1 * mean));
    CHECK(m.running_var.at({d}) == doctest::Approx(0.9 + 0.1 * square / 7));
  }
  nn::set_training(m, false);
  const Tensor kept = m.running_var.clone();
  Tensor z = m(Variable(x)).value();
  CHECK(bit_equal(m.running_var, kept));
  CHECK(z.at({1, 2, 0}) == doctest::Approx((x.at({1, 2, 0}) - m.running_mean.at({0})) /
                                               std::sqrt(m.running_var.at({0}) + 1e-5) * w.at({0}) +
                                           b.at({0})));
  CHECK(bit_equal(m(Variable(x.slice(0, 1, 2).contiguous())).value(), z.slice(0, 1, 2).contiguous()));
}

TEST_CASE("BatchNorm: what is saved, a copy, and the first weight") {
  auto m = built<nn::BatchNorm>({.width = 2, .momentum = 0.5, .first_weight = 0});
  CHECK((all_zero(m.weight.value()) && all_zero(m.running_mean)));
  m(Variable(random({6, 2}, 1, kF64)));
  CHECK(nn::save_state(m).tensors.size() == 4);
  nn::BatchNorm copy = nn::clone(m);
  nn::convert(copy, kF64);
  CHECK(bit_equal(copy.running_var, m.running_var));
}

TEST_CASE("Convolution2d: each output is the sum over its neighbours, with groups, and even and odd sizes") {
  for (auto [height, width] : {std::pair<int64_t, int64_t>{3, 3}, {1, 4}, {2, 5}, {1, 1}})
    for (int64_t groups : {1, 2, 4}) {
      auto m = drawn<nn::Convolution2d>({.in = 4, .out = 8, .height = height, .width = width, .groups = groups});
      Tensor x = random({2, 3, 5, 4}, 8, kF64), y = m(Variable(x)).value(), w = m.weight.value();
      REQUIRE(y.shape() == Shape{2, 3, 5, 8});
      const int64_t I = 4 / groups, up = (height - 1) / 2, left = (width - 1) / 2;
      double worst = 0;
      for (int64_t n = 0; n < y.count(); ++n) {
        const int64_t b = n / 120, r = n / 40 % 3, c = n / 8 % 5, o = n % 8;
        double total = m.bias.value().at({o});
        for (int64_t i = 0; i < I * height * width; ++i) {
          const int64_t from = i / (height * width), a = i / width % height, e = i % width;
          const int64_t row = r + a - up, column = c + e - left;
          if (row < 0 || row >= 3 || column < 0 || column >= 5) continue;
          total += w.at({o, from, a, e}) * x.at({b, row, column, o / (8 / groups) * I + from});
        }
        worst = std::max(worst, std::abs(total - y.at({b, r, c, o})));
      }
      CHECK(worst < 1e-12);
    }
}
