// What the engine refuses: values overwritten after they were saved, gradients of the wrong shape, NaN.
#include <cmath>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

Variable constant(const Doubles& values) {
  return Variable(Tensor::from(values, {static_cast<int64_t>(values.size())}));
}

// An operation whose gradient has the shape that `wrong` asks for.
Variable crooked(const Variable& x, const Shape& wrong, bool broadcasts) {
  return attach("crooked", {Input(x, broadcasts)}, x.value().clone(),
                [wrong](Grads& g, const Variable&) { g.add(0, Variable(Tensor::ones(wrong, DType::f64))); });
}

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "safety: a value overwritten after it was saved is an error that names both") {
  Variable a = leaf({1, 2}), c = constant({3, 4}), loss;
  {
    NameScope scope("encoder");
    loss = sum(a * c);
  }
  {
    NameScope outer("decoder"), inner("cell");
    mul_(c, 2);
  }
  CHECK(error_of([&] { backward(loss); }) ==
        "backward of mul in encoder: a value that it saved was overwritten by mul_ in decoder.cell; got version 1, "
        "saved at 0; hint: compute on a clone()");
}

TEST_CASE_FIXTURE(LeakFree, "safety: so are views of it, parameters under NoGrad, saved outputs and set_value") {
  auto overwritten = [](const Variable& loss, const std::string& operation, const std::string& writer,
                        const std::string& how = "overwritten") {
    return error_of([&] {
             backward(loss);
           }).rfind("backward of " + operation + ": a value that it saved was " + how + " by " + writer, 0) == 0;
  };
  Variable w = leaf({1, 2});
  Variable loss = sum(square(w));
  Tensor view = w.value().slice(0, 0, 1);
  fill_into(view, 7);
  CHECK(overwritten(loss, "square", "fill_into"));

  Variable v = leaf({1, 2});
  loss = sum(square(v));
  {
    NoGrad guard;
    add_(v, Tensor::ones({2}, DType::f64), -0.1);  // an optimiser's step between forward and backward
  }
  CHECK(overwritten(loss, "square", "add_"));

  Variable x = leaf({1, 2}), y = exp(x);
  loss = sum(y);
  {
    NoGrad guard;
    fill_(y, 0);
  }
  CHECK(overwritten(loss, "exp", "fill_"));

  Variable z = leaf({1, 2});
  loss = sum(square(z));
  z.set_value(Tensor::zeros({2}, DType::f64));
  CHECK(overwritten(loss, "square", "set_value; hint", "replaced"));
}

TEST_CASE_FIXTURE(LeakFree, "safety: masks and indices are values that a gradient needs, too") {
  Variable x = leaf({1, 2});
  Tensor mask = Tensor::from_bools({1, 0}, {2}), index = Tensor::from(std::vector<int64_t>{0, 0}, {2});
  std::vector<Variable> losses = {sum(masked_fill(x, mask, 0)),
                                  sum(where(mask, x, x)),
                                  sum(index_select(x, index)),
                                  sum(index_add(x, index, 3)),
                                  sum(gather(x, index)),
                                  sum(scatter_add(x, index, 3)),
                                  sum(embedding(unsqueeze(x, 1), index, 1))};
  fill_into(mask, 0);
  index.set({0}, 1);
  for (const Variable& loss : losses)
    CHECK(error_of([&] { backward(loss); }).find("a value that it saved was overwritten by") != std::string::npos);
}

TEST_CASE_FIXTURE(LeakFree, "safety: a value not saved may be overwritten") {
  Variable x = leaf({1, 2}), c = constant({3, 4});
  Variable loss = sum(x + c);
  mul_(c, 2);
  backward(loss);
  CHECK(x.grad().to_vector() == Doubles{1, 1});
}

TEST_CASE_FIXTURE(LeakFree, "safety: what no wanted gradient reads may be overwritten: linear and matmul") {
  Variable x = leaf({1, 2}, {1, 2}), w(Tensor::from(Doubles{3, 4}, {1, 2}));  // only dx is wanted, which reads w
  for (bool as_linear : {true, false}) {
    x.zero_grad();
    Variable y = as_linear ? linear(x, w, {}) : matmul(x, transpose(w, 0, 1));
    {
      NoGrad guard;
      fill_(x, 9);
    }
    backward(sum(y));
    CHECK(x.grad().to_vector() == Doubles{3, 4});
  }
}

TEST_CASE_FIXTURE(LeakFree, "safety: the sum of a scalar owns its memory") {
  Variable x(Tensor::scalar(2, DType::f64)), y = sum(x);
  fill_(y, 5);
  CHECK(x.item() == 2);
}

