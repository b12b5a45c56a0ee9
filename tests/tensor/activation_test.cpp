// Activations and their gradients against formulas in long double, on every layout; the ends of the number line.
#include "tensor/functions.h"

#include <doctest/doctest.h>

#include "tests/tensor/support.h"

using namespace heed;
using test::indices;
using test::layouts_of;

namespace {

using L = long double;

struct Activation {
  const char* name;
  std::function<Tensor(const Tensor&)> forward;
  std::function<Tensor(const Tensor&, const Tensor&)> backward;
  L (*value)(L);
  L (*slope)(L);
};

L normal_cdf(L x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
L normal_pdf(L x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0L)); }
constexpr L kRoot = 0.797884560802865355879892119868763737L;
L logistic(L x) { return 1 / (1 + std::exp(-x)); }

std::vector<Activation> activations() {
  return {
      {"leaky_relu", [](auto& x) { return leaky_relu(x, 0.2); },
       [](auto& x, auto& d) { return gradient_of(row_of("leaky_relu"), d, x, {0.2}); },
       [](L x) { return x > 0 ? x : 0.2L * x; }, [](L x) { return x > 0 ? 1 : 0.2L; }},
      {"elu", [](auto& x) { return elu(x, 1.5); },
       [](auto& x, auto& d) { return gradient_of(row_of("elu"), d, x, {1.5}); },
       [](L x) { return x > 0 ? x : 1.5L * std::expm1(x); }, [](L x) { return x > 0 ? 1 : 1.5L * std::exp(x); }},
      {"gelu", [](auto& x) { return gelu(x); }, [](auto& x, auto& d) { return gradient_of(row_of("gelu"), d, x, {}); },
       [](L x) { return x * normal_cdf(x); }, [](L x) { return normal_cdf(x) + x * normal_pdf(x); }},
      {"gelu tanh", [](auto& x) { return gelu(x, Gelu::tanh_form); },
       [](auto& x, auto& d) { return gradient_of(row_of("gelu"), d, x, {1}); },
       [](L x) { return x * (1 + std::tanh(kRoot * (x + 0.044715L * x * x * x))) / 2; },
       [](L x) {
         L t = std::tanh(kRoot * (x + 0.044715L * x * x * x));
         return (1 + t) / 2 + x * (1 - t * t) * kRoot * (1 + 3 * 0.044715L * x * x) / 2;
       }},
      {"silu", [](auto& x) { return silu(x); }, [](auto& x, auto& d) { return gradient_of(row_of("silu"), d, x, {}); },
       [](L x) { return x * logistic(x); }, [](L x) { return logistic(x) * (1 + x * (1 - logistic(x))); }},
      {"mish", [](auto& x) { return mish(x); }, [](auto& x, auto& d) { return gradient_of(row_of("mish"), d, x, {}); },
       [](L x) { return x * std::tanh(std::log1p(std::exp(x))); },
       [](L x) {
         L t = std::tanh(std::log1p(std::exp(x)));
         return t + x * (1 - t * t) * logistic(x);
       }},
      {"softplus", [](auto& x) { return softplus(x, {.beta = 2}); },
       [](auto& x, auto& d) {
         return gradient_of(row_of("softplus"), d, x, {2, 20});
       },
       [](L x) { return 2 * x > 20 ? x : std::log1p(std::exp(2 * x)) / 2; },
       [](L x) { return 2 * x > 20 ? 1 : logistic(2 * x); }},
  };
}
std::vector<Activation> all_activations() {
  std::vector<Activation> all = activations();
  for (const Activation& bounded : std::vector<Activation>{
           {"tanh", [](auto&x) { return tanh(x); },
            [](auto&x, auto&d) { return gradient_of(row_of("tanh"), d, tanh(x), {}); },
            [](L x) { return std::tanh(x); }, [](L x) { return 1 - std::tanh(x) * std::tanh(x); }},
           {"sigmoid", [](auto&x) { return sigmoid(x); },
            [](auto&x, auto&d) { return gradient_of(row_of("sigmoid"), d, sigmoid(x), {}); }, logistic,
            [](L x) { return logistic(x) * (1 - logistic(x)); }},
       })
    all.push_back(bounded);
  return all;
}

}  // namespace

