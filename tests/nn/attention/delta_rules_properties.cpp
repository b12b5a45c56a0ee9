// What the mixers hold whose state is corrected or decays by rules of their own: relatives of the delta rule, RWKV 5 to
// 7, lightning and log-linear attention. Most are reductions: with one part taken away, one is another.
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/around/around.h"
#include "nn/attention/recurrences/comba.h"
#include "nn/attention/recurrences/delta_product.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/fast_weights.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/kda.h"
#include "nn/attention/recurrences/lightning.h"
#include "nn/attention/recurrences/log_linear.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/recurrences/rwkv.h"
#include "nn/attention/recurrences/rwkv5.h"
#include "nn/attention/recurrences/rwkv6.h"
#include "nn/attention/recurrences/rwkv7.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

using nn::DecayedSums;
using nn::SumsRead;

void fill(Variable& p, double value) { p.set_value(Tensor::full(p.shape(), value, p.dtype())); }
double apart(const Variable& a, const Variable& b) { return max_abs_difference(a.value(), b.value()); }

template <class M>
struct Small {  // of small_mixer, with its type
  explicit Small(const std::string& text) : owned(small_mixer(text, true)), m(dynamic_cast<M&>(*owned)) {}
  std::unique_ptr<nn::Mixer> owned;
  M& m;
};

// sum over s <= t of (q_t . k_s) v_s: linear attention without a normaliser.
Variable linear_attention(const Variable& q, const Variable& k, const Variable& v) {
  return matmul(tril(matmul(q, transpose(k, -2, -1))), v);
}

// Each form of removal, with a decay for each feature: recurrent, parallel, and in chunks from a state that is not 0.
PROPERTY(removal_has_three_forms) {
  for (int form : {0, 1, 2}) {
    DecayedSums w{leaf({2, 3, 7, 4}, 1, kF64), nn::unit_length(leaf({2, 3, 7, 4}, 2, kF64)),
                  leaf({2, 3, 7, 5}, 3, kF64)};
    w.decay = -abs(leaf({2, 3, 7, 4}, 4, kF64));
    Variable b = sigmoid(leaf({2, 3, 7, 1}, 5, kF64)), other = nn::unit_length(leaf({2, 3, 7, 4}, 6, kF64));
    if (form < 2) w.strength = b;
    if (form > 0) w.removed = other;
    if (form == 2) w.erased = sigmoid(leaf({2, 3, 7, 4}, 7, kF64)) * other;
    Variable start = leaf({2, 3, 4, 5}, 9, kF64);
    const SumsRead one = nn::recurrent_sums(w, start);
    for (int64_t chunk : {1, 2, 3, 7, 50}) {
      const SumsRead some = nn::chunkwise_sums(w, chunk, start);
      CHECK(apart(one.output, some.output) < 1e-12);
      CHECK(apart(one.state, some.state) < 1e-12);
    }
    if (form == 2) continue;  // b k and b v in the general form are the delta rule
    DecayedSums general{w.q, w.k, b * w.v, w.decay, {}, form == 0 ? w.k : other, b * w.k};
    CHECK(apart(one.output, nn::chunkwise_sums(general, 3, start).output) < 1e-12);
    CHECK(apart(one.state, nn::recurrent_sums(general, start).state) < 1e-12);
  }
}

// --- J9 ---
// If all features of a head decay alike, it is the gated delta rule: a decay for each feature is all that was added.
PROPERTY(one_decay_is_gated_delta) {
  Small<nn::KdaMixer> kda("kda:taps=2");
  fill(kda.m.decay2.weight, 0), fill(kda.m.step_bias, 0.3);
  DecayedSums w = kda.m.words_of(leaf({2, 6, 3 * kWidth}, 21, kF64), small_sentences(6)), one = w;
  one.decay = slice(w.decay, 3, 0, 1);
  CHECK((w.decay.size(3) == 2 && w.decay.value().at({0, 0, 0, 0}) != w.decay.value().at({0, 1, 0, 0})));
  CHECK(apart(nn::chunkwise_sums(w, 4).output, nn::recurrent_sums(one).output) < 1e-12);
}

