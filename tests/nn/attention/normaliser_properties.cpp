// What each normaliser holds beyond the properties of all normalisers.
#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/normalisers/controls.h"
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/normalisers/softmax.h"
#include "tensor/reduce.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

Tensor of(const std::vector<double>& values) { return Tensor::from(values, {static_cast<int64_t>(values.size())}); }
Tensor softmaxed(const Tensor& scores) { return make<nn::SoftmaxNormaliser>({}, 1)(scores).value(); }

// The weights of a few scores agree with values computed independently, and equal scores give equal weights.
PROPERTY(golden_vector) {
  CHECK(max_abs_difference(softmaxed(of({-2, 0, 0.5})), of({.048611, .359188, .592201})) < 1e-6);
  CHECK(softmaxed(of({3, 3, 3, 3})).to_vector() == std::vector<double>{.25, .25, .25, .25});
}

// Adding one number to all scores changes nothing: only the differences of scores count.
PROPERTY(shift_invariant) {
  Tensor e = random({3, 7}, 1, kF64);
  for (double by : {-50.0, 3.0, 1e3}) CHECK(max_abs_difference(softmaxed(add(e, by)), softmaxed(e)) < 1e-12);
}

// Scores beyond the range of an exponential give exact weights and finite gradients, in single and double precision.
PROPERTY(large_scores_stay_finite) {
  for (DType dtype : {kF64, DType::f32}) {
    Variable e = leaf(of({1e4, -1e4, 1e4, 0}).to(dtype));
    Variable w = make<nn::SoftmaxNormaliser>({}, 1)(e);
    CHECK(w.value().to_vector() == std::vector<double>{.5, 0, .5, 0});
    backward(weighted_sum(w));
    CHECK(all_finite(e.grad()));
  }
}

// Its Jacobian is the diagonal matrix of the weights minus their outer product, and each of its rows sums to 0.
PROPERTY(jacobian_is_diagonal_minus_outer) {
  // dw_i / de_j = w_i (i = j) - w_i w_j; a shift of all scores changes nothing, so every row sums to 0.
  Variable e = leaf({5}, 1, kF64);
  Variable w = make<nn::SoftmaxNormaliser>({}, 1)(e);
  std::vector<double> p = w.value().to_vector();
  for (size_t i = 0; i < 5; ++i) {
    Tensor one = Tensor::zeros({5}, kF64);
    one.set({static_cast<int64_t>(i)}, 1);
    std::vector<double> row = grad({w}, {e}, {.seeds = {Variable(one)}, .retain_graph = true})[0].value().to_vector();
    double total = 0;
    for (size_t j = 0; j < 5; ++j) {
      total += row[j];
      CHECK(row[j] == doctest::Approx((i == j ? p[i] : 0) - p[i] * p[j]).epsilon(1e-12));
    }
    CHECK(std::abs(total) < 1e-15);
  }
}

PROPERTY(rows_are_one_hot) {
  Ask ask = small_ask();
  ask.lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2});
  Tensor w = subject_of(entry)(ask).weights.value();
  for (int64_t row = 0; row < 6; ++row) {
    int ones = 0, zeros = 0;
    for (double x : w.select(0, row / 3).select(0, row % 3).to_vector()) ones += x == 1, zeros += x == 0;
    CHECK(ones == 1);
    CHECK(zeros == 4);
  }
}

// The choice is hard, and its gradient is that of a softmax of the same scores, with the same noise if there is any.
PROPERTY(gradient_is_the_surrogate) {
  // Backward as softmax((e + g) / tau). For gumbel the noise is read off a second copy of the module: it draws the
  // same numbers, and so chooses argmax(e + g) from them.
  for (double tau : {0.5, 1.0, 2.0}) {
    CAPTURE(tau);
    nn::NormaliserOptions o{.name = entry.name, .settings = {{"temperature", tau}}};
    Variable e = leaf({4, 6}, 1, kF64);
    Tensor noise = Tensor::zeros({4, 6}, kF64);
    Generator first(5);
    auto normaliser = nn::make_normaliser(o, first);
    if (entry.name == "gumbel") {
      Generator seeds(5), rng(seeds.next_u32());
      Tensor u = Tensor::uniform({4, 6}, rng, 1e-20, 1, kF64);
      noise = neg(log(neg(log(u))));
    }
    backward(weighted_sum((*normaliser)(e)));
    Variable soft = leaf(e.value());
    backward(weighted_sum(softmax((soft + Variable(noise)) * (1 / tau))));
    CHECK(max_abs_difference(e.grad(), soft.grad()) < 1e-12);
    CHECK_FALSE(all_zero(e.grad()));
  }
}

