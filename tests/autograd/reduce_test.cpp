// Reductions where the case table does not go: ties, zeros, rows without spread, rows of minus infinity, errors.
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> gradient(const Variable& y, const Variable& x) {
  return grad({sum(y)}, {x})[0].value().to_vector();
}

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "largest and smallest: ties, all axes, NaN") {
  Variable x = leaf({3, 1, 3, 0, 0, 2}, {2, 3});
  CHECK(max(x, 1).value().to_vector() == std::vector<double>{3, 2});
  CHECK(gradient(max(x, 1), x) == std::vector<double>{1, 0, 0, 0, 0, 1});  // the first of equals
  CHECK(gradient(min(x, 1), x) == std::vector<double>{0, 1, 0, 1, 0, 0});
  CHECK(gradient(amax(x, {1}), x) == std::vector<double>{0.5, 0, 0.5, 0, 0, 1});  // an equal share each
  CHECK(gradient(amin(x, {1}), x) == std::vector<double>{0, 1, 0, 0.5, 0.5, 0});
  CHECK(max(x).item() == 3);
  CHECK(min(x).item() == 0);
  CHECK(gradient(max(x), x) == std::vector<double>{0.5, 0, 0.5, 0, 0, 0});
  CHECK(amax(x, {0, 1}, /*keep=*/true).shape() == Shape{1, 1});
  Variable nan = leaf({1, kNaN, 3, 4}, {2, 2});
  std::vector<double> d = gradient(amax(nan, {1}), nan);
  CHECK(std::isnan(d[0]));
  CHECK(d[3] == 1);
  CHECK(gradient(sqrt(amin(x, {1})), x)[5] == 0);  // of sqrt(0) infinity reaches the smallest only
}

TEST_CASE_FIXTURE(LeakFree, "prod: none, one and two zeros in a row, to the third derivative") {
  Variable x = leaf({2, 3, 4, 2, 0, 4, 0, 3, 0}, {3, 3});
  CHECK(prod(x, {1}).value().to_vector() == std::vector<double>{24, 0, 0});
  CHECK(gradient(prod(x, {1}), x) == std::vector<double>{12, 8, 6, 0, 8, 0, 0, 0, 0});
  // Of abc: first derivative (bc, ac, ab), summed and derived again (b + c, a + c, a + b), again (2, 2, 2).
  Variable first = grad({sum(prod(x, {1}))}, {x}, {.create_graph = true})[0];
  Variable second = grad({sum(first)}, {x}, {.create_graph = true})[0];
  CHECK(second.value().to_vector() == std::vector<double>{7, 6, 5, 4, 6, 2, 3, 0, 3});
  CHECK(gradient(second, x) == std::vector<double>(9, 2));
  CHECK(prod(x).item() == 0);
  for (int64_t n : {1, 2, 3, 5, 8, 13, 64, 100}) {
    Variable ones = Variable(Tensor::full({n}, 1.01, DType::f64), Variable::kRequiresGrad);
    CHECK(prod(ones).item() == doctest::Approx(std::pow(1.01, n)).epsilon(1e-13));
    for (double d : gradient(prod(ones), ones)) CHECK(d == doctest::Approx(std::pow(1.01, n - 1)).epsilon(1e-13));
  }
  Variable none = Variable(Tensor::empty({2, 0}, DType::f64), Variable::kRequiresGrad);
  CHECK(prod(none, {1}).value().to_vector() == std::vector<double>{1, 1});
  CHECK(gradient(prod(none, {1}), none).empty());
}

TEST_CASE_FIXTURE(LeakFree, "logsumexp: large values, rows of -inf, both recorded and not") {
  Variable x = leaf({1000, 1000, -kInf, -kInf, -1000, -kInf}, {3, 2});
  Variable y = logsumexp(x, {1});
  CHECK(y.value().at({0}) == doctest::Approx(1000 + std::log(2.0)));
  CHECK(y.value().at({1}) == -kInf);
  CHECK(y.value().at({2}) == -1000);
  const double want[] = {0.5, 0.5, 0, 0, 1, 0};
  for (const Variable& d :
       {grad({sum(y)}, {x}, {.retain_graph = true})[0], grad({sum(y)}, {x}, {.create_graph = true})[0]})
    for (size_t i = 0; i < 6; ++i) CHECK(d.value().to_vector()[i] == doctest::Approx(want[i]));
  Variable first = grad({sum(logsumexp(x, {1}))}, {x}, {.create_graph = true})[0];
  for (double v : gradient(square(first), x)) CHECK(std::isfinite(v));
  CHECK(logsumexp(Variable(Tensor::empty({2, 0}, DType::f64)), {1}).value().to_vector() ==
        std::vector<double>{-kInf, -kInf});
}

TEST_CASE_FIXTURE(LeakFree, "refused by name: an axis out of range or named twice, integers") {
  const Variable x = Tensor::ones({2, 3}), ints = Tensor::arange(3);
  const std::pair<const char*, Variable (*)(const Variable&, const Dims&, bool)> over[] = {
      {"sum", sum}, {"mean", mean}, {"amax", amax}, {"amin", amin}, {"prod", prod}, {"logsumexp", logsumexp}};
  for (const auto& [name, f] : over) {
    CHECK(error_of([&, &g = f] { g(x, {2}, false); }) == std::string(name) + ": axis must lie in [-2, 2); got axis 2");
    CHECK(error_of([&, &g = f] {
            g(x, {1, -1}, false);
          }) == std::string(name) + ": an axis is named twice; got [1, -1]");
  }
  const std::pair<const char*, Variable (*)(const Variable&, const Dims&, const VarOptions&)> spread[] = {
      {"var", var}, {"stddev", stddev}};
  for (const auto& [name, f] : spread) {
    CHECK(error_of([&, &g = f] { g(x, {-3}, {}); }) == std::string(name) + ": axis must lie in [-2, 2); got axis -3");
    CHECK(error_of([&, &g = f] { g(ints, {}, {}); }) ==
          std::string(name) + ": takes f32 or f64; got i64; convert with to(DType::f32)");
  }
  CHECK(error_of([&] { norm(x, 2, {2}); }) == "norm: axis must lie in [-2, 2); got axis 2");
  CHECK(error_of([&] { norm(x, kInf, {2}); }) == "norm: axis must lie in [-2, 2); got axis 2");
}