// If nothing is removed before a word is written, it is gated linear attention: the removal is what the
// delta rule contributes.
PROPERTY(nothing_removed_is_gla) {
  Small<nn::KdaMixer> kda("kda:taps=2");
  DecayedSums w = kda.m.words_of(leaf({2, 6, 3 * kWidth}, 21, kF64), small_sentences(6));
  DecayedSums gla{w.q, w.k, w.strength * w.v, w.decay};
  CHECK(apart(nn::chunkwise_sums(w, 4).output, nn::chunkwise_sums(gla, 4).output) > 1e-3);
  w.removed = 0 * w.k;
  CHECK(apart(nn::chunkwise_sums(w, 4).output, nn::recurrent_sums(gla).output) < 1e-12);
}

// Step sizes and decay rates begin within the published ranges, and the convolution and the strength have no bias.
PROPERTY(kda_starts_as_published) {
  Generator rng(3);
  nn::KdaMixer m({.name = "kda", .query = 64, .key = 64, .heads = 16}, rng);
  const Tensor steps = softplus(m.step_bias.value()), rates = exp(m.log_rate.value());
  CHECK((amin(steps).item() > 0.00099 && amax(steps).item() < 0.101 && amax(steps).item() > 0.03));
  CHECK((amin(rates).item() >= 1 && amax(rates).item() <= 16 && amax(rates).item() > 8));
  CHECK((!m.convolution.bias.defined() && !m.strength.bias.defined() && m.gate2.bias.defined()));
}

// --- J8 ---
// Without decay, with one rate per head and the same key for removal and writing, it is the delta rule.
PROPERTY(rwkv7_contains_the_delta_rule) {
  Small<nn::Rwkv7Mixer> rwkv("rwkv7");
  fill(rwkv.m.rate2.bias, 0.4), fill(rwkv.m.decay2.bias, -800);
  const auto xs = rwkv.m.mixed(small_sentences(6), {});
  DecayedSums w = rwkv.m.words_of(xs, rwkv.m.value(xs[3]));
  const double a = 1 / (1 + std::exp(-0.4));
  w.k = w.erased;  // a kappa
  DecayedSums delta{w.q, w.removed, w.v, {}, Variable(Tensor::full({2, 2, 6, 1}, a, kF64))};
  CHECK(apart(nn::chunkwise_sums(w, 4).output, nn::recurrent_sums(delta).output) < 1e-12);
  // With decay, the removal reads the state before it: S diag(w) - (S kappa^T)(a kappa) + v^T k.
  fill(rwkv.m.decay2.bias, 1);
  w = rwkv.m.words_of(xs, rwkv.m.value(xs[3]));
  Variable S = leaf({2, 2, 2, 2}, 5, kF64), kappa = slice(w.erased, 2, 0, 1) / a;
  auto first = [](const Variable& x) { return transpose(slice(x, 2, 0, 1), -2, -1); };  // [B, H, K, 1]
  Variable expected =
      first(exp(w.decay)) * S - matmul(first(w.erased), matmul(kappa, S)) + matmul(first(w.k), slice(w.v, 2, 0, 1));
  DecayedSums word{slice(w.q, 2, 0, 1),       slice(w.k, 2, 0, 1),     slice(w.v, 2, 0, 1), slice(w.decay, 2, 0, 1), {},
                   slice(w.removed, 2, 0, 1), slice(w.erased, 2, 0, 1)};
  CHECK(apart(nn::recurrent_sums(word, S).state, expected) < 1e-12);
}

// Over thousands of random words the state stays within a fixed multiple of its first size: what is removed balances
// what is written.
PROPERTY(rwkv7_state_stays_bounded) {
  NoGrad guard;
  Small<nn::Rwkv7Mixer> rwkv("rwkv7");
  Generator rng(5);
  Variable S;
  double largest = 0, size = 0;
  for (int i = 0; i < 20; ++i) {
    const auto xs = rwkv.m.mixed(Variable(Tensor::normal({1, 500, kWidth}, rng, 0, 3, kF64)), {});
    S = nn::sums_of(rwkv.m.words_of(xs, rwkv.m.value(xs[3])), 50, S).state;
    largest = std::max(largest, amax(abs(S.value())).item());
    if (i == 0) size = largest;
  }
  CHECK(largest < 20 * size);
}