// With a very hot surrogate the gradient is that of a plain mean, divided by the temperature.
PROPERTY(hot_surrogate_is_uniform) {
  Generator rng(5);
  auto gumbel = nn::make_normaliser({.name = "gumbel", .settings = {{"temperature", 1e6}}}, rng);
  Variable e = leaf({1, 4}, 1, kF64);
  Tensor dy = of({1, 2, 3, 6}).view({1, 4});
  backward(sum((*gumbel)(e)*Variable(dy)));
  CHECK(max_abs_difference(mul(e.grad(), 1e6), of({-.5, -.25, 0, .75}).view({1, 4})) < 1e-4);
}

// It is the softmax at a temperature near zero; at a slightly higher one the difference is the weight
// of the runners-up.
PROPERTY(is_a_cold_softmax) {
  Tensor e = of({.3, .31, -2, .29, .1});  // the gap is 1e-2
  Tensor hard = make<nn::ArgmaxNormaliser>({.name = "argmax"}, 1)(e).value();
  CHECK(max_abs_difference(hard, softmaxed(mul(e, 1e4))) < 1e-12);
  CHECK(hard.to_vector() == std::vector<double>{0, 1, 0, 0, 0});
  // At a tenth of this sharpness the runners-up, 0.01 and 0.02 below, still have e^-10 and e^-20 of the largest weight.
  double others = std::exp(-10) + std::exp(-20);
  CHECK(max_abs_difference(hard, softmaxed(mul(e, 1e3))) == doctest::Approx(others / (1 + others)).epsilon(1e-6));
}

Tensor projected(const Tensor& scores) {
  Generator rng(1);
  return (*nn::make_normaliser({.name = "sparsemax"}, rng))(scores).value();
}

// The weights agree with projections worked out by hand, with ties, masked keys and huge scores among them.
PROPERTY(golden_projections) {
  const double none = -INFINITY;
  const std::vector<std::pair<std::vector<double>, std::vector<double>>> rows = {
      {{-2, 0, .5}, {0, .25, .75}},
      {{1, 2, 3}, {0, 0, 1}},  // 3 - 2 = 1: the second stands exactly at the border, outside
      {{.1, 1.1, .2, .3}, {0, .9, 0, .1}},
      {{7, 7, 7, 7}, {.25, .25, .25, .25}},
      {{none, 0, none, .5}, {0, .25, 0, .75}},
      {{none, none, none}, {0, 0, 0}},
      {{1e12, 1e12, none}, {.5, .5, 0}}};
  for (DType dtype : {kF64, DType::f32})
    for (const auto& [scores, wanted] : rows) {
      Tensor w = projected(of(scores).to(dtype));
      CHECK(w.dtype() == dtype);
      CHECK(max_abs_difference(w.to(kF64), of(wanted)) < (dtype == kF64 ? 1e-15 : 1e-7));
    }
  CHECK_FALSE(all_finite(projected(of({0, NAN, 1}))));
}

// Among keys with weight the gradient is centred on its mean, elsewhere it is 0; so is the gradient of the gradient.
PROPERTY(support_is_shifted_together) {
  // dz = dw - its mean over the support there, 0 elsewhere; and the same again for a gradient of the gradient.
  Generator rng(1);
  auto normaliser = nn::make_normaliser({.name = "sparsemax"}, rng);
  Variable e = leaf(of({.1, 1.1, .2, .3, -INFINITY})), dw = leaf(of({5, 2, -7, 4, 9}));
  Variable de = grad({(*normaliser)(e)}, {e}, {.seeds = {dw}, .create_graph = true})[0];
  CHECK(de.value().to_vector() == std::vector<double>{0, -1, 0, 1, 0});
  Variable second = grad({sum(de * Variable(of({1, 3, 1, 7, 1})))}, {dw})[0];
  CHECK(second.value().to_vector() == std::vector<double>{0, -2, 0, 2, 0});
  Variable nothing = leaf(Tensor::full({1, 3}, -INFINITY, kF64));
  backward(weighted_sum((*normaliser)(nothing)));
  CHECK(all_zero(nothing.grad()));
}

// Many weights are exactly 0, not only small, and each row still sums to 1.
PROPERTY(weights_are_exactly_zero) {
  Tensor w = projected(mul(random({50, 20}, 3, kF64), 3));
  int zeros = 0;
  for (double x : w.to_vector()) zeros += x == 0;
  CHECK(zeros > 500);
  for (double total : sum(w, {-1}).to_vector()) CHECK(total == doctest::Approx(1).epsilon(1e-14));
}

Tensor balanced(const Tensor& scores, double iterations) {
  Generator rng(1);
  return (*nn::make_normaliser({.name = "sinkhorn", .settings = {{"iterations", iterations}}}, rng))(scores).value();
}

