// Clipping: what is scaled, what comes back, what is refused.
#include "nn/optim/clip.h"

#include <cmath>

#include "tensor/thread_pool.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

namespace {

std::vector<NamedVariable> three() {  // the third has no gradient
  std::vector<NamedVariable> p{{"a", leaf(Tensor::zeros({2}))}, {"b", leaf(Tensor::zeros({1}))}, {"c", leaf({1}, 1)}};
  p[0].variable.set_grad(Tensor::from(std::vector<float>{2, 3}, {2}));
  p[1].variable.set_grad(Tensor::from(std::vector<float>{-6}, {1}));
  return p;
}
void set_first(std::vector<NamedVariable>& p, float value) {
  p[0].variable.set_grad(Tensor::from(std::vector<float>{2, value}, {2}));
}

}  // namespace

TEST_CASE("clip_grad_norm scales all gradients together and returns the norm before") {
  auto p = three();
  CHECK(nn::clip_grad_norm(p, 100) == 7);
  CHECK(p[1].variable.grad().item() == -6);
  CHECK(nn::clip_grad_norm(p, 0.7) == 7);
  CHECK(p[0].variable.grad().to_vector()[1] == doctest::Approx(0.3));
  CHECK(p[1].variable.grad().item() == doctest::Approx(-0.6));
  CHECK(nn::clip_grad_norm(p, 100) == doctest::Approx(0.7));
  CHECK_FALSE(p[2].variable.grad().defined());
}

TEST_CASE("clip_grad_norm: a norm beyond the range of the type, of gradients within it") {
  Variable w = leaf(Tensor::zeros({2}, DType::f64));
  w.set_grad(Tensor::from(std::vector<double>{1.2e308, -1.6e308}, {2}));
  CHECK(std::isinf(nn::clip_grad_norm({{"w", w}}, 1)));
  CHECK(w.grad().to_vector()[0] == doctest::Approx(0.6));
  CHECK(w.grad().to_vector()[1] == doctest::Approx(-0.8));
}

TEST_CASE("clip_grad_norm: long gradients and short ones, the same bits on any threads") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t n : {1, 15, 16, 17, 63, 64, 65, 16383, 16384, 16385, 200000}) {
      CAPTURE(n);
      Variable w = leaf({n}, 1, dtype);
      w.set_grad(random({n}, 2, dtype));
      double exact = 0;
      for (double v : w.grad().to_vector()) exact += v * v;
      int threads = thread_count();
      std::vector<double> norms;
      for (int k : {1, 2, 3}) {
        set_thread_count(k);
        norms.push_back(nn::clip_grad_norm({{"w", w}}, 1e9));
      }
      set_thread_count(threads);
      CHECK(norms[0] == norms[1]);
      CHECK(norms[0] == norms[2]);
      CHECK(norms[0] == doctest::Approx(std::sqrt(exact)).epsilon(dtype == DType::f32 ? 1e-6 : 1e-13));
    }
}

TEST_CASE("clip_grad_norm by the largest element") {
  auto p = three();
  CHECK(nn::clip_grad_norm(p, 3, {.p = INFINITY}) == 6);
  CHECK(p[0].variable.grad().to_vector()[1] == doctest::Approx(1.5));
  CHECK(p[1].variable.grad().item() == doctest::Approx(-3));
}

TEST_CASE("clip_grad_norm: gradients that share an upstream value are scaled once each") {
  std::vector<NamedVariable> p{{"a", leaf(Tensor::zeros({4}))}, {"b", leaf(Tensor::zeros({4}))}};
  backward(sum(p[0].variable + p[1].variable), {});
  nn::clip_grad_norm(p, std::sqrt(8.0) / 2);
  for (auto& v : p) CHECK(v.variable.grad().at({0}) == doctest::Approx(0.5).epsilon(1e-5));
}

TEST_CASE("clip_grad_norm: NaN and infinities are named, and leave the gradients as they were") {
  for (double norm : {2.0, HUGE_VAL}) {
    auto p = three();
    set_first(p, NAN);
    CHECK(std::isnan(nn::clip_grad_norm(p, 1, {.p = norm, .allow_not_finite = true})));
    set_first(p, -INFINITY);
    refuses("clip_grad_norm: finite got -inf a [2]", [&] { nn::clip_grad_norm(p, 1, {.p = norm}); });
    CHECK(nn::clip_grad_norm(p, 1, {.p = norm, .allow_not_finite = true}) == HUGE_VAL);
    CHECK(p[0].variable.grad().to_vector()[0] == 2);
    CHECK(p[1].variable.grad().item() == -6);
  }
}

TEST_CASE("clip_grad_norm: a square may overflow where the norm does not") {
  auto p = three();
  p[0].variable.set_grad(Tensor::from(std::vector<float>{3e30f, -4e30f}, {2}));
  CHECK(nn::clip_grad_norm(p, 5) == doctest::Approx(5e30));
  CHECK(p[0].variable.grad().to_vector()[1] == doctest::Approx(-4));
}

TEST_CASE("clip_grad_norm: a square may underflow where the norm does not") {
  for (double size : {1e-20, 1e-25, 1e-35})
    for (DType dtype : {DType::f32, DType::f64}) {
      CAPTURE(size);
      Variable w = leaf(Tensor::zeros({2}, dtype));
      w.set_grad(Tensor::from(std::vector<double>{3 * size, -4 * size}, {2}).to(dtype));
      CHECK(nn::clip_grad_norm({{"w", w}}, 1) == doctest::Approx(5 * size).epsilon(1e-6).scale(0));
      CHECK(w.grad().to_vector()[1] == doctest::Approx(-4 * size).epsilon(1e-6).scale(0));
    }
  Variable w = leaf(Tensor::zeros({2}));
  w.set_grad(Tensor::zeros({2}));
  CHECK(nn::clip_grad_norm({{"w", w}}, 1) == 0);
}

TEST_CASE("clip_grad_norm: a factor that the type cannot hold") {
  for (DType dtype : {DType::f32, DType::f64})
    for (double p : {2.0, HUGE_VAL})
      for (double size : {3e38, 1e30, 1e300, 1.7e308})
        for (double limit : {1e3, 1.0, 1e-3, 1e-6, 1e-30, 1e-250}) {
          if (dtype == DType::f32 && (size > 1e39 || limit < 1e-30)) continue;
          CAPTURE(size);
          CAPTURE(limit);
          Variable w = leaf(Tensor::zeros({4}, dtype));
          w.set_grad(Tensor::full({4}, size, dtype));
          nn::clip_grad_norm({{"w", w}}, limit, {.p = p});
          const double want = p == 2 ? limit / 2 : limit;
          for (double g : w.grad().to_vector()) CHECK(g == doctest::Approx(want).epsilon(1e-6).scale(0));
        }
}

TEST_CASE("clip_grad_value bounds each element") {
  auto p = three();
  nn::clip_grad_value(p, 2.5);
  CHECK(p[0].variable.grad().to_vector() == std::vector<double>{2, 2.5});
  CHECK(p[1].variable.grad().item() == -2.5);
  CHECK_FALSE(p[2].variable.grad().defined());
}