TEST_CASE_FIXTURE(LeakFree, "mean, var and stddev divide: equal numbers give exact means; no result needs no element") {
  for (int64_t n : {3, 7, 49, 77, 1000}) {
    Variable ones(Tensor::ones({n}, DType::f64)), x = random_leaf({n}, 3);
    CHECK(mean(ones).item() == 1);
    CHECK(mean(ones, {0}, /*keep=*/true).value().to_vector() == std::vector<double>{1});
    CHECK(var(ones).item() == 0);
    CHECK(mse_loss(ones * 2, ones).item() == 1);
    double each = 1 / static_cast<double>(n);
    for (double d : gradient(mean(x), x)) CHECK(d == each);
  }
  Variable none(Tensor::empty({0, 4}, DType::f64), Variable::kRequiresGrad);
  CHECK(mean(none, {1}).shape() == Shape{0});
  CHECK(mean(none, {1}, /*keep=*/true).shape() == Shape{0, 1});
  CHECK(var(none, {1}).shape() == Shape{0});
  CHECK(mean(Variable(Tensor::empty({0, 0})), {1}).shape() == Shape{0});
  CHECK(gradient(mean(none, {1}), none).empty());
}

TEST_CASE_FIXTURE(LeakFree, "expand to the shape that x has already is a value of its own, not x") {
  Variable x = leaf({1, 2}), y = expand(x, {2});
  CHECK(grad({sum(x * y)}, {y})[0].value().to_vector() == std::vector<double>{1, 2});
}

TEST_CASE_FIXTURE(LeakFree, "cumsum and its reverse are each other's gradient") {
  Variable x = leaf({1, 2, 3, 4}, {4}), w = leaf({1, 10, 100, 1000}, {4});
  CHECK(cumsum(x, 0).value().to_vector() == std::vector<double>{1, 3, 6, 10});
  CHECK(cumsum(x, 0, {.reverse = true}).value().to_vector() == std::vector<double>{10, 9, 7, 4});
  CHECK(gradient(cumsum(x, 0) * w, x) == std::vector<double>{1111, 1110, 1100, 1000});
  CHECK(gradient(cumsum(x, 0, {.reverse = true}) * w, x) == std::vector<double>{1, 11, 111, 1111});
  CHECK_THROWS_AS(cumsum(leaf({1}, {}), 0), IndexError);
}

TEST_CASE_FIXTURE(LeakFree, "var and stddev: a large mean, rows without spread, too few elements") {
  Variable x = leaf({1e8 + 1, 1e8 + 2, 1e8 + 3, 5, 5, 5}, {2, 3});
  CHECK(var(x, {1}).value().to_vector() == std::vector<double>{1, 0});
  CHECK(stddev(x, {1}).value().to_vector() == std::vector<double>{1, 0});
  CHECK(gradient(var(x, {1}), x) == std::vector<double>{-1, 0, 1, 0, 0, 0});
  CHECK(gradient(stddev(x, {1}), x) == std::vector<double>{-0.5, 0, 0.5, 0, 0, 0});
  CHECK(var(x, {1}, {.unbiased = false, .keep = true}).shape() == Shape{2, 1});
  CHECK(var(leaf({4}, {}), {}, {.unbiased = false}).item() == 0);
}

TEST_CASE_FIXTURE(LeakFree, "norm: rows of zeros have the gradient 0, whatever p, recorded or not") {
  Variable x = leaf({3, -4, 0, 0}, {2, 2});
  CHECK(norm(x, 2, {1}).value().to_vector() == std::vector<double>{5, 0});
  CHECK(norm(x, 1, {1}).value().to_vector() == std::vector<double>{7, 0});
  CHECK(norm(x, kInf, {1}).value().to_vector() == std::vector<double>{4, 0});
  CHECK(gradient(norm(x, 2, {1}), x)[0] == doctest::Approx(0.6));
  CHECK(gradient(norm(x, 4, {1}), x)[1] == doctest::Approx(-64 / std::pow(337, 0.75)));  // an even p has signs too
  CHECK(gradient(norm(x, 1, {1}), x) == std::vector<double>{1, -1, 0, 0});
  CHECK(gradient(norm(x, kInf, {1}), x) == std::vector<double>{0, -1, 0, 0});
  for (double p : {1.0, 1.5, 2.0, 3.0, kInf})
    for (bool recorded : {false, true}) {
      CAPTURE(p);
      std::vector<double> d = grad({sum(norm(x, p, {1}))}, {x}, {.create_graph = recorded})[0].value().to_vector();
      CHECK(d[2] == 0);
      CHECK(d[3] == 0);
    }
  CHECK_THROWS_AS(norm(x, kNaN), ValueError);
  CHECK(norm(Variable(Tensor::empty({2, 0}, DType::f64)), 2, {1}).value().to_vector() == std::vector<double>{0, 0});
}
