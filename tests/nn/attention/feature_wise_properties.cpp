// What feature-wise attention holds: a softmax over the keys for each feature by itself.
#include "nn/attention/structures/feature_wise.h"
#include "nn/pooling/feature_wise_pooling.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

nn::FeatureWiseAttention built(int64_t query = kWidth) {
  auto m = make<nn::FeatureWiseAttention>({.query = query, .key = kWidth, .value = kWidth}, 3);
  nn::convert(m, kF64);
  return m;
}

// If all features have the same parameters, it is additive attention: a score for each feature is all that was added.
PROPERTY(tied_features_are_ordinary_attention) {
  nn::FeatureWiseAttention m = built();
  for (Variable* p : {&m.query->weight, &m.key.weight, &m.key.bias}) {
    Tensor first = p->value().slice(0, 0, 1).expand(p->shape()).contiguous();
    p->set_value(first);
  }
  Ask ask = small_ask();
  Tensor allowed = Tensor::from_bools({1, 1, 0, 1, 1, 0, 1, 1, 0, 1}, {2, 1, 5});
  nn::Attended seen = m(ask.query, ask.keys, ask.values, allowed);
  Variable w = slice(m.query->weight, 0, 0, 1), u = slice(m.key.weight, 0, 0, 1), b = slice(m.key.bias, 0, 0, 1);
  Variable e = tanh((linear(ask.query, w, {}) + transpose(linear(ask.keys, u, b), 1, 2)) / 5) * 5;  // [B, T, S]
  nn::Attended wanted = nn::attend(e, ask.values, allowed);
  CHECK(max_abs_difference(seen.context.value(), wanted.context.value()) < 1e-14);
  for (int64_t d = 0; d < kWidth; ++d)
    CHECK(max_abs_difference(seen.weights.value().select(3, d).contiguous(), wanted.weights.value()) < 1e-14);
}

// The weights of each feature sum to 1 over the keys, while those of the features of one key need not.
PROPERTY(features_are_weighed_apart) {
  nn::FeatureWiseAttention m = built();
  Ask ask = small_ask();
  nn::Attended seen = m(ask.query, ask.keys, ask.values);
  Tensor w = seen.weights.value();
  CHECK(max_abs_difference(sum(w, {2}), Tensor::ones({2, 3, kWidth}, kF64)) < 1e-14);
  CHECK(max_abs_difference(sum(w, {3}), Tensor::ones({2, 3, 5}, kF64)) > 1e-2);
  Variable hidden = unsqueeze((*m.query)(ask.query), 2) + unsqueeze(m.key(ask.keys), 1);
  Tensor one = softmax(select(tanh(hidden / 5) * 5, 3, 2)).value();  // of feature 2: [B, T, S]
  CHECK(max_abs_difference(w.select(3, 2).contiguous(), one) < 1e-14);
  double by_hand = 0;
  for (int64_t s = 0; s < 5; ++s) by_hand += one.at({1, 2, s}) * ask.values.value().at({1, s, 2});
  CHECK(seen.context.value().at({1, 2, 2}) == doctest::Approx(by_hand).epsilon(1e-12));

  Generator rng(3);
  nn::FeatureWisePooling pooling({.width = kWidth}, rng);
  nn::convert(pooling, kF64);
  Tensor words = Tensor::from_bools({1, 1, 0, 1, 1, 0, 0, 0, 0, 0}, {2, 5});
  Tensor pooled = pooling(ask.keys, words).value();
  CHECK(max_abs_difference(
            pooled, pooling.attention({}, ask.keys, ask.keys, words.unsqueeze(1)).context.value().squeeze(1)) < 1e-15);
  CHECK(all_zero(pooled.select(0, 1)));
}

}  // namespace
}  // namespace heed::nn_test
