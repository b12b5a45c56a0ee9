// Initial values: bounds, moments, orthogonality; and the same values for the same seed.
#include "nn/init.h"

#include <cmath>

#include "tensor/matmul.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using nn::init::Fan;
using nn::init::Nonlinearity;

namespace {

struct Moments {
  double mean = 0, std = 0, low = 0, high = 0;
};
Moments moments(const Tensor& t) {
  Moments m;
  std::vector<double> values = t.to_vector();
  auto n = static_cast<double>(values.size());
  for (double v : values) m.mean += v / n, m.low = std::min(m.low, v), m.high = std::max(m.high, v);
  for (double v : values) m.std += (v - m.mean) * (v - m.mean) / n;
  m.std = std::sqrt(m.std);
  return m;
}

// 120,000 values: the mean is known to std / 346, the std to about 0.3 %; five times that is allowed.
const Shape kShape{200, 300, 2};
constexpr double kFanIn = 600, kFanOut = 400;

void is_uniform(const Tensor& t, double std) {
  Moments m = moments(t);
  double a = std::sqrt(3.0) * std;
  CHECK(std::abs(m.mean) < 0.015 * std);
  CHECK(m.std == doctest::Approx(std).epsilon(0.015));
  CHECK(m.high <= a);
  CHECK(m.low >= -a * (1 + 1e-7));
  CHECK(m.high > 0.999 * a);
  CHECK(m.low < -0.999 * a);
}
void is_normal(const Tensor& t, double std) {
  Moments m = moments(t);
  CHECK(std::abs(m.mean) < 0.015 * std);
  CHECK(m.std == doctest::Approx(std).epsilon(0.015));
  CHECK(m.high > 3.5 * std);
  CHECK(m.low < -3.5 * std);
}

}  // namespace

TEST_CASE("init: xavier has the variance 2 gain^2 / (fan_in + fan_out)") {
  Generator rng(1);
  for (double gain : {1.0, 5.0 / 3}) {
    double std = gain * std::sqrt(2 / (kFanIn + kFanOut));
    is_uniform(nn::init::xavier_uniform(kShape, rng, gain), std);
    is_normal(nn::init::xavier_normal(kShape, rng, gain), std);
  }
  Generator a(3), b(3);
  CHECK(bit_equal(nn::xavier_parameter({4, 5}, a).value(), nn::init::xavier_uniform({4, 5}, b)));
}

TEST_CASE("init: kaiming has the variance gain^2 / fan, of either side") {
  Generator rng(2);
  for (Fan fan : {Fan::in, Fan::out})
    for (auto [f, gain] : std::vector<std::pair<Nonlinearity, double>>{{Nonlinearity::relu, std::sqrt(2.0)},
                                                                       {Nonlinearity::leaky_relu, std::sqrt(1.6)},
                                                                       {Nonlinearity::tanh, 5.0 / 3},
                                                                       {Nonlinearity::linear, 1},
                                                                       {Nonlinearity::sigmoid, 1}}) {
      double std = gain / std::sqrt(fan == Fan::in ? kFanIn : kFanOut);
      is_uniform(nn::init::kaiming_uniform(kShape, rng, {.fan = fan, .nonlinearity = f, .slope = 0.5}), std);
      is_normal(nn::init::kaiming_normal(kShape, rng, {.fan = fan, .nonlinearity = f, .slope = 0.5}), std);
    }
}

TEST_CASE("init: kaiming keeps the size of signals through thirty relu layers, where xavier loses them") {
  Generator rng(3);
  Tensor kaiming = random({64, 128}, 4), xavier = kaiming;
  for (int layer = 0; layer < 30; ++layer) {
    kaiming = relu(matmul(kaiming, nn::init::kaiming_normal({128, 128}, rng).transpose(0, 1)));
    xavier = relu(matmul(xavier, nn::init::xavier_normal({128, 128}, rng).transpose(0, 1)));
  }
  CHECK(moments(kaiming).std > 0.05);
  CHECK(moments(kaiming).std < 20);
  CHECK(moments(xavier).std < 1e-3);
}

TEST_CASE("init: orthogonal: rows or columns are orthonormal times the gain, whichever are fewer") {
  Generator rng(4);
  for (const Shape& shape :
       {Shape{64, 64}, Shape{16, 50}, Shape{50, 16}, Shape{1, 7}, Shape{7, 1}, Shape{1, 1}, Shape{6, 4, 5}})
    for (double gain : {1.0, 2.0}) {
      CAPTURE(to_string(shape));
      Tensor w = nn::init::orthogonal(shape, rng, gain);
      REQUIRE(w.shape() == shape);
      REQUIRE(w.dtype() == DType::f32);
      w = w.view({shape[0], -1});
      Tensor gram = w.size(0) <= w.size(1) ? matmul(w, w.transpose(0, 1)) : matmul(w.transpose(0, 1), w);
      double worst = 0;
      for (int64_t i = 0; i < gram.size(0); ++i)
        for (int64_t j = 0; j < gram.size(1); ++j)
          worst = std::max(worst, std::abs(gram.at({i, j}) - (i == j ? gain * gain : 0)));
      CHECK(worst <= 1e-5);
    }
  Tensor exact = nn::init::orthogonal({40, 40}, rng, 1, DType::f64), one = Tensor::zeros({40, 40}, DType::f64);
  for (int64_t i = 0; i < 40; ++i) one.set({i, i}, 1);
  CHECK(max_abs_difference(matmul(exact, exact.transpose(0, 1)), one) <= 1e-14);
  CHECK(nn::init::orthogonal({0, 3}, rng).shape() == Shape{0, 3});
}

