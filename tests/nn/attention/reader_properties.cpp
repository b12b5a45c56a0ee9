// What hard attention holds: its estimator is right on average, and how far single draws are from that.
#include <cmath>

#include "nn/attention/normalisers/hard.h"
#include "nn/attention/readers/hard.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::HardRead;
using nn::HardReader;
using nn::Reinforce;

// One sentence, T choices among S values; log p(y | z) is a smooth function of what was read and of parameters u.
struct Game {
  int64_t S, T;
  Variable scores = leaf({1, T, S}, 1, kF64), values = leaf({1, S, 2}, 2, kF64), u = leaf({1, T, 2}, 3, kF64);

  Variable weights() const { return softmax(scores); }
  Variable log_likelihood(const Variable& context) const {  // [1]
    return -log(1 + exp(-sum(tanh(context) * u, {1, 2}))) - square(sum(context, {1, 2}));
  }
  std::vector<Variable> leaves() const { return {scores, values, u}; }
  // All S^T choices, each with its probability.
  template <class F>
  void for_each_choice(const F& f) const {
    int64_t n = 1;
    for (int64_t t = 0; t < T; ++t) n *= S;
    for (int64_t number = 0; number < n; ++number) {
      std::vector<int64_t> z;
      for (int64_t t = 0, rest = number; t < T; ++t, rest /= S) z.push_back(rest % S);
      HardRead seen = nn::read_chosen(weights(), values, Tensor::from(z, {1, T}));
      f(seen, std::exp(sum(seen.log_probability).item()));
    }
  }
  std::vector<Tensor> exact_gradient() const {  // of E[log p] = sum_z p(z) log p(y | z), differentiated as it stands
    Variable expected(Tensor::zeros({1}, kF64));
    for_each_choice([&](const HardRead& seen, double) {
      expected = expected + exp(sum(seen.log_probability, {1})) * log_likelihood(seen.context);
    });
    std::vector<Tensor> out;
    for (const Variable& g : grad({sum(expected)}, leaves())) out.push_back(g.value());
    return out;
  }
  std::vector<Tensor> mean_of_the_estimator(double baseline) const {
    Reinforce loss = make<Reinforce>({}, 1);
    std::vector<Tensor> out;
    for (const Variable& x : leaves()) out.push_back(Tensor::zeros(x.shape(), kF64));
    for_each_choice([&](const HardRead& seen, double probability) {
      loss.baseline = Tensor::scalar(baseline, kF64);
      Variable surrogate = loss(log_likelihood(seen.context), seen.log_probability, seen.entropy);
      std::vector<Variable> g = grad({surrogate}, leaves());
      for (size_t i = 0; i < g.size(); ++i) add_into(out[i], g[i].value(), -probability);
    });
    return out;
  }
};

void close(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(max_abs_difference(a[i], b[i]) < 1e-10);
    CHECK_FALSE(all_zero(b[i]));
  }
}

// The mean of the estimator over all choices is the exact gradient of the expected reward: it is unbiased.
PROPERTY(expectation_is_the_gradient) {
  for (int64_t S : {2, 3, 4})
    for (int64_t T : {1, 2}) {
      CAPTURE(S);
      CAPTURE(T);
      Game game{.S = S, .T = T};
      close(game.mean_of_the_estimator(0), game.exact_gradient());
    }
}

// A constant baseline leaves the mean of the estimator as it is; it only changes its variance.
PROPERTY(constant_baseline_changes_nothing) {
  Game game{.S = 3, .T = 2};
  for (double b : {-1.3, 0.2, 5.0}) close(game.mean_of_the_estimator(b), game.exact_gradient());
}

// e = [.3, -1, .7], log p = [-2, -.5, -1.3]: the variance of the gradient with respect to e, summed over its entries.
double variance_with(double baseline) {
  const std::vector<double> log_p{-2, -.5, -1.3};
  std::vector<double> sum_of(3), squares(3);
  for (int64_t z = 0; z < 3; ++z) {
    Variable e(Tensor::from(std::vector<double>{.3, -1, .7}, {1, 1, 3}), Variable::kRequiresGrad);
    HardRead seen =
        nn::read_chosen(softmax(e), Variable(Tensor::zeros({1, 3, 1}, kF64)), Tensor::from(std::vector{z}, {1, 1}));
    Reinforce loss = make<Reinforce>({}, 1);
    loss.baseline = Tensor::scalar(baseline, kF64);
    backward(loss(Variable(Tensor::full({1}, log_p[size_t(z)], kF64)), seen.log_probability, seen.entropy));
    double probability = std::exp(seen.log_probability.item());
    for (int64_t s = 0; s < 3; ++s) {
      double g = -e.grad().at({0, 0, s});
      sum_of[size_t(s)] += probability * g;
      squares[size_t(s)] += probability * g * g;
    }
  }
  double total = 0;
  for (size_t s = 0; s < 3; ++s) total += squares[s] - sum_of[s] * sum_of[s];
  return total;
}

// With the mean reward as its baseline the estimator varies far less than without one, and with a bad
// baseline far more.
PROPERTY(golden_variances) {
  std::vector<double> w = softmax(Variable(Tensor::from(std::vector<double>{.3, -1, .7}, {3}))).value().to_vector();
  double mean = -2 * w[0] - .5 * w[1] - 1.3 * w[2];
  CHECK(variance_with(0) == doctest::Approx(1.3226).epsilon(1e-4));
  CHECK(variance_with(mean) == doctest::Approx(.1379).epsilon(1e-3));
  CHECK(variance_with(5) == doctest::Approx(23.73).epsilon(1e-3));
}