// Rows sum to 1, and all columns that may be read have the same sum.
PROPERTY(columns_sum_alike) {
  // Rows sum to 1 and columns to T / S: T the rows, S the columns in which anything is allowed.
  for (DType dtype : {kF64, DType::f32})
    for (auto [T, S] : {std::pair<int64_t, int64_t>{6, 6}, {3, 7}, {7, 3}, {1, 4}}) {
      Tensor w = balanced(random({2, T, S}, 5, dtype), 41).to(kF64);
      CHECK(max_abs_difference(sum(w, {-1}), Tensor::ones({2, T}, kF64)) < (dtype == kF64 ? 1e-14 : 1e-6));
      double share = static_cast<double>(T) / static_cast<double>(S);
      CHECK(max_abs_difference(sum(w, {-2}), Tensor::full({2, S}, share, kF64)) < 1e-4);
    }
  // Two keys of five are padding, and one query of four is.
  Tensor e = random({1, 4, 5}, 6, kF64);
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t s = 0; s < 5; ++s)
      if (t == 3 || s == 1 || s == 4) e.set({0, t, s}, -INFINITY);
  Tensor w = balanced(e, 61);
  CHECK(max_abs_difference(sum(w, {-2}), of({1, 0, 1, 1, 0}).view({1, 5})) < 1e-4);
  CHECK(max_abs_difference(sum(w, {-1}), of({1, 1, 1, 0}).view({1, 4})) < 1e-14);
  Variable nothing = leaf(Tensor::full({1, 2, 3}, -INFINITY, kF64));
  Generator rng(1);
  Variable none = (*nn::make_normaliser({.name = "sinkhorn"}, rng))(nothing);
  backward(weighted_sum(none));
  CHECK(all_zero(none.value()));
  CHECK(all_zero(nothing.grad()));
}

// One step is the softmax; two more divide its columns and then its rows by their sums.
PROPERTY(one_step_is_softmax) {
  // Rows first: one step is the softmax, and two more steps divide its columns, then its rows. An even number
  // is one more.
  Tensor e = random({2, 3, 4}, 7, kF64);
  CHECK(max_abs_difference(balanced(e, 1), softmaxed(e)) < 1e-14);
  Variable rows(softmaxed(e)), columns = rows / sum(rows, {-2}, true);
  CHECK(max_abs_difference(balanced(e, 3), (columns / sum(columns, {-1}, true)).value()) < 1e-14);
  CHECK(max_abs_difference(balanced(e, 2), balanced(e, 3)) == 0);
  CHECK(max_abs_difference(balanced(e.slice(1, 0, 1).contiguous(), 3), Tensor::full({2, 1, 4}, .25, kF64)) < 1e-15);
}

// A weight that would round to 0 still counts if it is all that its column has: the steps run on logarithms.
PROPERTY(small_weights_are_not_lost) {
  // exp(-900) is 0, but it is all that column 1 has.
  Tensor w = balanced(of({900, 0, 900, 0}).view({2, 2}), 3);
  CHECK(max_abs_difference(w, Tensor::full({2, 2}, .5, kF64)) < 1e-12);
}

PROPERTY(sliced_rows_are_refused) {
  for (const char* evaluator : {"chunked", "tiled"}) {
    nn::AttentionOptions o = small_options(entry);
    o.evaluator.name = evaluator;
    std::string refusal = message_of<ValueError>([&] { make<nn::Attention>(o, 1); });
    CHECK(refusal.find(std::string("evaluator ") + evaluator + " cannot do this") != std::string::npos);
  }
}

// Every allowed key has the same weight, and the others have none.
PROPERTY(even_over_the_allowed) {
  Tensor e = of({3, -INFINITY, 7, -INFINITY, -1});
  CHECK(max_abs_difference(make<nn::EvenNormaliser>({}, 1)(e).value(), of({1. / 3, 0, 1. / 3, 0, 1. / 3})) < 1e-15);
  Variable overflowed = leaf(of({1, INFINITY, -INFINITY, 2, 3}));
  Variable w = make<nn::EvenNormaliser>({}, 1)(overflowed);
  CHECK(w.value().to_vector() == std::vector<double>{.25, .25, 0, .25, .25});
  backward(weighted_sum(w));
  CHECK(overflowed.grad().to_vector() == std::vector<double>(5, 0));
}

// The weights are those of the softmax in another order: a control that is as sharp and reads the wrong words.
PROPERTY(a_permutation_of_softmax) {
  Tensor e = of({1, -INFINITY, 2, 3, -INFINITY, 4});
  auto normaliser = make<nn::ShuffledNormaliser>({}, 1);
  std::vector<double> plain = softmaxed(e).to_vector();
  {
    nn::Evaluating evaluating;
    CHECK(normaliser(e).value().to_vector() == std::vector<double>{plain[5], 0, plain[0], plain[2], 0, plain[3]});
  }
  int moved = 0;
  for (int draw = 0; draw < 50; ++draw) {
    std::vector<double> w = normaliser(e).value().to_vector();
    moved += w != plain;
    CHECK(w[1] == 0);
    CHECK(w[4] == 0);
    std::vector<double> sorted = w, wanted = plain;
    std::sort(sorted.begin(), sorted.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(sorted == wanted);
  }
  CHECK(moved > 40);  // 1 in 24 permutations of four changes nothing
}

}  // namespace
}  // namespace heed::nn_test
