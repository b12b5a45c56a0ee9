// layer_norm and rms_norm: the kernel against its composed twin, threads, and what it refuses.
#include "autograd/ops_norm.h"

#include <doctest/doctest.h>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "tests/tensor/support.h"

using namespace heed;

namespace {

Variable leaf(const Shape& shape, uint64_t seed, DType dtype) {
  Generator rng(seed);
  return {Tensor::normal(shape, rng, 0.5, 2, DType::f64).to(dtype), Variable::kRequiresGrad};
}

// The value and all gradients of one run.
template <class F>
std::vector<Tensor> run(const F& f, const Shape& shape, int axes, bool affine, DType dtype) {
  Shape row;
  for (int i = shape.rank() - axes; i < shape.rank(); ++i) row.push_back(shape[i]);
  Variable x = leaf(shape, 1, dtype), w = affine ? leaf(row, 2, dtype) : Variable(),
           b = affine ? leaf(row, 3, dtype) : Variable();
  Variable y = f(x, w, b, NormOptions{.axes = axes});
  backward(sum(y * leaf(shape, 4, dtype).detach()));
  std::vector<Tensor> out{y.value(), x.grad()};
  for (const Variable& p : {w, b})
    if (p.defined() && p.grad().defined()) out.push_back(p.grad());
  return out;
}

void agree(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (size_t k = 0; k < a.size(); ++k) {
    double largest = 1;
    for (double v : b[k].to_vector()) largest = std::max(largest, std::abs(v));
    CHECK(max_abs_difference(a[k], b[k]) / largest <= tolerance);
  }
}

Variable rms(const Variable& x, const Variable& w, const Variable&, const NormOptions& o) { return rms_norm(x, w, o); }
Variable rms_composed(const Variable& x, const Variable& w, const Variable&, const NormOptions& o) {
  return rms_norm_composed(x, w, o);
}

}  // namespace

TEST_CASE("layer_norm and rms_norm: fused as composed, for every width of the last vector") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t N : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 65})
      for (bool affine : {true, false}) {
        CAPTURE(N);
        double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
        // Of one element nothing is left but 1 / sqrt(eps) = 316 times a rounding.
        agree(run(layer_norm, {5, N}, 1, affine, dtype), run(layer_norm_composed, {5, N}, 1, affine, dtype),
              N == 1 ? 316 * tolerance : tolerance);
        agree(run(rms, {5, N}, 1, affine, dtype), run(rms_composed, {5, N}, 1, affine, dtype), tolerance);
        agree(run(layer_norm, {2, 3, N}, 2, affine, dtype), run(layer_norm_composed, {2, 3, N}, 2, affine, dtype),
              tolerance);
        agree(run(rms, {2, 3, N}, 3, affine, dtype), run(rms_composed, {2, 3, N}, 3, affine, dtype), tolerance);
      }
}

TEST_CASE("layer_norm: rows of mean 0 and variance 1; a row of equal numbers becomes the bias") {
  Tensor y = layer_norm(leaf({4, 50}, 1, DType::f64)).value();
  for (int64_t r = 0; r < 4; ++r) {
    double m = 0, v = 0;
    for (double e : y.select(0, r).to_vector()) m += e / 50, v += e * e / 50;
    CHECK(std::abs(m) < 1e-14);
    CHECK(v == doctest::Approx(1).epsilon(1e-4));
  }
  Variable w(Tensor::full({3}, 5)), b(Tensor::from(std::vector<float>{1, 2, 3}, {3}));
  CHECK(layer_norm(Variable(Tensor::full({1, 3}, 7)), w, b).value().to_vector() == std::vector<double>{1, 2, 3});
  CHECK(rms_norm(Variable(Tensor::zeros({1, 3})), w).value().to_vector() == std::vector<double>{0, 0, 0});
}

TEST_CASE("layer_norm: equal numbers whose sum is too large, and a weight that is huge beside the row") {
  Variable x(Tensor::full({1, 3}, std::ldexp(1.0, 127)), Variable::kRequiresGrad);
  Variable y = layer_norm(x, {}, {}, {.eps = 0.25});
  CHECK(y.value().to_vector() == std::vector<double>{0, 0, 0});
  backward(sum(y * Variable(Tensor::from(std::vector<float>{1, 0, -1}, {1, 3}))));
  CHECK(x.grad().to_vector() == std::vector<double>{2, 0, -2});  // dy / sqrt(eps)
  Variable far(Tensor::from(std::vector<float>{-1e10f, 1, 1}, {1, 3}), Variable::kRequiresGrad);
  backward(sum(layer_norm(far, Variable(Tensor::from(std::vector<float>{1e30f, 1, 1}, {3})))));
  for (double e : far.grad().to_vector()) CHECK(std::isfinite(e));
}

TEST_CASE("layer_norm: the bits do not depend on threads or on the number of rows; anomalies are seen") {
  Variable x = leaf({700, 130}, 1, DType::f32), w = leaf({130}, 2, DType::f32), b = leaf({130}, 3, DType::f32);
  auto gradient = [&](size_t k) {
    return [&, k] {
      return grad({layer_norm(x, w, b)}, {x, w, b}, {.seeds = {leaf({700, 130}, 4, DType::f32).detach()}})[k].value();
    };
  };
  CHECK(test::same_bits_for_any_threads([&] { return layer_norm(x, w, b).value(); }));
  for (size_t k : {0UL, 1UL, 2UL}) CHECK(test::same_bits_for_any_threads(gradient(k)));
  Variable few(x.value().slice(0, 0, 3));
  CHECK(bit_equal(layer_norm(few, w, b).value(), layer_norm(x, w, b).value().slice(0, 0, 3).contiguous()));
  Anomaly anomaly;
  CHECK(layer_norm(few).shape() == Shape{3, 130});  // inputs that are not there are no anomaly
}
