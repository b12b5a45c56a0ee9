// Key-value and key-value-predict attention: which part does what, and how far it looks.
#include "nn/attention/structures/key_value.h"

#include <cmath>

#include "nn/attention/scores/additive.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::KeyValueAttention built(int64_t parts, int64_t window = 3) {
  auto m = make<nn::KeyValueAttention>({.width = 6, .parts = parts, .window = window}, 1);
  nn::convert(m, DType::f64);
  return m;
}

}  // namespace

// If states are not split into parts, it is plain attention to the states before.
TEST_CASE("key-value: in one part it is plain attention to what came before" * holds("one_part_is_plain_attention")) {
  auto m = built(1);
  Variable h(random({2, 5, 6}, 3, DType::f64));
  nn::KeyValueOutput y = m(h);
  // By hand: the additive score of each word with the three before it, a softmax, a sum.
  auto& score = dynamic_cast<nn::AdditiveScore&>(*m.attention.score);
  Tensor q = score.query(h).value(), k = score.key(h).value(), v = score.v.value();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 5; ++t) {
      std::vector<double> p(5, 0);
      double total = 0;
      for (int64_t s = std::max<int64_t>(0, t - 3); s < t; ++s) {
        double e = 0;
        for (int64_t a = 0; a < v.count(); ++a) e += v.at({a}) * std::tanh(q.at({b, t, a}) + k.at({b, s, a}));
        total += p[size_t(s)] = std::exp(e);
      }
      for (int64_t s = 0; s < 5; ++s) {
        double w = total == 0 ? 0 : p[size_t(s)] / total;
        CHECK(y.weights.value().at({b, t, s}) == doctest::Approx(w).epsilon(1e-12));
      }
      for (int64_t d = 0; d < 6; ++d) {
        double read = 0;
        for (int64_t s = 0; s < t; ++s) read += total == 0 ? 0 : p[size_t(s)] / total * h.value().at({b, s, d});
        CHECK(y.context.value().at({b, t, d}) == doctest::Approx(read).epsilon(1e-12));
      }
    }
  Variable wanted = tanh(linear(y.context, m.read.weight, {}) + linear(h, m.predict.weight, {}));
  CHECK(max_abs_difference(y.output.value(), wanted.value()) < 1e-14);
}

// Values have no influence on the weights, and keys are not read: each part has its own task.
TEST_CASE("key-value: values do not influence weights, keys are not read, and predict is neither" *
          holds("values_have_no_say")) {
  for (int64_t parts : {2, 3}) {
    auto m = built(parts);
    Tensor h = random({2, 5, 6}, 3, DType::f64);
    int64_t P = 6 / parts;
    nn::KeyValueOutput before = m(Variable(h));
    auto with_part = [&](int64_t part) {
      Tensor other = h.clone(), cut = other.slice(2, part * P, (part + 1) * P);
      copy_into(cut, random(cut.shape(), 9, DType::f64));
      return m(Variable(other));
    };
    nn::KeyValueOutput value = with_part(1);
    CHECK(bit_equal(value.weights.value(), before.weights.value()));
    CHECK(max_abs_difference(value.context.value(), before.context.value()) > 1e-3);
    CHECK(max_abs_difference(with_part(0).weights.value(), before.weights.value()) > 1e-4);
    if (parts == 2) continue;
    nn::KeyValueOutput predict = with_part(2);
    CHECK(bit_equal(predict.weights.value(), before.weights.value()));
    CHECK(bit_equal(predict.context.value(), before.context.value()));
    CHECK(max_abs_difference(predict.output.value(), before.output.value()) > 1e-3);
  }
}

// A state reads the window before it, never itself or later ones; the first word reads nothing.
TEST_CASE("key-value: looks at the window before itself, never at itself or later; the first word sees nothing" *
          holds("looks_only_at_its_past")) {
  auto m = built(3, 2);
  Variable h = leaf({1, 5, 6}, 3, DType::f64);
  nn::KeyValueOutput y = m(h);
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t s = 0; s < 5; ++s) CHECK((y.weights.value().at({0, t, s}) > 0) == (s < t && t - s <= 2));
  CHECK(all_zero(y.context.value().select(1, 0)));
  for (int64_t i = 0; i < 5; ++i) {
    h.zero_grad();
    backward(weighted_sum(select(m(h).output, 1, i)));
    CHECK(all_finite(h.grad()));
    for (int64_t j = 0; j < 5; ++j) CHECK(all_zero(h.grad().select(1, j)) == (j > i || i - j > 2));
  }
}
