// What each mixer holds by itself that has fixed matrices, or another form of attention.
#include <complex>
#include <numbers>

#include "nn/attention/mixers/fnet.h"
#include "nn/attention/mixers/gmlp.h"
#include "nn/attention/mixers/mlp_mixer.h"
#include "nn/attention/mixers/talking_heads.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

constexpr double kClose = 1e-12;

// --- E15 ---
// If no heads are mixed, it is multi-head attention: the two mixtures of heads are all that was added.
PROPERTY(unmixed_heads_are_attention) {
  for (bool causal : {false, true}) {
    Small<nn::TalkingHeadsMixer> m("talking_heads", causal);
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x, causal)) < kClose);
    set(m.mixer.mix_scores, random({2, 2}, 3));
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x, causal)) > 1e-4);
  }
}

// If the scores of two heads are mixed alike, both have the same weights; the second mixture may
// also subtract weights.
PROPERTY(mixing_two_heads_alike_makes_them_one) {
  Small<nn::TalkingHeadsMixer> m("talking_heads");
  Variable x = small_sentences(5);
  const nn::FourProjections& p = m.mixer.projections;
  set(m.mixer.mix_scores, Tensor::full({2, 2}, 0.5));
  Tensor weights = m.mixer(x, {.weights = true}).weights.value();  // of the mean of the scores, in both heads
  Variable mean_score = mean(matmul(p.queries(x), transpose(p.keys(x), -2, -1)) / std::sqrt(2.0), {1}, true);
  CHECK(max_abs_difference(weights, softmax(mean_score).value().expand(weights.shape()).contiguous()) < kClose);
  set(m.mixer.mix_weights, Tensor::from(std::vector<double>{1, -1, 0, 0}, {2, 2}));  // U_1 = W_0, U_2 = -W_0
  Tensor mixed = m.mixer(x, {.weights = true}).weights.value();
  Tensor first = mixed.slice(1, 0, 1).contiguous();
  CHECK(max_abs_difference(first, neg(mixed.slice(1, 1, 2).contiguous())) < kClose);
  CHECK(max_abs_difference(first, weights.slice(1, 0, 1).contiguous()) < kClose);
}

// --- G20 ---
// The output is the real part of the Fourier transform over words and features, by its definition and without padding.
PROPERTY(it_is_the_2d_fourier_transform) {
  Small<nn::FNetMixer> m("fnet");
  Variable x = small_sentences(5);
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5}), y = m(x, words);
  for (int64_t b = 0; b < 2; ++b) {
    const int64_t T = b == 0 ? 5 : 3;
    auto turn = [](int64_t i, int64_t j, int64_t n) {
      return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * j) / static_cast<double>(n));
    };
    for (int64_t i = 0; i < T; ++i)
      for (int64_t j = 0; j < kWidth; ++j) {
        std::complex<double> total = 0;
        for (int64_t t = 0; t < T; ++t)
          for (int64_t d = 0; d < kWidth; ++d) total += x.value().at({b, t, d}) * turn(i, t, T) * turn(j, d, kWidth);
        CHECK(y.at({b, i, j}) == doctest::Approx(total.real()).epsilon(1e-12));
      }
  }
}

// Applied twice it gives the mean of the input and its reversal, up to a factor: a transform of a transform reverses.
PROPERTY(twice_is_the_mean_with_its_mirror) {
  Small<nn::FNetMixer> m("fnet");
  Variable x = small_sentences(6);
  Tensor twice = m(Variable(m(x)));
  for (int64_t t = 0; t < 6; ++t)
    for (int64_t d = 0; d < kWidth; ++d) {
      double mirror = x.value().at({0, (6 - t) % 6, (kWidth - d) % kWidth});
      CHECK(twice.at({0, t, d}) == doctest::Approx(6 * kWidth * (x.value().at({0, t, d}) + mirror) / 2).epsilon(1e-12));
    }
}

// --- G21 ---
// With mixing weights of zero it is a feed-forward network on each word: only these weights move
// information between words.
PROPERTY(without_mixing_it_is_a_feed_forward_network) {
  Small<nn::GmlpMixer> m("gmlp:max_source=5");
  Variable x = small_sentences(5);
  set(m.mixer.spatial_weight, Tensor::zeros({5, 5}));
  Variable expected = m.mixer.linear2(slice(gelu(m.mixer.linear1(x)), -1, 0, 2 * kWidth));
  CHECK(max_abs_difference(m(x), expected.value()) < kClose);
}

// The gate of a word is a learned sum over the words that it may read, as loops compute it.
PROPERTY(the_gate_is_a_sum_over_words) {
  for (bool causal : {false, true}) {
    Small<nn::GmlpMixer> m("gmlp:max_source=6", causal);
    set(m.mixer.spatial_weight, random({6, 6}, 5)), set(m.mixer.spatial_bias, random({6}, 6));
    Variable x = small_sentences(5), z = gelu(m.mixer.linear1(x));
    Variable open = slice(z, -1, 0, 2 * kWidth), gated = m.mixer.norm(slice(z, -1, 2 * kWidth, 4 * kWidth));
    std::vector<Variable> rows;
    for (int64_t t = 0; t < 5; ++t) {
      Variable gate = Variable(Tensor::full({1}, m.mixer.spatial_bias.value().at({t}), DType::f64));
      for (int64_t s = 0; s < (causal ? t + 1 : 5); ++s)
        gate = gate + select(gated, 1, s) * m.mixer.spatial_weight.value().at({t, s});
      rows.push_back(select(open, 1, t) * gate);
    }
    CHECK(max_abs_difference(m(x), m.mixer.linear2(stack(rows, 1)).value()) < kClose);
  }
}

// --- G22 ---
// Each feature is mixed along the words by itself: no output feature depends on another input feature.
PROPERTY(entries_do_not_mix) {
  Small<nn::MlpMixer> m("mlp_mixer:hidden=3,max_source=5");
  for (int64_t d = 0; d < kWidth; ++d) {
    Variable x = small_sentences(5);
    backward(sum(slice(m.mixer(x, {}).output, 2, d, d + 1)));
    for (int64_t other = 0; other < kWidth; ++other)
      CHECK(all_zero(x.grad().slice(2, other, other + 1).contiguous()) == (other != d));
  }
}

// It is a network of two layers along the words, the same for each feature; a shorter sentence uses its first rows.
PROPERTY(it_is_a_network_along_the_words) {
  Small<nn::MlpMixer> m("mlp_mixer:hidden=3,max_source=6");
  set(m.mixer.bias1, random({3}, 5)), set(m.mixer.bias2, random({6}, 6));
  Variable x = small_sentences(5);  // the sixth position is not used
  Variable hidden = linear(transpose(x, 1, 2), slice(m.mixer.weight1, 1, 0, 5), m.mixer.bias1);
  Variable y = linear(gelu(hidden), slice(m.mixer.weight2, 0, 0, 5), slice(m.mixer.bias2, 0, 0, 5));
  CHECK(max_abs_difference(m(x), transpose(y, 1, 2).value().contiguous()) < kClose);
}

}  // namespace
}  // namespace heed::nn_test
