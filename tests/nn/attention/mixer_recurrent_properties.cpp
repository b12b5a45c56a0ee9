// What the mixers with a state of constant size hold: retention, gated linear attention, the delta rule, Mamba-2.
#include <cmath>

#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/fast_weights.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/gated_linear.h"
#include "nn/attention/recurrences/mamba2.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/cases/small_stages.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

std::string with_chunk(const CatalogueEntry& e, int64_t chunk) {
  nn::StageOptions o = nn::small_stage(nn::Kind::mixer, {.name = e.name}, {.most = 2});
  o.settings["chunk"] = static_cast<double>(chunk);
  return nn::text_of(nn::Kind::mixer, o);
}
void set_all(Variable& p, double value) { p.set_value(Tensor::full(p.shape(), value, p.dtype())); }

nn::DecayedSums some_words(int64_t T, bool strength) {
  nn::DecayedSums w{leaf({2, 3, T, 4}, 1, kF64), leaf({2, 3, T, 4}, 2, kF64), leaf({2, 3, T, 5}, 3, kF64)};
  w.decay = -abs(leaf({2, 3, T, strength ? 1 : 4}, 4, kF64));
  if (strength) w.strength = sigmoid(leaf({2, 3, T, 1}, 5, kF64)), w.k = nn::unit_length(w.k);
  return w;
}

// All words in one product, in chunks that do and do not divide their number, and one after another; the state goes on
// from one call to the next. As functions, and in the mixer, whose word by word form is the recurrence.
PROPERTY(three_forms_agree) {
  for (bool strength : {false, true}) {
    nn::DecayedSums w = some_words(7, strength);
    Variable start = leaf({2, 3, 4, 5}, 9, kF64);
    nn::SumsRead one = nn::recurrent_sums(w, start), all = nn::parallel_sums(w, start);
    CHECK(max_abs_difference(one.output.value(), all.output.value()) < 1e-12);
    CHECK(max_abs_difference(one.state.value(), all.state.value()) < 1e-12);
    for (int64_t chunk : {1, 2, 3, 7, 50}) {
      nn::SumsRead some = nn::chunkwise_sums(w, chunk, start);
      CHECK(max_abs_difference(one.output.value(), some.output.value()) < 1e-12);
      CHECK(max_abs_difference(one.state.value(), some.state.value()) < 1e-12);
    }
  }
  // Padding is as if it were not there.
  nn::DecayedSums w = some_words(5, true);
  const Tensor rows = Tensor::from(std::vector<int64_t>{0, 1, 3, 4}, {4});
  auto without = [&](const Variable& y) { return index_select(y, 2, rows); };
  nn::DecayedSums four{without(w.q), without(w.k), without(w.v), without(w.decay), without(w.strength)};
  nn::DecayedSums five = nn::without_padding(w, Tensor::from_bools({1, 1, 0, 1, 1, 1, 1, 0, 1, 1}, {2, 5}));
  CHECK(max_abs_difference(nn::chunkwise_sums(four, 3).state.value(), nn::chunkwise_sums(five, 3).state.value()) <
        1e-12);

  Variable x = small_sentences(7);
  Tensor whole = (*small_mixer(with_chunk(entry, 1000), true))(x, {}).output.value();
  for (int64_t chunk : {2, 3}) {
    auto m = small_mixer(with_chunk(entry, chunk), true);
    CHECK(max_abs_difference(whole, (*m)(x, {}).output.value()) < 1e-10);
    auto memory = m->memory();
    int64_t bytes = 0;
    for (int64_t t = 0; t < 7; ++t) {
      Tensor y = m->extend(slice(x, 1, t, t + 1), *memory, {}).output.value();
      CHECK(max_abs_difference(whole.slice(1, t, t + 1).contiguous(), y) < 1e-10);
      if (t == 0) bytes = memory->bytes();
      CHECK((bytes > 0 && memory->bytes() == bytes));  // however many words
    }
  }
}

// --- G17 ---
// The decay of each head is 1 minus a power of one half, as published.
PROPERTY(golden_decays) {
  std::vector<double> gamma = nn::retention_decays(3);
  CHECK((gamma[0] == .96875 && gamma[1] == .984375 && gamma[2] == .9921875));
}

// A weight is the rotated product times the decay to the power of the distance, computed here from distances alone.
PROPERTY(weights_are_powers_of_the_decay) {
  // gamma^(t - s) q_t R_(t - s) k_s, from the distance alone, where the mixer rotates and decays by places.
  auto made = small_mixer("retention", true);
  auto& m = dynamic_cast<nn::RetentionMixer&>(*made);
  Variable x = small_sentences(6);
  Tensor q = nn::split_heads(m.query(x), 2).value(), k = nn::split_heads(m.key(x), 2).value(),
         v = nn::split_heads(m.value(x), 2).value(), o = Tensor::zeros({2, 2, 6, 2}, kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < 6; ++t)
        for (int64_t s = 0; s <= t; ++s) {
          double a = double(t - s), q0 = q.at({b, h, t, 0}), q1 = q.at({b, h, t, 1}), k0 = k.at({b, h, s, 0}),
                 k1 = k.at({b, h, s, 1});  // K = 2: one pair, theta = 1
          double product = (q0 * k0 + q1 * k1) * std::cos(a) + (q0 * k1 - q1 * k0) * std::sin(a);
          double w = std::pow(1 - std::exp2(-5 - double(h)), a) * product / std::sqrt(2.0);
          for (int64_t d = 0; d < 2; ++d) o.set({b, h, t, d}, o.at({b, h, t, d}) + w * v.at({b, h, s, d}));
        }
  Tensor expected = m.finished(x, Variable(o)).value();
  CHECK(max_abs_difference(m(x, {}).output.value(), expected) < 1e-12);
}