// Later layers mix the values of the first layer with their own; if they keep only their own, nothing changes.
PROPERTY(first_values_are_mixed) {
  nn::MixerOptions o{.name = "rwkv7", .query = kWidth, .key = kWidth, .heads = 2, .causal = true, .layers = 2};
  Generator rng(7);
  nn::Rwkv7Mixer first(o, rng);
  o.layer = 1;
  nn::Rwkv7Mixer second(o, rng);
  nn::convert(first, kF64), nn::convert(second, kF64);
  second.output.weight.set_value(Tensor::eye(kWidth, kF64));  // it begins at 0
  CHECK((first.passes() && !first.value1 && second.value1));
  Variable x = small_sentences(5);
  nn::Passed passed;
  first(x, {.passed = &passed});
  Variable left = passed.left.at("rwkv7");
  CHECK(apart(left, first.value(first.mixed(x, {})[3])) == 0);
  Tensor alone = second(x, {}).output.value(), mixed = second(x, {.passed = &passed}).output.value();
  CHECK(max_abs_difference(alone, mixed) > 1e-3);
  passed.left.at("rwkv7") = second.value(second.mixed(x, {})[3]);
  CHECK(max_abs_difference(alone, second(x, {.passed = &passed}).output.value()) < 1e-14);
  // The two directions of an encoder do not share a place.
  o.causal = false, o.layer = 0;
  nn::Rwkv7Mixer both(o, rng);
  nn::convert(both, kF64);
  nn::Passed of_both;
  both(x, {.passed = &of_both});
  CHECK((of_both.left.size() == 2 && of_both.left.contains("rwkv7 from the right")));
}

// --- G18d, J6, J7, J8 ---
PROPERTY(rwkv_begins_spread) {
  Generator rng(1);
  const nn::MixerOptions o{.query = 8, .key = 8, .heads = 2, .layer = 1, .layers = 3};
  const Tensor p = nn::first_decays(o).value(), u = nn::first_bonuses(o).value();
  CHECK(p.at({0}) == -6);
  CHECK(p.at({7}) == -1);
  CHECK(p.at({3}) == doctest::Approx(-6 + 5 * std::pow(3.0 / 7, 1.35)));
  CHECK(u.at({1}) == doctest::Approx(0.5 * 6 / 7 + 0.1));
  nn::RwkvMixer four(o, rng);
  CHECK(four.decay.value().at({3}) == doctest::Approx(-5 + 8 * std::pow(3.0 / 7, 1.35)));
  CHECK(four.bonus.value().at({0}) == doctest::Approx(std::log(0.3)));
  CHECK(four.bonus.value().at({2}) == doctest::Approx(std::log(0.3) - 0.5));
  CHECK(four.mix_r.value().at({4}) == doctest::Approx(std::pow(0.5, 1.0 / 3)));
  CHECK(four.mix_k.value().at({4}) == doctest::Approx(std::pow(0.5, 2.0 / 3)));
  CHECK(four.mix_v.value().at({4}) == doctest::Approx(std::pow(0.5, 2.0 / 3) + 0.15));
  nn::Rwkv5Mixer five(o, rng);  // r, k, v, g; of the own word
  CHECK(five.mix.value().at({0, 4}) == doctest::Approx(std::pow(0.5, 1.0 / 3)));
  CHECK(five.mix.value().at({2, 4}) == doctest::Approx(std::pow(0.5, 2.0 / 3) + 0.15));
  nn::Rwkv6Mixer six(o, rng);  // x, w, k, v, r, g; of the word before
  CHECK(six.mix.value().at({3, 4}) == doctest::Approx(1 - std::pow(0.5, 2.0 / 3) - 0.15));
  CHECK(amax(abs(six.shift1.weight.value())).item() + amax(abs(six.decay1.weight.value())).item() == 0);
  CHECK(max_abs_difference(six.decay2.bias.value(), p) == 0);
  nn::Rwkv7Mixer seven(o, rng);
  CHECK(seven.mix.value().at({1, 4}) == doctest::Approx(1 - std::pow(0.5, 0.6)));
  const double power = 1 + std::pow(0.5, 0.3);
  CHECK(seven.decay2.bias.value().at({5}) == doctest::Approx(-5.5 + 6 * std::pow(5.0 / 7, power) - 2.5 / 9));
  CHECK(seven.rate2.bias.value().at({7}) == doctest::Approx(-0.19 + 0.3 + 0.2));
  CHECK(seven.value2->bias.value().at({0}) == doctest::Approx(0.73 + 0.2));
  CHECK(seven.removal.value().at({7}) == doctest::Approx(0.71 - 0.05));
  CHECK(seven.key_rate.value().at({0}) == doctest::Approx(1.02));
  CHECK(seven.bonus.value().at({0}) == doctest::Approx(-0.04));
  auto most = [](const nn::Linear& layer) { return amax(abs(layer.weight.value())).item() * std::sqrt(8.0); };
  CHECK((most(seven.receptance) > 0.45 && most(seven.receptance) < 0.5));
  CHECK((most(seven.value) > 0.45 && most(seven.value) < 0.5));
  CHECK((most(seven.key) > 0.045 && most(seven.key) < 0.05));
  CHECK(most(seven.output) == 0);
}

