// Moving averages of parameters: the formula, the swap, the state.
#include "nn/optim/average.h"

#include <cmath>

#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

void train(nn::Optimizer& optimizer, nn::ParameterAverage& average, const Parameters& p, uint64_t from, uint64_t to) {
  for (uint64_t step = from; step < to; ++step) {
    give(p, 10 * step);
    optimizer.step();
    average.update();
  }
}
std::vector<double> averages_of(nn::ParameterAverage& average, const Variable& w) {
  auto scope = average.swap_in();
  return w.value().to_vector();
}

}  // namespace

TEST_CASE("the average follows its formula; corrected, it is the weighted mean of what it saw") {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool corrected : {false, true}) {
      double tolerance = dtype == DType::f64 ? 1e-12 : 1e-5;
      int64_t n = 37;
      Parameters p{{"w", leaf({n}, 1, dtype)}};
      nn::ParameterAverage average(p, {.decay = 0.8, .bias_corrected = corrected});
      std::vector<double> sum(static_cast<size_t>(n)), start = p[0].variable.value().to_vector();
      if (!corrected) sum = start;
      double weight = corrected ? 0 : 1;
      for (uint64_t t = 0; t < 6; ++t) {
        p[0].variable.set_value(random({n}, 50 + t, dtype));
        average.update();
        std::vector<double> w = p[0].variable.value().to_vector();
        for (size_t i = 0; i < w.size(); ++i) sum[i] = 0.8 * sum[i] + 0.2 * w[i];
        weight = 0.8 * weight + 0.2;
        std::vector<double> a = averages_of(average, p[0].variable);
        for (size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - sum[i] / weight) <= tolerance);
        if (corrected && t == 0) CHECK(a == w);
      }
      CHECK(average.updates() == 6);
    }
}

TEST_CASE("swap_in: the parameters hold their averages while it lives, and come back to the bit") {
  auto p = two(1);
  nn::SGD sgd(p, {.learning_rate = 1});
  nn::ParameterAverage average(p, {.decay = 0.5});
  auto start = copies(p);
  train(sgd, average, p, 0, 1);
  auto trained = copies(p);
  {
    auto scope = average.swap_in();
    for (size_t i = 0; i < 2; ++i) {
      Tensor middle = mul(add(start[i].variable.value(), trained[i].variable.value()), 0.5);
      CHECK(max_abs_difference(p[i].variable.value(), middle) < 1e-6);
    }
    CHECK(message_of<GraphError>([&] { average.save_state(); }).find("ParameterAverage: save_state needs") == 0);
    CHECK(message_of<GraphError>([&] { auto second = average.swap_in(); }).find("ParameterAverage: swap_in needs") ==
          0);
  }
  CHECK(same_values(p, trained));
  train(sgd, average, p, 1, 2);  // the optimiser still moves the same parameters
  CHECK_FALSE(same_values(p, trained));
}

TEST_CASE("the average moves to f64 with its model") {
  auto p = two(1);
  nn::ParameterAverage average(p, {.decay = 0.5});
  for (auto& v : p) v.variable.set_value(v.variable.value().to(DType::f64));
  {
    auto scope = average.swap_in();
    CHECK(p[0].variable.dtype() == DType::f64);
  }
  average.update();
  auto scope = average.swap_in();
  CHECK(p[0].variable.dtype() == DType::f64);
}

TEST_CASE("averages resume from a saved state to the bit") {
  for (bool corrected : {false, true}) {
    auto through = two(1), before = two(1);
    nn::Adam a(through, {}), b(before, {});
    nn::ParameterAverage x(through, {.decay = 0.9, .bias_corrected = corrected});
    nn::ParameterAverage y(before, {.decay = 0.9, .bias_corrected = corrected});
    train(a, x, through, 0, 7);
    train(b, y, before, 0, 4);
    auto resumed = copies(before);
    nn::Adam c(resumed, {});
    nn::ParameterAverage z(resumed, {});
    c.load_state(b.save_state(), "optimizer");
    z.load_state(y.save_state(), "average");
    train(c, z, resumed, 4, 7);
    CHECK(same_values(through, resumed));
    auto one = x.swap_in(), other = z.swap_in();
    CHECK(same_values(through, resumed));
  }
}

TEST_CASE("averages refuse a parameter whose shape has changed") {
  auto p = two(1);
  nn::ParameterAverage average(p, {});
  p[0].variable.set_value(Tensor::ones({500, 400}));  // an update would write behind the average
  const std::string sentence = "ParameterAverage: a must keep its shape; got [500, 400], averaged as [3, 4]";
  CHECK(message_of<ShapeError>([&] { average.update(); }) == sentence);
  CHECK(message_of<ShapeError>([&] { auto scope = average.swap_in(); }) == sentence);
  CHECK(average.updates() == 0);
  CHECK(p[0].variable.shape() == Shape{500, 400});
}