// --- G18 ---
// With open gates nothing is forgotten, and it is causal linear attention: the gates are all that was added.
PROPERTY(open_gates_are_causal_linear_attention) {
  auto made = small_mixer("gated_linear", true);
  auto& m = dynamic_cast<nn::GatedLinearMixer&>(*made);
  set_all(m.decay2.weight, 0), set_all(m.decay2.bias, 60);
  Variable x = small_sentences(6);
  nn::DecayedSums w = m.words_of(x);
  Variable o = matmul(tril(matmul(w.q, transpose(w.k, -2, -1))), w.v);
  CHECK(max_abs_difference(m(x, {}).output.value(), m.finished(x, o).value()) < 1e-12);
}

// With one constant rate per head it is retention: rates that depend on the word and the feature are all
// that was added.
PROPERTY(one_rate_is_retention) {
  auto made = small_mixer("gated_linear:root=1", true);
  auto& m = dynamic_cast<nn::GatedLinearMixer&>(*made);
  const std::vector<double> gamma = nn::retention_decays(2);
  set_all(m.decay2.weight, 0);
  Tensor logits = Tensor::empty({4}, kF64), rates = Tensor::empty({1, 2, 6, 1}, kF64);
  for (int64_t d = 0; d < 4; ++d) {
    double g = gamma[static_cast<size_t>(d / 2)];
    logits.set({d}, std::log(g / (1 - g)));
    for (int64_t t = 0; t < 6; ++t) rates.set({0, d / 2, t, 0}, std::log(g));
  }
  m.decay2.bias.set_value(logits);
  Variable x = small_sentences(6);
  nn::DecayedSums w = m.words_of(x);
  w.decay = Variable(rates);  // as retention has it: one number for each head
  CHECK(max_abs_difference(m(x, {}).output.value(), m.finished(x, nn::recurrent_sums(w).output).value()) < 1e-12);
}

// --- G12b, G18b ---
// The features of a key are positive and sum to 1, as computed by hand.
PROPERTY(keys_sum_to_one) {
  auto made = small_mixer("fast_weights", true);
  auto& m = dynamic_cast<nn::FastWeightsMixer&>(*made);
  Variable x = small_sentences(4);
  nn::DecayedSums w = m.words_of(x);
  Tensor z = nn::split_heads(m.key(x), 2).value();
  for (int64_t t = 0; t < 4; ++t) {
    auto f = [&](int64_t d) { return z.at({1, 1, t, d}) < 0 ? std::exp(z.at({1, 1, t, d})) : z.at({1, 1, t, d}) + 1; };
    for (int64_t d = 0; d < 2; ++d)
      CHECK(w.k.value().at({1, 1, t, d}) == doctest::Approx(f(d) / (f(0) + f(1))).epsilon(1e-12));
  }
}

// A second value under the same key replaces the first, where a plain sum keeps both; a key at right
// angles changes neither.
PROPERTY(same_key_replaces_the_value) {
  // Two values under one key of length 1, then a query with that key. The delta rule reads the second; a plain sum
  // reads both. An orthogonal key in between changes neither.
  Tensor k = Tensor::from(std::vector<double>{1, 0, 0, 1, 1, 0}, {1, 1, 3, 2}),
         v = Tensor::from(std::vector<double>{5, 6, 7, 8, 2, 3}, {1, 1, 3, 2}), b = Tensor::ones({1, 1, 3, 1}, kF64);
  for (int64_t chunk : {1, 2, 3}) {
    nn::DecayedSums words{Variable(k), Variable(k), Variable(v), {}, Variable(b)};
    for (const nn::SumsRead& read : {nn::recurrent_sums(words), nn::chunkwise_sums(words, chunk)}) {
      CHECK(read.output.value().at({0, 0, 2, 0}) == doctest::Approx(2));
      CHECK(read.output.value().at({0, 0, 2, 1}) == doctest::Approx(3));
      CHECK(read.state.value().at({0, 0, 1, 0}) == doctest::Approx(7));
    }
    words.strength = {};
    CHECK(nn::chunkwise_sums(words, chunk).output.value().at({0, 0, 2, 0}) == doctest::Approx(5 + 2));
  }
}