TEST_CASE_FIXTURE(LeakFree, "safety: writing into a value that needs a gradient is refused with guidance") {
  Variable x = leaf({1, 2}), y = x * 2;
  NameScope scope("decoder");
  CHECK(error_of([&] { add_(x, Tensor::ones({2}, DType::f64)); }) ==
        "add_ in decoder: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make "
        "a new value");
  CHECK_THROWS_AS(mul_(y, 2), GraphError);
  CHECK_THROWS_AS(fill_(y, 2), GraphError);
  CHECK_THROWS_AS(copy_(y, Tensor::ones({2}, DType::f64)), GraphError);
  CHECK(x.value().to_vector() == Doubles{1, 2});
  NoGrad guard;
  fill_(x, 5);
  CHECK(x.value().to_vector() == Doubles{5, 5});
}

TEST_CASE_FIXTURE(LeakFree, "safety: a gradient [1, N] for a value [N] is refused where nothing broadcasts") {
  Variable x = leaf({1, 2, 3});
  Variable loss = sum(crooked(x, {1, 3}, /*broadcasts=*/false));
  CHECK(error_of([&] { backward(loss); }) ==
        "backward of crooked: a gradient must have the shape and dtype of its value; got f64 [1, 3] for f64 [3] of "
        "leaf");
  CHECK_FALSE(x.grad().defined());
  backward(sum(crooked(x, {1, 3}, /*broadcasts=*/true)));
  CHECK(x.grad().to_vector() == Doubles{1, 1, 1});
}

TEST_CASE_FIXTURE(LeakFree, "safety: where axes broadcast, only repeated axes are summed: a transpose is refused") {
  Variable x = leaf({1, 2, 3, 4, 5, 6}, {2, 3});
  for (const Shape& wrong : {Shape{3, 2}, Shape{6}, Shape{3}, Shape{}, Shape{1, 3}, Shape{2, 2, 1}}) {
    Variable loss = sum(crooked(x, wrong, /*broadcasts=*/true));
    CHECK(error_of([&] { backward(loss); }).rfind("backward of crooked: a gradient must have the shape", 0) == 0);
  }
  CHECK_THROWS_AS(sum_to(x, {3, 2}), ShapeError);
  CHECK_THROWS_AS(sum_to(x, {1, 2, 3}), ShapeError);
}

TEST_CASE_FIXTURE(LeakFree, "safety: a gradient of another dtype is refused") {
  Variable x = leaf({1, 2, 3});
  Variable y = attach("careless", {x}, x.value().clone(),
                      [](Grads& g, const Variable&) { g.add(0, Variable(Tensor::ones({3}, DType::f32))); });
  CHECK(error_of([&] { backward(sum(y)); }).find("got f32 [3] for f64 [3] of leaf") != std::string::npos);
}

TEST_CASE_FIXTURE(LeakFree, "safety: anomaly names operation, module, position and shapes, forward") {
  Anomaly guard;
  NameScope outer("encoder"), inner("norm");
  Variable x = leaf({1, 4, -1, 2}, {2, 2});
  CHECK(error_of([&] { log(x); }) ==
        "log in encoder.norm: gave nan at position 2 of its result [2, 2]; got inputs [2, 2]");
  CHECK(error_of([&] {
          div(x, Variable(Tensor::from(Doubles{1, 0}, {2})));
        }) == "div in encoder.norm: gave inf at position 1 of its result [2, 2]; got inputs [2, 2], [2]");
  Variable masked = masked_fill(x, Tensor::from_bools({1, 0}, {2}), -INFINITY);  // a mask may write infinities,
  CHECK(softmax(masked).value().at({0, 1}) == 1);                                // and who reads them is not to blame
  CHECK(exp(masked).value().at({0, 0}) == 0);
}

TEST_CASE_FIXTURE(LeakFree, "safety: anomaly names operation, module, position and shape, backward") {
  Variable x = leaf({4, -1}), loss;
  {
    NameScope scope("encoder");
    loss = sum(sqrt(x));
  }
  Anomaly guard;
  CHECK(error_of([&] { backward(loss); }) ==
        "backward of sqrt in encoder: gave nan at position 1 of the gradient of input 0; got shape [2]");
  Variable z = leaf({4, 0});
  Variable far;
  {
    NameScope scope("decoder");
    far = sum(sqrt(z));
  }
  CHECK(error_of([&] { backward(far); }) ==
        "backward of sqrt in decoder: gave inf at position 1 of the gradient of input 0; got shape [2]");
  CHECK(error_of([&] { backward(sum(sqrt(z) * 0.0)); }).empty());  // a gradient of 0 stays 0: nothing to report
}

TEST_CASE_FIXTURE(LeakFree, "safety: a pass that failed leaves the graph in order") {
  Variable x = leaf({1, 2}), bad = crooked(square(x), {3}, /*broadcasts=*/false), good = square(x);
  CHECK_THROWS(backward(sum(bad)));
  backward(sum(good));
  CHECK(x.grad().to_vector() == Doubles{2, 4});
}