// If nothing decays and the own word counts like the others, it is linear attention.
PROPERTY(no_decay_is_linear_attention) {
  // With u = 1 and w = 1 a word reads itself like the others, and nothing is forgotten.
  Small<nn::Rwkv5Mixer> rwkv("rwkv5");
  auto& m = rwkv.m;
  fill(m.decay, -800), fill(m.bonus, 1), fill(m.mix, 1);
  Variable x = small_sentences(6);
  auto heads = [](const Variable& y) { return nn::split_heads(y, 2); };
  Variable o = linear_attention(heads(m.receptance(x)), heads(m.key(x)), heads(m.value(x)));
  Variable expected = m.output(m.norm(o / 8, 1e-5) * silu(m.gate(x)));
  CHECK(apart(m(x, {}).output, expected) < 1e-12);
}

// With constant rates, as at the start, it is RWKV-5: rates that the words choose are all that was added.
PROPERTY(constant_rates_are_rwkv5) {
  Small<nn::Rwkv5Mixer> five("rwkv5");
  Small<nn::Rwkv6Mixer> six("rwkv6");
  auto take = [](auto& to, const Variable& from) { to.set_value(from.value()); };
  take(six.m.receptance.weight, five.m.receptance.weight), take(six.m.key.weight, five.m.key.weight);
  take(six.m.value.weight, five.m.value.weight), take(six.m.gate.weight, five.m.gate.weight);
  take(six.m.output.weight, five.m.output.weight), take(six.m.bonus, five.m.bonus);
  take(six.m.decay2.bias, five.m.decay);
  const Tensor own = five.m.mix.value();  // r, k, v, g
  auto before = [&](int64_t i) { return 1 - Variable(own.slice(0, i, i + 1)); };
  take(six.m.mix, concat({before(0), before(0), before(1), before(2), before(0), before(3)}, 0));
  Variable x = small_sentences(6);
  CHECK(apart(six.m(x, {}).output, five.m(x, {}).output) < 1e-12);
}

