// The mean of the last K moments: the formula, the swap, the state.
#include "nn/optim/window_average.h"

#include <cmath>

#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

TEST_CASE("the mean of the last K, of fewer at the beginning; the trained parameters come back to the bit") {
  for (auto [early, late] : {std::pair{DType::f32, DType::f32}, {DType::f64, DType::f64}, {DType::f32, DType::f64}}) {
    int64_t n = 37, K = 3;
    Parameters p{{"w", leaf({n}, 1, early)}};
    nn::WindowAverage average(p, {.size = K});
    std::vector<std::vector<double>> moments;
    for (uint64_t t = 0; t < 6; ++t) {
      DType dtype = t < 3 ? early : late;  // converted in between, it is averaged in the new one
      p[0].variable.set_value(random({n}, 50 + t, dtype));
      average.add();
      moments.push_back(p[0].variable.value().to_vector());
      std::vector<double> mean;
      {
        auto scope = average.swap_in();
        mean = p[0].variable.value().to_vector();
        CHECK(p[0].variable.dtype() == dtype);
      }
      size_t last = moments.size(), first = last > 3 ? last - 3 : 0;
      CHECK(average.seen() == static_cast<int64_t>(last - first));
      for (size_t i = 0; i < mean.size(); ++i) {
        double sum = 0;
        for (size_t k = first; k < last; ++k) sum += moments[k][i];
        CHECK(std::abs(mean[i] - sum / static_cast<double>(last - first)) <= (dtype == DType::f64 ? 1e-15 : 1e-7));
      }
      CHECK(p[0].variable.value().to_vector() == moments.back());
    }
  }
}

TEST_CASE("with nothing added the parameters stay; saved and loaded the window goes on") {
  auto p = two(1), q = two(2);
  nn::WindowAverage average(p, {.size = 2}), other(q, {.size = 2});
  auto start = copies(p);
  {
    auto scope = average.swap_in();
    for (size_t i = 0; i < p.size(); ++i) CHECK(bit_equal(p[i].variable.value(), start[i].variable.value()));
    CHECK_THROWS_AS(average.add(), GraphError);
    CHECK_THROWS_AS(average.save_state(), GraphError);
  }
  for (uint64_t t = 0; t < 3; ++t) {
    for (auto& x : p) x.variable.set_value(random(x.variable.shape(), 7 + t, x.variable.dtype()));
    average.add();
  }
  other.load_state(average.save_state(), "s");
  auto a = average.swap_in();
  auto b = other.swap_in();
  for (size_t i = 0; i < p.size(); ++i) CHECK(bit_equal(p[i].variable.value(), q[i].variable.value()));
}

TEST_CASE("a window refuses a parameter given twice, and one whose shape has changed") {
  auto p = two(1);
  refuses("WindowAverage: once got again", [&] { nn::WindowAverage({p[0], {"again", p[0].variable}}, {}); });
  refuses("WindowAverage: defined got none", [&] { nn::WindowAverage({{"none", Variable()}}, {}); });
  nn::WindowAverage average(p, {.size = 2});
  average.add();
  p[0].variable.set_value(Tensor::ones({5, 4}));
  for (auto call : {+[](nn::WindowAverage& a) { a.add(); }, +[](nn::WindowAverage& a) { auto s = a.swap_in(); }})
    refuses<ShapeError>("WindowAverage: a shape got [5, 4] [3, 4]", [&] { call(average); });
  CHECK(average.seen() == 1);
  CHECK(p[0].variable.shape() == Shape{5, 4});
}
