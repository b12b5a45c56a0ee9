// Exercise 03.2 in the translator: the gradients of every product with a weight matrix.
//
//   y = x W          dx, dW = matmul_gradients(x, W, dy)          x [K] rows, [M, K] or [B, M, K], W [K, N]
//
// The product itself is the library's.
#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tutorials/03_tensor_autograd/exercises/2_matmul.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable product_mine(const Variable& x, const Variable& w) {
  return attach("mine.matmul", {x, w}, matmul(x.value(), w.value()),
                [sx = save(x), sw = save(w)](Grads& g, const Variable& dy) {
                  require_first_derivative(g.recording(), "mine.matmul");
                  mine::Gradients both = mine::matmul_gradients(g[sx].value(), g[sw].value(), dy.value());
                  g.add(0, both.da);
                  g.add(1, both.db);
                });
}

void check(Comparison& c) {
  Generator rng(1);
  Tensor w = Tensor::normal({3, 5}, rng, 0, 1, DType::f64);
  for (const Shape& shape : {Shape{4, 3}, Shape{2, 4, 3}})
    c.functions(
        "A B with A " + to_string(shape), [](const auto& in) { return product_mine(in[0], in[1]); },
        [](const auto& in) { return matmul(in[0], in[1]); }, {Tensor::normal(shape, rng, 0, 1, DType::f64), w});
}

void use(Pieces& pieces) { pieces.product = product_mine; }

const Registered part({.name = "matmul", .exercise = "03.2", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