// --- J10, G18b ---
// With one step per word it is the gated delta rule with a doubled strength: further steps are all that was added.
PROPERTY(one_step_is_gated_delta) {
  Small<nn::DeltaProductMixer> product("delta_product:steps=1,taps=2");
  Small<nn::GatedDeltaMixer> gated("gated_delta:taps=2");
  gated.m.strength.weight.set_value(product.m.strength.weight.value());
  gated.m.step.weight.set_value(product.m.step.weight.value());
  gated.m.step_bias.set_value(product.m.step_bias.value()), gated.m.log_rate.set_value(product.m.log_rate.value());
  Variable projected = leaf({2, 6, 3 * kWidth}, 21, kF64), x = small_sentences(6);
  DecayedSums expected = gated.m.words_of(projected, x);
  expected.strength = 2 * expected.strength;
  CHECK(apart(nn::chunkwise_sums(product.m.words_of(projected, x), 4).output, nn::recurrent_sums(expected).output) <
        1e-12);
  // With two steps the memory still decays once for each word.
  Small<nn::DeltaProductMixer> two("delta_product:steps=2,taps=2");
  const Tensor g = two.m.words_of(leaf({2, 6, 5 * kWidth}, 21, kF64), x).decay.value();
  for (int64_t t = 0; t < 12; ++t) CHECK((g.at({1, 1, t, 0}) == 0) == (t % 2 == 1));
}

// With the strength 2 and a value of 0 a step reflects the state, so the same step twice leaves it as it was.
PROPERTY(two_reflections_are_none) {
  Small<nn::DeltaRuleMixer> rule("delta_rule:taps=2,doubled=1"), plain("delta_rule:taps=2");
  Variable projected = leaf({2, 1, 3 * kWidth}, 21, kF64), x = small_sentences(1);
  DecayedSums w = rule.m.words_of(projected, x);
  CHECK(apart(w.strength, 2 * plain.m.words_of(projected, x).strength) < 1e-14);
  auto twice = [](const Variable& y) { return concat({y, y}, 2); };
  Variable k = twice(w.k / heed::norm(w.k, 2, {-1}, true)), two(Tensor::full({2, 2, 2, 1}, 2, kF64));
  Variable S = leaf({2, 2, 2, 2}, 5, kF64);
  CHECK(apart(nn::chunkwise_sums({twice(w.q), k, 0 * twice(w.v), {}, two}, 2, S).state, S) < 1e-12);
}

// --- J11 ---
// What is removed is read before the state decays; read afterwards, and without the correction of the query, it is the
// gated delta rule.
PROPERTY(removal_precedes_the_decay) {
  Small<nn::CombaMixer> early("comba:taps=2"), comba("comba:taps=2,decayed=1");
  Variable inputs = leaf({2, 6, 3 * kWidth}, 22, kF64), words = small_sentences(6);
  fill(early.m.log_rate, 1);
  DecayedSums by_hand = early.m.words_of(inputs, words);
  Variable share = sigmoid(reshape(early.m.inner_decay, {1, 2, 1, 1})), S(Tensor::zeros({2, 2, 2, 2}, kF64));
  std::vector<Variable> read;
  for (int64_t t = 0; t < 6; ++t) {
    auto of = [&](const Variable& y) { return slice(y, 2, t, t + 1); };
    Variable k = of(by_hand.k), missing = of(by_hand.v) - matmul(share * k, S);
    S = exp(of(by_hand.decay)) * S + matmul(transpose(k, -2, -1), of(by_hand.strength) * missing);
    read.push_back(matmul(of(by_hand.q), S));
  }
  CHECK(apart(nn::chunkwise_sums(by_hand, 4).output, concat(read, 2)) < 1e-12);
  fill(early.m.log_rate, 9);  // a decay that no float holds
  CHECK(nn::chunkwise_sums(early.m.words_of(inputs, words), 4).output.value().at({0, 0, 5, 0}) < 1e3);

  Variable projected = leaf({2, 6, 3 * kWidth}, 21, kF64), x = small_sentences(6);
  CHECK((comba.m.inner_decay.value().at({1}) == 1 && comba.m.correction.value().at({1}) == 1));
  Variable before = nn::chunkwise_sums(comba.m.words_of(projected, x), 4).output;
  fill(comba.m.inner_decay, 60), fill(comba.m.correction, 0);
  DecayedSums w = comba.m.words_of(projected, x), plain = w;
  plain.removed = {};
  const double scale = 1 / std::sqrt(2.0);
  plain.q = nn::unit_length(nn::split_heads(slice(projected, 2, 0, kWidth), 2)) * scale;
  CHECK(apart(nn::chunkwise_sums(w, 4).output, nn::recurrent_sums(plain).output) < 1e-12);
  CHECK(apart(before, nn::recurrent_sums(plain).output) > 1e-3);
}

