// Gradients of gradients: closed forms to the third order, fused operations, masked rows.
#include <cmath>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

// d^n f / dx^n at every element, for an elementwise f.
Tensor derivative(const Variable& y, const Variable& x, int order) {
  Variable d = y;
  for (int n = 0; n < order; ++n) d = grad({sum(d)}, {x}, {.create_graph = true})[0];
  return d.value();
}

bool close(const Tensor& got, const Tensor& expected, double tolerance) {
  double scale = 1;
  for (double e : expected.to_vector()) scale = std::max(scale, std::fabs(e));
  return max_abs_difference(got, expected) <= tolerance * scale;
}

struct LossAndGradients {
  Tensor loss, first, second;
};
template <class F>
LossAndGradients run(const F& f, DType dtype) {
  Variable x = random_leaf({6, 9}, 4, dtype);
  Variable loss = f(x * 3);
  Tensor first = grad({sum(loss)}, {x}, {.retain_graph = true})[0].value().clone();
  Variable recorded = grad({sum(loss)}, {x}, {.create_graph = true})[0];
  CHECK(close(recorded.value(), first, dtype == DType::f64 ? 1e-12 : 1e-5));
  return {loss.value(), first, grad({sum(recorded * recorded)}, {x})[0].value()};
}

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "higher order: tanh, exp and products to the third derivative") {
  Variable x = random_leaf({7}, 1);
  Tensor v = x.value(), t = tanh(v), s = add(neg(square(t)), 1);  // s = 1 - t^2
  CHECK(close(derivative(tanh(x), x, 1), s, 1e-14));
  CHECK(close(derivative(tanh(x), x, 2), mul(mul(t, s), -2), 1e-14));
  CHECK(close(derivative(tanh(x), x, 3), mul(mul(s, add(mul(square(t), 3), -1)), 2), 1e-14));
  CHECK(close(derivative(exp(x * 2), x, 3), mul(exp(mul(v, 2)), 8), 1e-14));
  CHECK(close(derivative(x * x * x * x, x, 3), mul(v, 24), 1e-14));
  CHECK(derivative(x * x * x, x, 3).to_vector() == Doubles(7, 6.0));
}

TEST_CASE_FIXTURE(LeakFree, "higher order: a cubic form of matrix products to the third derivative") {
  // L = sum (A A A) with A = x M:  d^3 L / dx^3 = 6 sum(M M M)
  Variable m = Variable(random_leaf({3, 3}, 2).value()), x = leaf({0.7}, {});
  Variable a = x * m;
  Variable loss = sum(matmul(matmul(a, a), a));
  double cube = sum(matmul(matmul(m, m), m)).item();
  CHECK(derivative(loss, x, 1).item() == doctest::Approx(3 * 0.49 * cube).epsilon(1e-12));
  CHECK(derivative(loss, x, 2).item() == doctest::Approx(6 * 0.7 * cube).epsilon(1e-12));
  CHECK(derivative(loss, x, 3).item() == doctest::Approx(6 * cube).epsilon(1e-12));
}

TEST_CASE_FIXTURE(LeakFree, "higher order: the fused cross-entropy is the composed one, to the second order") {
  Tensor targets = Tensor::from(std::vector<int64_t>{0, 8, -100, 3, 3, 5}, {6});
  for (Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none})
    for (double smoothing : {0.0, 0.1})
      for (DType dtype : {DType::f32, DType::f64}) {
        CrossEntropyOptions o{.label_smoothing = smoothing, .reduction = reduction};
        auto fused = run([&](const Variable& x) { return cross_entropy(x, targets, o); }, dtype);
        auto composed = run([&](const Variable& x) { return cross_entropy_composed(x, targets, o); }, dtype);
        double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
        CHECK(close(fused.loss, composed.loss, tolerance));
        CHECK(close(fused.first, composed.first, tolerance));
        CHECK(close(fused.second, composed.second, tolerance));
      }
}

TEST_CASE_FIXTURE(LeakFree, "higher order: where norm and stddev have the gradient 0 by definition, so is the second") {
  for (auto f : {+[](const Variable& x) { return norm(x); }, +[](const Variable& x) { return stddev(x); }}) {
    Variable x(Tensor::full({3}, f(Variable(Tensor::ones({3}))).item() == 0 ? 2 : 0, DType::f64),
               Variable::kRequiresGrad);
    Variable dx = grad({f(x)}, {x}, {.create_graph = true})[0];
    CHECK(dx.value().to_vector() == std::vector<double>{0, 0, 0});
    CHECK(grad({select(dx, 0, 0)}, {x})[0].value().to_vector() == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE_FIXTURE(LeakFree, "higher order: a softmax row masked wholly gives zeros and finite gradients") {
  Variable x = random_leaf({2, 3}, 3), v = random_leaf({3, 2}, 4);
  Tensor mask = Tensor::from_bools({0, 1}, {2, 1});
  Variable p = softmax(masked_fill(x, mask, -INFINITY));
  CHECK(p.value().select(0, 1).to_vector() == Doubles{0, 0, 0});
  Variable loss = sum(square(matmul(p, v)));
  Variable d = grad({loss}, {x}, {.create_graph = true})[0];
  CHECK(all_finite(d.value()));
  CHECK(d.value().select(0, 1).to_vector() == Doubles{0, 0, 0});
  for (const Variable& second : grad({sum(square(d))}, {x, v})) {
    CHECK(all_finite(second.value()));
    CHECK(max_abs_difference(second.value(), Tensor::zeros(second.shape(), DType::f64)) > 0);
  }
  Variable all = random_leaf({2, 3}, 5);  // and with every row masked
  backward(sum(softmax(masked_fill(all, Tensor::from_bools({1}, {1}), -INFINITY)) * 3));
  CHECK(all.grad().to_vector() == Doubles(6, 0.0));
}

TEST_CASE_FIXTURE(LeakFree, "higher order: an operation without a recorded form says so by its constant gradient") {
  // A gradient computed with kernels only is a constant: the second derivative then misses it, and gradgradcheck
  // finds that.
  auto f = [](const std::vector<Variable>& in) {
    return attach("opaque", {in[0]}, square(in[0].value()), [sx = save(in[0])](Grads& g, const Variable& dy) {
      g.add(0, Variable(mul(mul(g[sx].value(), dy.value()), 2)));
    });
  };
  Tensor x = Tensor::from(Doubles{1, 2, 3}, {3});
  CHECK(gradcheck(f, {x}).passed);
  CHECK(gradgradcheck(f, {x}).fault == Fault::missing);
}
