// What scores hold that read the weights of the step before.
#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/location_aware.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

Variable queries() { return random({2, 3, kWidth}, 1, kF64); }
Variable keys() { return random({2, 5, kWidth}, 2, kF64); }
bool close(const Tensor& a, const Tensor& b, double tol = 1e-12) { return relative_error(a, b) <= tol; }
Tensor scores(const nn::Score& score, const Variable& q, const Variable& k) {
  return score(q, score.prepare(k)).value();
}

nn::LocationAwareScore location_aware(double kernel = 3, double cumulative = 0) {
  return built<nn::LocationAwareScore>(
      {.query = kWidth,
       .key = kWidth,
       .settings = {{"width", 5}, {"filters", 2}, {"kernel", kernel}, {"cumulative", cumulative}}});
}

// Without previous weights, or with location weights of zero, it is the additive score: the location is all
// that was added.
PROPERTY(without_location_is_additive) {
  nn::LocationAwareScore aware = location_aware();
  nn::AdditiveScore additive = built<nn::AdditiveScore>({.query = kWidth, .key = kWidth, .settings = {{"width", 5}}});
  additive.query.weight = aware.query.weight, additive.v = aware.v;
  additive.key.weight = aware.key.weight, additive.key.bias = aware.key.bias;
  Tensor wanted = scores(additive, queries(), keys());
  CHECK(close(scores(aware, queries(), keys()), wanted));  // nothing was read before
  aware.location.weight.set_value(Tensor::zeros({5, 2}, kF64));
  nn::AlignmentState state{.weights = softmax(leaf({2, 5}, 8, kF64))};
  nn::StageContext context{.state = &state};
  Variable one = slice(queries(), 1, 0, 1);
  CHECK(close(aware(one, aware.prepare(keys()), context).value(), wanted.slice(1, 0, 1)));
  CHECK(count_parameters(aware) == 5 * (kWidth + kWidth + 2 + 2) + 2 * 3);
}

// The score reads a convolution of the previous weights: where these move, it moves along.
PROPERTY(the_score_follows_the_weights) {
  // By hand: f_sn = sum_j F_nj a_(s + j - 1); and weights that stand d further right give features d further right.
  nn::LocationAwareScore aware = location_aware();
  Tensor a = random({1, 9}, 3, kF64), F = aware.filters.value();
  Tensor f = aware.features(a).value();
  REQUIRE(f.shape() == Shape{1, 9, 2});
  for (int64_t s = 0; s < 9; ++s)
    for (int64_t n = 0; n < 2; ++n) {
      double by_hand = 0;
      for (int64_t j = 0; j < 3; ++j)
        if (s + j >= 1 && s + j <= 9) by_hand += F.at({n, j}) * a.at({0, s + j - 1});
      CHECK(f.at({0, s, n}) == doctest::Approx(by_hand).epsilon(1e-12));
    }
  for (double kernel : {2.0, 3.0, 6.0}) {
    nn::LocationAwareScore other = location_aware(kernel);
    Tensor past = Tensor::zeros({1, 20}, kF64);
    past.set({0, 8}, .75), past.set({0, 9}, .25);
    Tensor here = other.features(past).value(), there = other.features(roll(Variable(past), {3}, {1})).value();
    CHECK_FALSE(all_zero(here));
    CHECK(max_abs_difference(here.slice(1, 3, 17), there.slice(1, 6, 20)) < 1e-15);
  }
}

// The location is read from the last weights or from their sum, as chosen; words that came later count as unread.
PROPERTY(the_sum_or_the_last_is_read) {
  nn::AlignmentState state{.weights = softmax(leaf({2, 5}, 8, kF64)), .total = softmax(leaf({2, 5}, 9, kF64)) * 3};
  nn::StageContext context{.state = &state};
  Variable one = slice(queries(), 1, 0, 1);
  Tensor seen[2];
  for (double sum : {0.0, 1.0}) {
    nn::LocationAwareScore aware = location_aware(3, sum);
    Variable a = sum == 0 ? state.weights : state.total, prepared = aware.prepare(keys());
    Tensor e = aware(one, prepared, context).value();
    seen[static_cast<int>(sum)] = e;
    Variable hidden = tanh(aware.query(one) + prepared + aware.location(aware.features(a)));  // [2, 5, 5]
    CHECK(close(e.reshape({2, 5}), matmul(hidden, unsqueeze(aware.v, 1)).value().reshape({2, 5})));
  }
  CHECK_FALSE(close(seen[0], seen[1], 1e-3));
  // A source that grew: nobody has read the words that came.
  nn::AlignmentState shorter{.weights = slice(state.weights, 1, 0, 3)};
  nn::AlignmentState padded{.weights = pad(shorter.weights, {{.axis = 1, .after = 2}})};
  nn::StageContext grew{.state = &shorter}, whole{.state = &padded};
  nn::LocationAwareScore aware = location_aware();
  Variable prepared = aware.prepare(keys());
  CHECK(bit_equal(aware(one, prepared, grew).value(), aware(one, prepared, whole).value()));
}

// Each head reads its own previous weights, as it would alone.
PROPERTY(heads_have_their_own_past) {
  nn::LocationAwareScore aware = location_aware();
  Variable q = leaf({2, 3, 1, kWidth}, 1, kF64), prepared = aware.prepare(leaf({2, 3, 5, kWidth}, 2, kF64));
  nn::AlignmentState state{.weights = softmax(leaf({2, 3, 5}, 8, kF64))};
  nn::StageContext context{.heads = 3, .state = &state};
  Tensor e = aware(q, prepared, context).value();
  REQUIRE(e.shape() == Shape{2, 3, 1, 5});
  for (int64_t h = 0; h < 3; ++h) {
    nn::AlignmentState of_head{.weights = select(state.weights, 1, h)};
    nn::StageContext alone{.state = &of_head};
    CHECK(close(e.select(1, h), aware(select(q, 1, h), select(prepared, 1, h), alone).value()));
  }
}

}  // namespace
}  // namespace heed::nn_test