// Writing a word that the memory already holds changes nothing.
PROPERTY(a_repeated_word_changes_nothing) {
  auto made = small_mixer("delta_rule:taps=2", true);
  auto& m = dynamic_cast<nn::DeltaRuleMixer&>(*made);
  nn::DecayedSums w = m.words_of(leaf({2, 2, 3 * kWidth}, 21, kF64), small_sentences(2));
  w.strength = 0 * w.strength + 1;
  auto after = [&](const std::vector<int64_t>& order) {
    const Tensor at = Tensor::from(order, {static_cast<int64_t>(order.size())});
    auto of = [&](const Variable& y) { return index_select(y, 2, at); };
    return nn::chunkwise_sums({of(w.q), of(w.k), of(w.v), {}, of(w.strength)}, 2).state.value();
  };
  CHECK(max_abs_difference(after({0, 1}), after({0, 1, 1, 1})) < 1e-3);  // |k|^2 is 1 - 1e-6 / |silu|^2
  CHECK(max_abs_difference(after({0, 1}), after({0, 1, 0})) > 1e-2);
}

// --- G18c ---
// Without decay it is the delta rule: forgetting the whole state at once is all that was added.
PROPERTY(without_decay_is_the_delta_rule) {
  auto made = small_mixer("gated_delta:taps=2", true);
  auto& m = dynamic_cast<nn::GatedDeltaMixer&>(*made);
  Variable x = small_sentences(6), projected = leaf({2, 6, 3 * kWidth}, 21, kF64);
  nn::DecayedSums decaying = m.words_of(projected, x);
  set_all(m.log_rate, -800);
  nn::DecayedSums w = m.words_of(projected, x), plain = w;
  plain.decay = {};
  Tensor expected = nn::recurrent_sums(plain).output.value();
  CHECK(max_abs_difference(nn::chunkwise_sums(w, 4).output.value(), expected) < 1e-12);
  CHECK(max_abs_difference(nn::chunkwise_sums(decaying, 4).output.value(), expected) > 1e-4);
}

// With complete decay a word reads itself alone.
PROPERTY(strong_decay_keeps_one_word) {
  auto made = small_mixer("gated_delta:taps=2", true);
  auto& m = dynamic_cast<nn::GatedDeltaMixer&>(*made);
  set_all(m.log_rate, 20);
  Variable projected = leaf({2, 6, 3 * kWidth}, 21, kF64);
  nn::DecayedSums w = m.words_of(projected, small_sentences(6));
  Variable own = w.strength * sum(w.q * w.k, {-1}, true) * w.v;  // b_t (q_t . k_t) v_t
  Tensor size = sum(square(w.q), {-1}).value();                  // 1 / K, where a word's key has 1
  CHECK(max_abs_difference(size, Tensor::full(size.shape(), 1.0 / static_cast<double>(w.q.size(-1)), kF64)) < 1e-3);
  CHECK(max_abs_difference(nn::chunkwise_sums(w, 4).output.value(), own.value()) < 1e-12);
}

// --- G18e ---
// The matrix form, with the products of all decays between two words written out, agrees with the recurrence.
PROPERTY(matrix_form_is_the_recurrence) {
  // (L * C B^T) (d x) with L_ts = a_(s+1) .. a_t, written out.
  auto made = small_mixer("mamba2:taps=2,state=3", true);
  auto& m = dynamic_cast<nn::Mamba2Mixer&>(*made);
  nn::DecayedSums w = m.words_of(leaf({2, 5, 2 * kWidth + 6}, 22, kF64), small_sentences(5));
  Tensor C = w.q.value(), B = w.k.value(), dx = w.v.value(), g = w.decay.value();
  Tensor o = nn::recurrent_sums(w).output.value();
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t t = 0; t < 5; ++t)
      for (int64_t p = 0; p < kWidth; ++p) {
        double expected = 0;
        for (int64_t s = 0; s <= t; ++s) {
          double L = 1, product = 0;
          for (int64_t r = s + 1; r <= t; ++r) L *= std::exp(g.at({1, h, r, 0}));
          for (int64_t n = 0; n < 3; ++n) product += C.at({1, h, t, n}) * B.at({1, h, s, n});
          expected += L * product * dx.at({1, h, s, p});
        }
        CHECK(o.at({1, h, t, p}) == doctest::Approx(expected).epsilon(1e-12));
      }
}

// The first step sizes are small and drawn from the published range.
PROPERTY(steps_begin_small) {
  Generator rng(3);
  auto published = [&](const Variable& step_bias, const Variable& log_rate, double least) {
    const Tensor steps = softplus(step_bias.value()), rates = exp(log_rate.value());
    CHECK((amin(steps).item() > 0.00099 && amax(steps).item() < 0.101 && amax(steps).item() > 0.03));
    CHECK((amin(rates).item() >= least && amax(rates).item() <= 16 && amax(rates).item() > 8));
  };
  if (entry.name == "mamba2") {
    nn::Mamba2Mixer m({.name = "mamba2", .query = 64, .key = 64, .heads = 16}, rng);
    published(m.step_bias, m.log_rate, 1);
  } else {
    nn::GatedDeltaMixer m({.name = "gated_delta", .query = 64, .key = 64, .heads = 16}, rng);
    published(m.step_bias, m.log_rate, 0);
    CHECK_FALSE(m.convolution.bias.defined());
  }
}

}  // namespace
}  // namespace heed::nn_test
