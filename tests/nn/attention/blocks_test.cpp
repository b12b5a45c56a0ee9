// What stands around attention: the golden values of layer norm and of label smoothing.
#include <cmath>

#include "nn/norm.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

// The loss of three classes agrees with one worked out by hand, and is smallest at the smoothed target.
TEST_CASE("label smoothing: the loss of three classes by hand, and where it is least" * holds("golden_smoothed_loss")) {
  Tensor logits = Tensor::from(std::vector<double>{std::log(0.7), std::log(0.2), std::log(0.1)}, {1, 3});
  Tensor word = Tensor::from(std::vector<int64_t>{0}, {1});
  double e = 0.1, wanted = -(1 - e + e / 3) * std::log(0.7) - e / 3 * (std::log(0.2) + std::log(0.1));
  CHECK(cross_entropy(Variable(logits), word, {.label_smoothing = e}).item() == doctest::Approx(wanted).epsilon(1e-12));
  // Least where p is the smoothed target itself, where the gradient is 0; certainty costs more.
  Tensor target = Tensor::from(std::vector<double>{std::log(1 - e + e / 3), std::log(e / 3), std::log(e / 3)}, {1, 3});
  Variable best(target, Variable::kRequiresGrad);
  Variable loss = cross_entropy(best, word, {.label_smoothing = e});
  backward(loss);
  CHECK(max_abs_difference(best.grad(), Tensor::zeros({1, 3}, DType::f64)) < 1e-15);
  Tensor sure = Tensor::from(std::vector<double>{20, 0, 0}, {1, 3});
  CHECK(cross_entropy(Variable(sure), word, {.label_smoothing = e}).item() > loss.item() + 0.5);
}

// The variance is divided by the width, not by the width minus one, and eps is added under the root.
TEST_CASE("layer norm: the variance divides by the width, and eps stands under the root" *
          holds("golden_biased_variance")) {
  Tensor x = random({1, 8}, 3, DType::f64);
  auto norm = make<nn::LayerNorm>({.shape = {8}, .eps = 1e-5}, 1);
  nn::convert(norm, DType::f64);
  double mean = 0, squares = 0;
  for (double v : x.to_vector()) mean += v / 8;
  for (double v : x.to_vector()) squares += (v - mean) * (v - mean);
  Tensor y = norm(Variable(x)).value();
  for (int64_t i = 0; i < 8; ++i) {
    double centred = x.at({0, i}) - mean;
    CHECK(y.at({0, i}) == doctest::Approx(centred / std::sqrt(squares / 8 + 1e-5)).epsilon(1e-12));
    // Divided by the unbiased deviation, as in the annotated transformer, it would be sqrt(7/8) of that.
    CHECK(centred / std::sqrt(squares / 7) / y.at({0, i}) == doctest::Approx(.9354).epsilon(1e-4));
  }
  // Constant words: eps under the root keeps 0 / sqrt(eps) at 0.
  CHECK(all_zero(norm(Variable(Tensor::full({1, 8}, 3, DType::f64))).value()));
  Tensor tiny = mul(x, 1e-3);  // where eps counts as much as the variance
  CHECK(norm(Variable(tiny)).value().at({0, 0}) ==
        doctest::Approx(1e-3 * (x.at({0, 0}) - mean) / std::sqrt(1e-6 * squares / 8 + 1e-5)).epsilon(1e-12));
}