// The baseline of a call is made of earlier calls alone, and evaluation leaves it as it is.
PROPERTY(baseline_does_not_see_its_own_choice) {
  Reinforce loss = make<Reinforce>({}, 1);
  Variable log_w(Tensor::full({2, 1}, -1, kF64)), entropy(Tensor::zeros({2, 1}, kF64));
  double b = 0;
  for (double log_p : {-2.0, -4.0, -1.0}) {
    CHECK(loss.baseline.item() == doctest::Approx(b));
    double got = loss(Variable(Tensor::full({2}, log_p, kF64)), log_w, entropy).item();
    CHECK(got == doctest::Approx(-(log_p - (log_p - b))));
    b = 0.9 * b + 0.1 * log_p;
  }
  nn::set_training(loss, false);
  loss(Variable(Tensor::full({2}, -9, kF64)), log_w, entropy);
  CHECK(loss.baseline.item() == doctest::Approx(b));
}

// Over many draws each key is chosen as often as its weight says, and a key without weight never.
PROPERTY(choices_follow_the_weights) {
  // 1e5 draws: each key as often as its weight says, within three standard deviations; one of weight 0 never.
  constexpr int64_t n = 100000;
  Tensor e = Tensor::from(std::vector<double>{.3, -1, -INFINITY, .7}, {1, 1, 4}).expand({1, n, 4}).contiguous();
  Tensor soft = softmax(Variable(e)).value(), drawn;
  if (entry.id == "D1") {
    HardReader reader = make<HardReader>({.soft = 0}, 4);
    drawn = reader(Variable(soft), Variable(Tensor::zeros({1, 4, 1}, kF64))).weights.value();
  } else {
    Generator rng(4);
    drawn = (*nn::make_normaliser(entry.options.normaliser, rng))(Variable(e)).value();
    CHECK(entry.options.normaliser.settings.at("temperature") == 0.1);
  }
  Tensor often = sum(drawn, {1});
  for (int64_t s = 0; s < 4; ++s) {
    CAPTURE(s);
    double p = soft.at({0, 0, s}), share = often.at({0, s}) / static_cast<double>(n);
    CHECK(std::abs(share - p) <= 3 * std::sqrt(p * (1 - p) / static_cast<double>(n)));
  }
}

// The entropy is largest for even weights and finite for certain ones, and following its gradient makes
// weights more even.
PROPERTY(entropy_bonus) {
  auto read = [](const Variable& weights) {
    return nn::read_chosen(weights, Variable(Tensor::zeros({1, 4, 1}, kF64)), Tensor::zeros({1, 1}, DType::i64));
  };
  CHECK(read(Variable(Tensor::full({1, 1, 4}, .25, kF64))).entropy.item() == doctest::Approx(std::log(4.0)));
  Variable certain = leaf(Tensor::from(std::vector<double>{1, 0, 0, 0}, {1, 1, 4}));
  HardRead seen = read(certain);
  CHECK(seen.entropy.item() == 0);
  backward(sum(seen.entropy));
  CHECK(all_finite(certain.grad()));
  // A step along the gradient of the bonus alone makes the weights more even.
  Variable e = leaf({1, 1, 4}, 5, kF64);
  Reinforce loss = make<Reinforce>({.reward = 0, .entropy = 0.5}, 1);
  HardRead before = read(softmax(e));
  backward(loss(Variable(Tensor::zeros({1}, kF64)), before.log_probability, before.entropy));
  Variable entropy_alone = leaf(e.value());
  backward(sum(read(softmax(entropy_alone)).entropy));
  CHECK(max_abs_difference(e.grad(), mul(entropy_alone.grad(), -0.5)) < 1e-15);
  CHECK(read(softmax(e - Variable(e.grad()))).entropy.item() > before.entropy.item());
}

// About half of the sentences read the expected context, the others a drawn one; evaluation reads the largest weight
// and draws nothing.
PROPERTY(half_the_sentences_read_softly) {
  constexpr int64_t B = 2000, T = 2, S = 3;
  Variable weights = softmax(Variable(random({B, T, S}, 1, kF64))), values(random({B, S, 2}, 2, kF64));
  HardReader reader = make<HardReader>({}, 7);
  HardRead seen = reader(weights, values);
  Tensor soft = matmul(weights, values).value();
  int64_t softly = 0;
  for (int64_t b = 0; b < B; ++b) {
    bool drawn = bit_equal(seen.weights.value().select(0, b), one_hot(seen.chosen.select(0, b), S, kF64));
    bool expected = bit_equal(seen.weights.value().select(0, b), weights.value().select(0, b));
    if (drawn == expected) FAIL_CHECK("a sentence that is neither drawn nor expected, at all its steps");
    if (expected) {
      ++softly;
      if (!all_zero(seen.log_probability.value().select(0, b)))
        FAIL_CHECK("nothing was drawn, yet it has a probability");
      if (max_abs_difference(seen.context.value().select(0, b), soft.select(0, b)) > 1e-12) FAIL_CHECK("not expected");
    }
  }
  CHECK(std::abs(static_cast<double>(softly) / B - 0.5) <= 3 * std::sqrt(0.25 / B));
  nn::set_training(reader, false);  // evaluated: the largest weight, and no draw
  uint64_t before = reader.rng.offset();
  HardRead evaluated = reader(weights, values);
  CHECK(reader.rng.offset() == before);
  CHECK(bit_equal(evaluated.weights.value(), nn::straight_through(weights).value()));
}

}  // namespace
}  // namespace heed::nn_test