// --- J21 ---
// The decay rates are the published ones: they differ between heads and fall with the layer, so later layers
// reach further back.
PROPERTY(rates_fall_with_the_layer) {
  CHECK(nn::lightning_rates(2, 0, 4)[0] == doctest::Approx(std::exp2(-4) * (1 + 1e-5)).epsilon(1e-12));
  CHECK(nn::lightning_rates(2, 1, 4)[1] == doctest::Approx(std::exp2(-8) * (2.0 / 3 + 1e-5)).epsilon(1e-12));
  CHECK(nn::lightning_rates(2, 3, 4)[0] == doctest::Approx(std::exp2(-4) * 1e-5).epsilon(1e-9));
  Generator rng(1);
  nn::LightningMixer m({.name = "lightning", .query = 4, .key = 4, .heads = 2, .layer = 1, .layers = 4}, rng);
  CHECK(m.words_of(Variable(Tensor::zeros({1, 3, 4}))).decay.value().at({0, 1, 2, 0}) ==
        doctest::Approx(-std::exp2(-8) * (2.0 / 3 + 1e-5)).epsilon(1e-6));
}

// With decay rates of zero the sums are plain linear attention: the constant decay of each head is all that was added.
PROPERTY(no_rate_is_linear_attention) {
  Small<nn::LightningMixer> lightning("lightning");
  Variable x = small_sentences(6);
  DecayedSums w = lightning.m.words_of(x);
  w.decay = 0 * w.decay;
  std::vector<Variable> qkv = chunk(silu(lightning.m.projection(x)), 3, -1);  // no 1 / sqrt(K)
  auto of = [&](size_t i) { return nn::split_heads(qkv[i], 2); };
  CHECK(apart(nn::chunkwise_sums(w, 4).output, linear_attention(of(0), of(1), of(2))) < 1e-12);
}

// --- J20 ---
DecayedSums decaying(int64_t T) {
  return {leaf({2, 2, T, 3}, 1, kF64), leaf({2, 2, T, 3}, 2, kF64), leaf({2, 2, T, 3}, 3, kF64),
          -abs(leaf({2, 2, T, 1}, 4, kF64))};
}

// If all levels are read with one scale, the result is Mamba-2's times this scale: a scale for each level is all
// that was added.
PROPERTY(one_scale_is_mamba2) {
  Small<nn::LogLinearMixer> log_linear("log_linear:state=3,taps=2,levels=4");
  auto& m = log_linear.m;
  fill(m.level.weight, 0);
  const double l = std::log(2.0);  // softplus(0)
  DecayedSums w = decaying(11);
  nn::LeveledSums sums;
  CHECK(apart(nn::leveled_sums(w, m.scales_of(small_sentences(11)), {}, 3, sums), l * nn::recurrent_sums(w).output) <
        1e-12);
}

