// The coverage loss: nothing to cover at the first step, at most 1, and 1 for the same distribution again.
#include "nn/attention/coverage.h"

#include "autograd/gradcheck.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// The loss is 0 at the first step, 1 where a distribution repeats, and 0 where no key is read twice.
TEST_CASE("coverage loss: 0 at the first step, in [0, 1] at all, 1 where a distribution repeats, 0 where none does" *
          holds("coverage_lies_between_0_and_1")) {
  Tensor a = softmax(Variable(random({3, 5, 4}, 1, DType::f64))).value();
  Tensor loss = nn::coverage_loss(Variable(a)).value();
  REQUIRE(loss.shape() == Shape{3, 5});
  for (int64_t b = 0; b < 3; ++b) {
    CHECK(loss.at({b, 0}) == 0);
    for (int64_t t = 0; t < 5; ++t) {
      CHECK(loss.at({b, t}) >= 0);
      CHECK(loss.at({b, t}) <= 1 + 1e-12);
    }
  }
  Variable same = expand(Variable(a.slice(1, 0, 1)), {3, 5, 4});
  Tensor repeated = nn::coverage_loss(same).value();
  for (int64_t t = 1; t < 5; ++t) CHECK(repeated.at({0, t}) == doctest::Approx(1).epsilon(1e-12));
  CHECK(all_zero(nn::coverage_loss(Variable(Tensor::eye(4).unsqueeze(0))).value()));
}

// The loss, a mean over the steps that count, and its gradient agree with an example worked out by hand.
TEST_CASE("coverage loss: by hand, its mean over the steps that count, and its gradient" *
          holds("golden_coverage_loss")) {
  // c_2 = (0.7, 0.3), c_3 = (0.9, 1.1)
  Variable a(Tensor::from(std::vector<double>{0.7, 0.3, 0.2, 0.8, 0.95, 0.05}, {1, 3, 2}));
  Tensor loss = nn::coverage_loss(a).value();
  CHECK(loss.at({0, 1}) == doctest::Approx(0.5));
  CHECK(loss.at({0, 2}) == doctest::Approx(0.95));
  CHECK(nn::mean_coverage_loss(a, Tensor::from_bools({1, 1, 0}, {1, 3})).item() == doctest::Approx(0.25));
  CHECK(nn::mean_coverage_loss(a, Tensor::from_bools({0, 0, 0}, {1, 3})).item() == 0);
  auto f = [](const std::vector<Variable>& in) { return nn::coverage_loss(softmax(in[0])); };
  GradcheckReport r = gradcheck(f, {random({2, 4, 3}, 2, DType::f64)});
  CHECK_MESSAGE(r.passed, to_string(r));
}
