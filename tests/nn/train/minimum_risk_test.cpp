// Minimum risk: the gradient is that of the expected risk, by enumeration and by hand.
#include "nn/train/minimum_risk.h"

#include <cmath>

#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// The loss of two candidates and its gradient agree with an example worked out by hand.
TEST_CASE("minimum risk: two candidates by hand, and the gradient alpha Q (risk - loss)" *
          holds("golden_two_candidates")) {
  // p = .6 and .2, alpha 1: Q = .75 and .25, loss = .25; d log p_1 = .75 (0 - .25), d log p_2 = .25 (1 - .25)
  Variable log_p(Tensor::from(std::vector<double>{std::log(.6), std::log(.2)}, {1, 2}), Variable::kRequiresGrad);
  Tensor risk = Tensor::from(std::vector<double>{0, 1}, {1, 2});
  Variable loss = nn::minimum_risk(log_p, risk, {.alpha = 1});
  CHECK(loss.shape() == Shape{1});
  CHECK(loss.value().at({0}) == doctest::Approx(.25));
  backward(sum(loss));
  CHECK(log_p.grad().at({0, 0}) == doctest::Approx(-.1875));
  CHECK(log_p.grad().at({0, 1}) == doctest::Approx(.1875));
  CHECK(nn::minimum_risk(log_p, risk, {.alpha = 1e-9}).value().at({0}) == doctest::Approx(.5));  // flat
}

// Over all sentences, with an exponent of 1, it is the model's own expected risk, and so is its gradient.
TEST_CASE("minimum risk: over all sentences with alpha 1 it is the expectation of the risk" *
          holds("it_is_the_expected_risk")) {
  // Words of two letters over {0, 1, 2}, all nine: the model's own expected risk, differentiated through its logits.
  Variable logits = leaf({2, 3}, 3, DType::f64);
  Variable step = log_softmax(logits, -1);
  std::vector<Variable> log_p;
  std::vector<double> risk;
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t b = 0; b < 3; ++b) {
      log_p.push_back(select(select(step, 0, 0), 0, a) + select(select(step, 0, 1), 0, b));
      risk.push_back(std::abs(double(a) - 2) + (b == 1 ? 0 : 1));
    }
  Variable loss = sum(nn::minimum_risk(reshape(stack(log_p, 0), {1, 9}), Tensor::from(risk, {1, 9}), {.alpha = 1}));
  Variable first = softmax(select(logits, 0, 0), -1), second = softmax(select(logits, 0, 1), -1);
  Variable expected = sum(first * Variable(Tensor::from(std::vector<double>{2, 1, 0}, {3}))) +
                      sum(second * Variable(Tensor::from(std::vector<double>{1, 0, 1}, {3})));
  CHECK(loss.item() == doctest::Approx(expected.item()).epsilon(1e-12));
  Tensor a = grad({loss}, {logits}, {.retain_graph = true})[0].value(), b = grad({expected}, {logits})[0].value();
  CHECK(max_abs_difference(a, b) < 1e-12);
}

TEST_CASE("minimum risk: a candidate of probability 0 changes nothing") {
  Variable log_p(Tensor::from(std::vector<double>{-1, -INFINITY, -1}, {1, 3}), Variable::kRequiresGrad);
  Variable loss = nn::minimum_risk(log_p, Tensor::from(std::vector<double>{0, 9, 1}, {1, 3}));
  CHECK(loss.value().at({0}) == doctest::Approx(.5));
  backward(sum(loss));
  CHECK(all_finite(log_p.grad()));
  Variable none(Tensor::full({1, 3}, -INFINITY, DType::f64));  // every candidate has the probability 0
  CHECK(nn::minimum_risk(none, Tensor::ones({1, 3}, DType::f64)).value().at({0}) == 0);
}
