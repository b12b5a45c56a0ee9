// What the mixers hold that learn the order of words without places: shifts and filters.
#include "nn/attention/mixers/shifted.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

// --- F13 ---
Tensor attended(const nn::ShiftedAttention& m, const Variable& z) { return m.attention(z).output.value(); }

// Before attention, half of each word's features are replaced by those of the word before; the shift reads no later
// word.
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

// With filters of zero the convolved form is attention: the filters only add neighbouring words.
PROPERTY(zero_filters_are_attention) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("convolved", causal);
    auto& m = dynamic_cast<nn::ShiftedAttention&>(*made);
    m.filters.set_value(Tensor::zeros(m.filters.shape(), kF64));
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x, {}).output.value(), attended(m, x)) < 1e-14);
  }
}

// A filter adds neighbouring words, feature by feature, as loops compute it, also where it is wider than the sentence.
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
