// Exercise 03.1 in the translator: the gradient of every addition that repeats a value, as biases and queries do.
//
//   y = x + b          dx, db = undo_broadcast(dy, the shape of x or b)
//
// The sum itself is the library's.
#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tutorials/03_tensor_autograd/exercises/1_broadcast.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

Variable add_mine(const Variable& x, const Variable& b) {
  return attach("mine.add", {x, b}, add(x.value(), b.value()),
                [first = x.shape(), second = b.shape()](Grads& g, const Variable& dy) {
                  require_first_derivative(g.recording(), "mine.add");
                  if (g.needs(0)) g.add(0, mine::undo_broadcast(dy.value(), first));
                  if (g.needs(1)) g.add(1, mine::undo_broadcast(dy.value(), second));
                });
}

void check(Comparison& c) {
  Generator rng(1);
  Tensor dy = Tensor::normal({2, 4, 3}, rng, 0, 1, DType::f64);
  for (const Shape& shape : {Shape{3}, Shape{4, 1}, Shape{2, 1, 3}, Shape{1, 3}, Shape{}, Shape{2, 4, 3}})
    c.value("undo_broadcast of [2, 4, 3] to " + to_string(shape), mine::undo_broadcast(dy, shape),
            sum_to(Variable(dy), shape).value());
  for (const Shape& shape : {Shape{3}, Shape{2, 1, 3}})
    c.functions(
        "x + b with b " + to_string(shape), [](const auto& in) { return add_mine(in[0], in[1]); },
        [](const auto& in) { return in[0] + in[1]; }, {dy, Tensor::normal(shape, rng, 0, 1, DType::f64)});
}

void use(Pieces& pieces) { pieces.add = add_mine; }

const Registered part({.name = "broadcast", .exercise = "03.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