TEST_CASE("init: orthogonal matrices are as often mirrored as not, and no direction is preferred") {
  Generator rng(5);
  double trace = 0;
  int mirrored = 0;
  for (int k = 0; k < 2000; ++k) {
    Tensor w = nn::init::orthogonal({2, 2}, rng, 1, DType::f64);
    trace += w.at({0, 0});
    mirrored += w.at({0, 0}) * w.at({1, 1}) - w.at({0, 1}) * w.at({1, 0}) < 0;
  }
  CHECK(std::abs(trace / 2000) < 5 * std::sqrt(0.5 / 2000));
  CHECK(std::abs(mirrored - 1000) < 5 * std::sqrt(500.0));
}

TEST_CASE("init: truncated normal stays inside, and has the moments of what is left") {
  Generator rng(6);
  Moments two = moments(nn::init::truncated_normal(kShape, rng, {.mean = 0, .std = 0.5}, {-1, 1}));
  CHECK(two.low >= -1);
  CHECK(two.high <= 1);
  CHECK(two.low < -0.99);
  CHECK(two.high > 0.99);
  CHECK(std::abs(two.mean) < 0.01);
  CHECK(two.std == doctest::Approx(0.5 * 0.8796).epsilon(0.015));  // sqrt(1 - 2 a phi(a) / P(|z| < a)) for a = 2
  Moments tail = moments(nn::init::truncated_normal({50, 100}, rng, {.mean = 1, .std = 2}, {5, 7}));
  CHECK(tail.mean > 5);
  CHECK(tail.high <= 7);
  for (auto range : {nn::init::Interval{5, 6}, nn::init::Interval{-6, -5}, nn::init::Interval{1, -1}})
    CHECK(message_of<ValueError>([&] {
            nn::init::truncated_normal({2}, rng, {}, range);
          }).find("truncated_normal: [low, high] must hold at least 1 % of the values; got [") == 0);
}

TEST_CASE("init: constant, uniform, normal") {
  Generator rng(7);
  CHECK(nn::init::constant({2, 2}, 0.5).to_vector() == std::vector<double>(4, 0.5));
  Moments m = moments(nn::init::uniform(kShape, rng, {-1, 3}));
  CHECK(m.mean == doctest::Approx(1).epsilon(0.02));
  CHECK(m.low >= -1);
  CHECK(m.high <= 3);
  Moments bell = moments(nn::init::normal(kShape, rng, {.mean = 2, .std = 0.5}));
  CHECK(bell.mean == doctest::Approx(2).epsilon(0.005));
  CHECK(bell.std == doctest::Approx(0.5).epsilon(0.015));
}

TEST_CASE("init: the same seed gives the same values, the next draw others; f64 is asked for by name") {
  using Make = std::function<Tensor(Generator&, DType)>;
  const Shape s{5, 6};
  for (const Make& init :
       std::vector<Make>{[&](Generator&g, DType d) {
                           return nn::init::uniform(s, g, {0, 1}, d);
                         },
                         [&](Generator&g, DType d) { return nn::init::normal(s, g, {}, d); },
                         [&](Generator&g, DType d) {
                           return nn::init::truncated_normal(s, g, {}, {-2, 2}, d);
                         },
                         [&](Generator&g, DType d) { return nn::init::xavier_uniform(s, g, 1, d); },
                         [&](Generator&g, DType d) { return nn::init::xavier_normal(s, g, 1, d); },
                         [&](Generator&g, DType d) { return nn::init::kaiming_uniform(s, g, {}, d); },
                         [&](Generator&g, DType d) { return nn::init::kaiming_normal(s, g, {}, d); },
                         [&](Generator&g, DType d) { return nn::init::orthogonal(s, g, 1, d); }})
    for (DType dtype : {DType::f32, DType::f64}) {
      Generator a(8), b(8), c(9);
      Tensor first = init(a, dtype);
      CHECK(first.dtype() == dtype);
      CHECK(bit_equal(first, init(b, dtype)));
      CHECK_FALSE(bit_equal(first, init(a, dtype)));
      CHECK_FALSE(bit_equal(first, init(c, dtype)));
    }
}