TEST_CASE("activations and their gradients: f32 and f64, every layout") {
  for (const Activation& f : all_activations())
    for (DType dtype : {DType::f32, DType::f64})
      for (const Shape& shape : {Shape{}, Shape{1}, Shape{37}, Shape{3, 4, 5}, Shape{2, 0, 3}, Shape{70}}) {
        Generator rng(1);
        Tensor base = Tensor::uniform(shape, rng, -12, 12, dtype), up = Tensor::uniform(shape, rng, -2, 2, dtype);
        double tolerance = dtype == DType::f32 ? 1e-6 : 2e-15;
        for (const Tensor& x : layouts_of(base))
          for (const Tensor& dy : layouts_of(up)) {
            Tensor y = f.forward(x), dx = f.backward(x, dy);
            REQUIRE(y.shape() == shape);
            REQUIRE(dx.dtype() == dtype);
            for (const auto& i : indices(shape)) {
              L in = test::value(x, i), value = f.value(in), slope = f.slope(in) * test::value(dy, i);
              INFO(std::string(f.name), " of ", static_cast<double>(in));
              REQUIRE(std::abs(test::value(y, i) - value) <= tolerance * std::max(1.0L, std::abs(value)));
              REQUIRE(std::abs(test::value(dx, i) - slope) <= 2 * tolerance);
            }
          }
      }
}

TEST_CASE("activations at 0, at infinity, and of NaN") {
  for (DType dtype : {DType::f32, DType::f64}) {
    Tensor x = Tensor::from(std::vector<float>{0, INFINITY, -INFINITY, 1e30f, -1e30f, NAN}, {6}).to(dtype);
    Tensor one = Tensor::ones({6}, dtype);
    struct Ends {
      double at_zero, minus_infinity, slope_at_zero, slope_minus_infinity;
    };
    const Ends ends[] = {{0, -INFINITY, 0.2, 0.2},
                         {0, -1.5, 1.5, 0},
                         {0, 0, 0.5, 0},
                         {0, 0, 0.5, 0},
                         {0, 0, 0.5, 0},
                         {0, 0, 0.6, 0},
                         {std::log(2.0) / 2, 0, 0.5, 0}};
    size_t k = 0;
    for (const Activation& f : activations()) {
      const Ends& e = ends[k++];
      INFO(std::string(f.name));
      Tensor y = f.forward(x), slope = f.backward(x, one);
      CHECK(y.at({0}) == doctest::Approx(e.at_zero));
      CHECK(y.at({1}) == INFINITY);
      CHECK(y.at({2}) == e.minus_infinity);
      CHECK(y.at({3}) == x.at({3}));
      if (e.minus_infinity > -INFINITY) CHECK(y.at({4}) == e.minus_infinity);
      CHECK(slope.at({0}) == doctest::Approx(e.slope_at_zero));
      CHECK(slope.at({1}) == 1);
      CHECK(slope.at({2}) == doctest::Approx(e.slope_minus_infinity));
      CHECK(slope.at({3}) == 1);
      CHECK(slope.at({4}) == doctest::Approx(e.slope_minus_infinity));
      CHECK(std::isnan(y.at({5})));
    }
  }
}

TEST_CASE("softplus: beyond the threshold the line itself") {
  Tensor x = Tensor::from(std::vector<double>{0.4, 0.6}, {2}), one = Tensor::ones({2}, DType::f64);
  SoftplusOptions o{.beta = 2, .threshold = 1};
  CHECK(softplus(x, o).at({0}) == doctest::Approx(std::log1p(std::exp(0.8)) / 2));
  CHECK(softplus(x, o).at({1}) == 0.6);
  CHECK(gradient_of(row_of("softplus"), one, x, {2, 1}).at({1}) == 1);
  CHECK_THROWS_AS(softplus(x, {.beta = NAN}), ValueError);
}

TEST_CASE("activations: errors") {
  for (const Activation& f : all_activations()) {
    CHECK_THROWS_AS(f.forward(Tensor::arange(3)), DTypeError);
    CHECK_THROWS_AS(f.backward(Tensor::ones({2}), Tensor::ones({2}, DType::f64)), DTypeError);
    CHECK_THROWS_AS(f.backward(Tensor::ones({2}), Tensor::ones({3})), ShapeError);
  }
}