// The weights of pairs, computed from their places, agree with the merged states, and padding is not counted.
PROPERTY(levels_are_bits_of_places) {
  constexpr int64_t kLevels = 4, kWords = 13;  // the last level is also that of words 8 and more away
  DecayedSums w = decaying(kWords);
  Variable scales = softplus(leaf({2, 2, kWords, kLevels}, 6, kF64));
  const Tensor g = cumsum(w.decay.value(), 2), l = scales.value();
  Tensor weights = tril(matmul(w.q, transpose(w.k, -2, -1))).value().clone();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < kWords; ++t)
        for (int64_t s = 0; s <= t; ++s) {
          int64_t level = 0;
          for (int64_t apart_in = t ^ s; apart_in > 0; apart_in /= 2) ++level;
          const double decay = std::exp(g.at({b, h, t, 0}) - g.at({b, h, s, 0}));
          weights.set({b, h, t, s},
                      weights.at({b, h, t, s}) * decay * l.at({b, h, t, std::min<int64_t>(level, kLevels - 1)}));
        }
  const Variable expected = matmul(Variable(weights), w.v);
  for (int64_t chunk : {1, 2, 5, 13, 50}) {
    nn::LeveledSums sums;
    CHECK(apart(nn::leveled_sums(w, scales, {}, chunk, sums), expected) < 1e-12);
  }
  // Two words of padding before the first sentence, one within the second: as if they were not there.
  const Tensor mask = Tensor::from_bools({0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, {2, 8});
  auto part = [](const Variable& x, int64_t b, const std::vector<int64_t>& places) {
    return index_select(slice(x, 0, b, b + 1), 2, Tensor::from(places, {static_cast<int64_t>(places.size())}));
  };
  const std::vector<std::vector<int64_t>> real{{2, 3, 4, 5, 6, 7}, {0, 1, 2, 4, 5, 6, 7}};
  DecayedSums eight{slice(w.q, 2, 0, 8), slice(w.k, 2, 0, 8), slice(w.v, 2, 0, 8), slice(w.decay, 2, 0, 8)};
  nn::LeveledSums padded;
  Variable y = nn::leveled_sums(nn::without_padding(eight, mask), slice(scales, 2, 0, 8), mask, 3, padded);
  for (int64_t b = 0; b < 2; ++b) {
    const auto& at = real[static_cast<size_t>(b)];
    DecayedSums few{part(w.q, b, at), part(w.k, b, at), part(w.v, b, at), part(w.decay, b, at)};
    nn::LeveledSums alone;
    CHECK(apart(nn::leveled_sums(few, part(scales, b, at), {}, 4, alone), part(y, b, at)) < 1e-12);
    CHECK(padded.places.at({b}) == static_cast<double>(at.size()));
  }
}

// After n words the states that are not empty are the 1 bits of n, so their number grows with the logarithm.
PROPERTY(states_are_the_bits) {
  DecayedSums w = decaying(13);
  Variable scales(Tensor::ones({2, 2, 13, 6}, kF64));
  nn::LeveledSums sums;
  auto part = [](const Variable& x, int64_t t) { return slice(x, 2, t, t + 1); };
  for (int64_t t = 0; t < 13; ++t) {
    nn::leveled_sums({part(w.q, t), part(w.k, t), part(w.v, t), part(w.decay, t)}, part(scales, t), {}, 1, sums);
    for (int64_t m = 0; m < 5; ++m) {
      Tensor state = sums.states.value().select(1, m).contiguous();
      CHECK((amax(abs(state)).item() > 0) == (((t + 1) >> m) % 2 == 1));
    }
  }
}

// --- G12d, G17 ---
// Twice the values are twice the output, since nothing after the heads is normalised.
PROPERTY(output_is_linear_in_values) {
  Small<nn::FastWeightsMixer> fast("fast_weights");
  Variable x = small_sentences(5), y = fast.m(x, {}).output;
  CHECK(!fast.m.strength.bias.defined());
  fast.m.value.weight.set_value(mul(fast.m.value.weight.value(), 2));
  CHECK(apart(fast.m(x, {}).output, 2 * y) < 1e-12);
  const Tensor q = sum(fast.m.words_of(x).q, {-1}).value();  // shares, / sqrt(K)
  CHECK(max_abs_difference(q, Tensor::full(q.shape(), 1 / std::sqrt(2.0), kF64)) < 1e-12);
}

// The angles run from the fastest to the slowest with both ends included, as published; RoPE leaves the last one out.
PROPERTY(angles_include_the_end) {
  CHECK(nn::retention_angles(1) == std::vector<double>{1});
  const std::vector<double> three = nn::retention_angles(3);
  CHECK((three.size() == 3 && three[0] == 1));
  CHECK(three[1] == doctest::Approx(1e-2).epsilon(1e-12));
  CHECK(three[2] == doctest::Approx(1e-4).epsilon(1e-12));
}

}  // namespace
}  // namespace heed::nn_test
