// The checker itself: right gradients pass, wrong ones are caught and named.
#include "autograd/gradcheck.h"

#include <cmath>

#include "autograd/attach.h"
#include "autograd/cases/cases.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

using In = const std::vector<Variable>&;

Tensor values(const Doubles& v, const Shape& shape) { return Tensor::from(v, shape); }
Tensor random(const Shape& shape, uint64_t seed) { return random_leaf(shape, seed).value(); }

// f with the gradient of its input multiplied, element by element.
GradcheckFunction scaled(const Tensor& factor) {
  return [factor](In in) {
    return square(attach("scaled", {in[0]}, in[0].value(),
                         [factor](Grads& g, const Variable& dy) { g.add(0, dy * Variable(factor)); }));
  };
}

}  // namespace

TEST_SUITE("gradcheck") {
  TEST_CASE_FIXTURE(LeakFree, "gradcheck: every fault planted in every operation is caught and named") {
    for (const CaseRow& row : operation_cases())
      for (Fault fault : {Fault::sign, Fault::missing, Fault::twice, Fault::mean, Fault::transpose}) {
        PlantedFault planted = plant_in(row, fault);
        CHECK_MESSAGE(planted.named, row.name << " " << name_of(fault) << ": " << to_string(planted.report));
      }
  }

  TEST_CASE_FIXTURE(LeakFree, "gradcheck: by random directions, faults are caught and ratios named") {
    for (const CaseRow& row : operation_cases())
      for (Fault fault : {Fault::sign, Fault::missing, Fault::twice}) {
        PlantedFault planted = plant_in(row, fault, {.method = GradcheckOptions::directions});
        CHECK_MESSAGE(planted.named, row.name << " " << name_of(fault) << ": " << to_string(planted.report));
      }
    for (const CaseRow& row : operation_cases())
      for (const Case& c : row.cases) {
        GradcheckReport r = gradcheck(c.f, c.leaves(), {.method = GradcheckOptions::directions});
        CHECK_MESSAGE(r.passed, row.name << " " << c.label << ": " << to_string(r));
      }
  }

  TEST_CASE_FIXTURE(LeakFree, "gradcheck: a fault in the gradient's gradient only is caught by gradgradcheck") {
    auto f = [](In in) {  // x^2, its gradient 2 x dy recorded with a wrong sign for x
      return attach("hollow", {in[0]}, square(in[0].value()), [sx = save(in[0])](Grads& g, const Variable& dy) {
        Variable x = attach("wrong", {g[sx]}, g[sx].value(), [](Grads& h, const Variable& dx) { h.add(0, -dx); });
        g.add(0, dy * x * 2);
      });
    };
    Tensor x = random({2, 3}, 1);
    CHECK(gradcheck(f, {x}).passed);
    GradcheckReport r = gradgradcheck(f, {x});
    CHECK_FALSE(r.passed);
    CHECK(r.fault == Fault::sign);
    CHECK(r.worst.input == 0);
  }
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: the full Jacobian is kept, and is the known one") {
  Tensor a = values({1, 2, 3, 4, 5, 6}, {2, 3}), b = values({1, -1, 2}, {3});
  GradcheckReport r =
      gradcheck([](In in) { return matmul(in[0], in[1]); }, {a, b}, {.method = GradcheckOptions::jacobian});
  CHECK(r.passed);
  CHECK(r.compared == 2 * 6 + 2 * 3);
  REQUIRE(r.jacobians.size() == 2);
  CHECK(r.jacobians[0].analytic.shape() == Shape{2, 6});
  CHECK(r.jacobians[0].analytic.to_vector() == Doubles{1, -1, 2, 0, 0, 0, 0, 0, 0, 1, -1, 2});
  CHECK(r.jacobians[1].analytic.to_vector() == Doubles{1, 2, 3, 4, 5, 6});
  CHECK(max_abs_difference(r.jacobians[1].numeric, r.jacobians[1].analytic) < 1e-9);
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: the report names the worst element and its diagnosis") {
  Tensor x = values({1, 2, 3, 4, 5, 6}, {2, 3});
  GradcheckReport r = gradcheck(scaled(values({1, 1, 1, 1, 0, 1}, {2, 3})), {x});
  CHECK_FALSE(r.passed);
  CHECK(r.fault == Fault::missing);
  CHECK(r.worst.index == Dims{1, 1});
  CHECK(r.worst.analytic == 0);
  CHECK(r.worst.relative == doctest::Approx(1));
  CHECK(r.diagnosis == "input 0: it is 0 in 1 of 6 elements (the others are right): a term is missing");
  CHECK(to_string(r).rfind("failed: worst at input 0 at [1, 1]: analytic 0, numeric ", 0) == 0);
  CHECK(to_string(gradcheck(scaled(Tensor::ones({2, 3}, DType::f64)), {x})).rfind("passed: 6 numbers, ", 0) == 0);
  GradcheckReport j =
      gradcheck(scaled(values({1, 1, 1, 1, 0, 1}, {2, 3})), {x}, {.method = GradcheckOptions::jacobian});
  CHECK(j.worst.output == Dims{1, 1});
  CHECK(j.worst.index == Dims{1, 1});
  CHECK(j.worst.numeric == doctest::Approx(10));
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: ratios and what they are called") {
  auto diagnosis = [](const Doubles& factors) {
    return gradcheck(scaled(values(factors, {2, 3})), {values({1, 2, 3, 4, 5, 6}, {2, 3})});
  };
  auto all = [](double c) { return Doubles(6, c); };
  CHECK(diagnosis(all(-1)).diagnosis ==
        "input 0: it has the opposite sign in all 6 elements: a minus is missing or too many");
  CHECK(diagnosis(all(2)).diagnosis == "input 0: it is twice too large in all 6 elements: a term is counted twice");
  CHECK(diagnosis(all(1.0 / 3)).diagnosis ==
        "input 0: it is 1/3 of what it should be in all 6 elements: a mean where a sum was meant (3 is the size of "
        "axis 1 of input 0)");
  CHECK(diagnosis(all(6)).diagnosis ==
        "input 0: it is 6 times too large in all 6 elements: a sum where a mean was meant (6 is the number of elements "
        "of input 0)");
  CHECK(diagnosis(all(0.5)).fault == Fault::mean);  // an axis of 2 is there; the sentence leaves both ways open
  CHECK(diagnosis(all(0.5)).diagnosis.find("or one of two equal terms is missing") != std::string::npos);
  CHECK(diagnosis(all(0.7)).fault == Fault::other);
  CHECK(diagnosis(all(0.7)).diagnosis ==
        "input 0: it is 0.7 times too large in all 6 elements: a constant factor is wrong");
  CHECK(diagnosis({1, 0.3, 0.5, 1, 1, 0.9}).diagnosis ==
        "input 0: analytic / numeric runs from 0.3 to 0.9: no single ratio explains it; 3 of 6 elements (the others "
        "are right) are wrong");
  CHECK(diagnosis({1, 1, NAN, 1, 1, 1}).diagnosis == "input 0: it is not finite in 1 of 6 elements");
  CHECK(std::isinf(diagnosis({1, 1, NAN, 1, 1, 1}).max_relative_error));
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: a transpose is named for squares, refused shapes and transposed buffers") {
  auto product = [](bool reshaped) {
    return [reshaped](In in) {
      Variable w = attach("crossed", {in[1]}, in[1].value(), [reshaped](Grads& g, const Variable& dw) {
        Variable t = transpose(dw, 0, 1);
        g.add(0, reshaped ? reshape(t, dw.shape()) : t);
      });
      return matmul(in[0], w);
    };
  };
  GradcheckReport square = gradcheck(product(false), {random({3, 3}, 1), random({3, 3}, 2)});
  CHECK(square.fault == Fault::transpose);
  CHECK(square.diagnosis ==
        "input 1: its elements stand at the places of axes 0 and 1 exchanged: a transpose is missing or too many");
  GradcheckReport refused = gradcheck(product(false), {random({2, 3}, 1), random({3, 4}, 2)});
  CHECK(refused.fault == Fault::transpose);
  CHECK(refused.worst.input == 1);
  CHECK(refused.diagnosis ==
        "input 1: it has shape [4, 3] for a value of shape [3, 4], axes 0 and 1 exchanged: a transpose is missing or "
        "too many (backward of crossed: a gradient must have the shape and dtype of its value; got f64 [4, 3] for f64 "
        "[3, 4] of leaf)");
  CHECK(gradcheck(product(true), {random({2, 3}, 1), random({3, 4}, 2)}).fault == Fault::transpose);
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: at a corner it blames the point, not the gradient") {
  Tensor x = values({1, 0, -1}, {3});
  GradcheckReport r = gradcheck([](In in) { return relu(in[0]) * 2; }, {x});
  CHECK_FALSE(r.passed);
  CHECK(r.worst.index == Dims{1});
  CHECK(r.fault == Fault::kink);
  CHECK(r.diagnosis == "input 0: the function has a corner here: its slopes to the left and to the right differ");
  auto wrong = plant_fault([](In in) { return relu(in[0]) * 2; }, Fault::sign);  // a fault elsewhere is still named
  CHECK(gradcheck(wrong, {values({1, 2, -1}, {3})}).fault == Fault::sign);
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: a straight-through gradient is checked against its surrogate") {
  auto round_through = [](In in) {  // forward: sign; backward: as if it were tanh
    Tensor y = sign(in[0].value());
    return attach("sign", {in[0]}, y,
                  [sx = save(in[0])](Grads& g, const Variable& dy) { g.add(0, dy * (1 - square(tanh(g[sx])))); });
  };
  auto surrogate = [](In in) { return tanh(in[0]); };
  Tensor x = random({2, 3}, 7);
  CHECK_FALSE(gradcheck(round_through, {x}).passed);
  CHECK(gradcheck(round_through, {x}, {.surrogate = surrogate}).passed);
  CHECK(gradgradcheck(round_through, {x}, {.tolerance = 1e-5, .surrogate = surrogate}).passed);
  CHECK_FALSE(gradcheck(round_through, {x}, {.surrogate = [](In in) { return sigmoid(in[0]); }}).passed);
  CHECK(error_of([&] { gradcheck(round_through, {x}, {.surrogate = [](In in) { return sum(in[0]); }}); }) ==
        "gradcheck: the surrogate must have as many values as f; got 1 for 6");
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: its inputs stay as they were, and a graph is not needed around it") {
  Tensor x = random({2, 3}, 1), before = x.clone();
  NoGrad guard;
  CHECK(gradcheck([](In in) { return tanh(in[0]); }, {x}).passed);
  CHECK(gradgradcheck([](In in) { return tanh(in[0]); }, {x}).passed);
  CHECK(bit_equal(x, before));
}

TEST_CASE_FIXTURE(LeakFree, "gradcheck: a step that grows with the value serves large and small values") {
  CHECK(gradcheck([](In in) { return log(in[0]); }, {values({1e6, 1, 0.01, 1e-2}, {4})}).passed);
  CHECK(gradcheck([](In in) { return square(in[0]); }, {values({1e5, 1e-5, 0}, {3})}).passed);
}
