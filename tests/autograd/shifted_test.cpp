// Functions that do not change when a number is added to a whole row, f(x + c) = f(x): beside a c so large that x + c
// has no digit to spare, they keep the digits of x, and so do their gradients.
//
//   x is a multiple of 1/8 and c = 2^20, so that x + c is exact in f32; in f64 c = 2^49
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

using namespace heed;

namespace {

struct Row {
  std::string name;
  std::function<Variable(const Variable&)> f;  // of x [R, N], row by row
};
const std::vector<Row> kRows = {
    {"var", [](const Variable& x) { return var(x, {-1}); }},
    {"stddev", [](const Variable& x) { return stddev(x, {-1}); }},
    {"layer_norm", [](const Variable& x) { return layer_norm(x); }},
    {"layer_norm, eps 0", [](const Variable& x) { return layer_norm(x, {}, {}, {.eps = 0}); }},
    {"layer_norm_composed", [](const Variable& x) { return layer_norm_composed(x, {}, {}, {}); }},
    {"softmax", [](const Variable& x) { return softmax(x, -1); }},
    {"log_softmax", [](const Variable& x) { return log_softmax(x, -1); }},
    {"cross_entropy",
     [](const Variable& x) {
       return cross_entropy(x, Tensor::zeros({x.size(0)}, DType::i64), {.label_smoothing = 0.1});
     }},
};

Tensor eighths(const Shape& shape, DType dtype) {
  Generator rng(3);
  return div(round(Tensor::uniform(shape, rng, -30, 30, DType::f64)), 8).to(dtype);
}

// The value, the gradient and the gradient of the gradient.
std::vector<Tensor> derivatives(const Row& row, const Tensor& at) {
  Variable x(at, Variable::kRequiresGrad), y = row.f(x);
  Generator rng(5);
  Variable seed(Tensor::uniform(y.shape(), rng, 0.5, 1, at.dtype())),
      along(Tensor::uniform(at.shape(), rng, 0.5, 1, at.dtype()));
  Variable dx = grad({y}, {x}, {.seeds = {seed}, .create_graph = true})[0];
  return {y.value(), grad({y}, {x}, {.seeds = {seed}, .retain_graph = true})[0].value(),
          grad({dx}, {x}, {.seeds = {along}})[0].value()};
}

}  // namespace

TEST_CASE("shifted rows: a large mean takes no digits from what does not depend on it") {
  for (DType dtype : {DType::f32, DType::f64})
    for (const Shape& shape : {Shape{5, 3}, Shape{4, 64}, Shape{2, 1000}})
      for (const Row& row : kRows) {
        Tensor x = eighths(shape, dtype);
        std::vector<Tensor> near = derivatives(row, x);
        std::vector<Tensor> far = derivatives(row, add(x, dtype == DType::f32 ? 0x1p20 : 0x1p49));
        for (size_t k = 0; k < near.size(); ++k) {
          double size = max(abs(near[k]).reshape({near[k].count()}), 0).item();
          CAPTURE(row.name);
          CAPTURE(to_string(shape));
          CAPTURE(k);
          CHECK(max_abs_difference(near[k], far[k]) <= (dtype == DType::f32 ? 4e-6 : 1e-14) * size);
        }
      }
}

TEST_CASE("shifted rows: equal numbers have no deviations, whatever their size") {
  for (DType dtype : {DType::f32, DType::f64})
    for (double c : {0.1, 12345.6, -1e30, 3e38, 1e-40})
      for (int64_t n : {3, 7, 768}) {
        Variable x(Tensor::full({2, n}, c, dtype), Variable::kRequiresGrad);
        CAPTURE(c);
        CAPTURE(n);
        for (double v : var(x, {-1}).value().to_vector()) CHECK(v == 0);
        for (double v : stddev(x, {-1}).value().to_vector()) CHECK(v == 0);
        Variable y = layer_norm(x);
        for (double v : y.value().to_vector()) CHECK(std::abs(v) < 1e-30);
        Variable seed(Tensor::arange(2 * n, dtype).reshape({2, n}));
        Tensor dx = grad({y}, {x}, {.seeds = {seed}})[0].value(), up = sub(seed, mean(seed, {-1}, true)).value();
        CHECK(max_abs_difference(dx, mul(up, 1 / std::sqrt(1e-5))) <= 1e-6 * static_cast<double>(n) * 632);
      }
}
