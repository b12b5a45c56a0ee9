// What the mixers hold that learn the order of words without places: contextual positions, shifts and filters.
#include "nn/attention/mixers/contextual_position.h"
#include "nn/attention/mixers/shifted.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

// --- F11e ---
// Gates of 1: the position of word s is t - s + 1, so the bias is a vector for each distance, and P for all far ones.
PROPERTY(open_gates_count_words) {
  constexpr int64_t T = 5, P = 3;
  Variable q(random({1, 1, T, 2}, 1, kF64)), table(random({P + 1, 2}, 2, kF64));
  Tensor gates = Tensor::zeros({1, 1, T, T}, kF64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s <= t; ++s) gates.data<double>()[t * T + s] = 1;
  Tensor z = nn::contextual_bias(q, Variable(gates), table).value();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s <= t; ++s) {
      const int64_t p = std::min(t - s + 1, P);
      double expected = 0;
      for (int64_t d = 0; d < 2; ++d) expected += q.value().at({0, 0, t, d}) * table.value().at({p, d});
      CHECK(z.at({0, 0, t, s}) == doctest::Approx(expected).epsilon(1e-12));
    }
}

// Gates of 0.3, 0.5 and 0.9: positions 1.7, 1.4 and 0.9.
PROPERTY(positions_are_interpolated) {
  Variable q(Tensor::ones({1, 1, 1, 1}, kF64)), table(Tensor::from(std::vector<double>{10, 20, 40, 80}, {4, 1}));
  Variable gates(Tensor::from(std::vector<double>{0.3, 0.5, 0.9}, {1, 1, 1, 3}));
  Tensor z = nn::contextual_bias(q, gates, table).value();
  CHECK(z.at({0, 0, 0, 0}) == doctest::Approx(20 + 0.7 * 20));
  CHECK(z.at({0, 0, 0, 1}) == doctest::Approx(20 + 0.4 * 20));
  CHECK(z.at({0, 0, 0, 2}) == doctest::Approx(10 + 0.9 * 10));
}

// --- F13 ---
Tensor attended(const nn::ShiftedAttention& m, const Variable& z) { return m.attention(z).output.value(); }

// Half of the features come from the word before, and none from a later one.
PROPERTY(a_shift_by_one_is_causal) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("shifted", causal);
    auto& m = dynamic_cast<nn::ShiftedAttention&>(*made);
    Variable x = small_sentences(5);
    Tensor z = x.value().clone();
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 5; ++t)
        for (int64_t d = 0; d < kWidth / 2; ++d) z.set({b, t, d}, t == 0 ? 0 : x.value().at({b, t - 1, d}));
    CHECK(max_abs_difference(m(x, {}).output.value(), attended(m, Variable(z))) < 1e-14);
  }
}

PROPERTY(zero_filters_are_attention) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("convolved", causal);
    auto& m = dynamic_cast<nn::ShiftedAttention&>(*made);
    m.filters.set_value(Tensor::zeros(m.filters.shape(), kF64));
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x, {}).output.value(), attended(m, x)) < 1e-14);
  }
}

PROPERTY(filters_by_hand) {
  Variable x(random({1, 4, 2}, 1, kF64)), f(random({3, 2}, 2, kF64));
  for (int64_t before : {2, 1}) {
    Tensor y = nn::filtered_words(x, f, before).value();
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t d = 0; d < 2; ++d) {
        double expected = 0;
        for (int64_t n = 0; n < 3; ++n)
          if (int64_t s = t + n - before; s >= 0 && s < 4) expected += f.value().at({n, d}) * x.value().at({0, s, d});
        CHECK(y.at({0, t, d}) == doctest::Approx(expected).epsilon(1e-12));
      }
  }
  // A filter wider than the sentence.
  CHECK(nn::filtered_words(slice(x, 1, 0, 1), f, 2).value().at({0, 0, 0}) ==
        doctest::Approx(f.value().at({2, 0}) * x.value().at({0, 0, 0})));
}

}  // namespace
}  // namespace heed::nn_test
