// What the state space models and their relatives hold: S4D, Mamba, Mamba-3, Hyena, H3, RG-LRU, Mega, Longhorn.
#include <cmath>
#include <numbers>

#include "nn/attention/recurrences/diagonal_scan.h"
#include "nn/attention/recurrences/h3.h"
#include "nn/attention/recurrences/hyena.h"
#include "nn/attention/recurrences/mamba.h"
#include "nn/attention/recurrences/mamba3.h"
#include "nn/attention/recurrences/mega.h"
#include "nn/attention/recurrences/rg_lru.h"
#include "nn/attention/recurrences/s4d.h"
#include "nn/attention/recurrences/state_memory.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

using nn::Complex;

template <class M>
struct Held {  // a small mixer, and itself as what it is
  explicit Held(const std::string& text, bool causal = true, int64_t heads = 2)
      : mixer(small_mixer(text, causal, heads)), m(dynamic_cast<M&>(*mixer)) {}
  std::unique_ptr<nn::Mixer> mixer;
  M& m;
};
void fill(Variable& p, double value) { p.set_value(Tensor::full(p.shape(), value, p.dtype())); }
void assign(Variable& p, const Tensor& value) { p.set_value(value.to(p.dtype())); }
double apart(const Variable& x, const Variable& y) { return max_abs_difference(x.value(), y.value()); }
// The tensors of the state after some words.
std::vector<Variable> state_after(const nn::Mixer& m, const Variable& x) {
  nn::StateMemory memory;
  m.extend(x, memory, {});
  return memory.state;
}

// All words at once, in chunks that do and do not divide their number, and one after another. A decay of 0 forgets all.
PROPERTY(scans_agree) {
  auto draw = [](const Shape& shape, uint64_t seed) { return leaf(shape, seed, kF64); };
  for (bool one : {false, true}) {  // one decay for all words
    const Shape u_of{2, 7, 3, 2}, a_of = one ? Shape{1, 1, 3, 2} : u_of;
    Variable a = sigmoid(draw(a_of, 1)), u = draw(u_of, 2), before = draw({2, 1, 3, 2}, 3);
    if (!one) a = masked_fill(a, Tensor::from_bools({0, 0, 0, 1, 0, 0, 0}, {1, 7, 1, 1}), 0);
    Variable angle = 3 * draw(a_of, 5), v = draw(u_of, 6), after = draw({2, 1, 3, 2}, 7);
    Complex turn{a * cos(angle), a * sin(angle)}, w{u, v}, start{before, after};
    Variable expected = nn::recurrent_scan(a, u, before);
    Complex turned = nn::recurrent_scan(turn, w, start);
    CHECK(apart(slice(expected, 1, 0, 1), (one ? a : slice(a, 1, 0, 1)) * before + slice(u, 1, 0, 1)) < 1e-15);
    for (int64_t chunk : {1, 2, 3, 7, 50}) {
      CHECK(apart(nn::diagonal_scan(a, u, chunk, before), expected) < 1e-13);
      Complex h = nn::diagonal_scan(turn, w, chunk, start);
      CHECK(apart(h.re, turned.re) < 1e-13);
      CHECK(apart(h.im, turned.im) < 1e-13);
    }
  }
  Variable u = draw({1, 5, 1}, 8), zero(Tensor::zeros({1, 5, 1}, kF64));
  CHECK(apart(nn::diagonal_scan(zero, u, 2, Variable(Tensor::ones({1, 1, 1}, kF64))), u) == 0);
}

// --- J2 ---
// A word with a step of zero leaves the state as it was.
PROPERTY(no_step_keeps_the_state) {
  // softplus(-800) is 0: such words change no state, and the state of a cut sentence is that of its first part.
  Held<nn::MambaMixer> held("mamba:chunk=2,state=3,taps=1");
  Variable x = small_sentences(5);
  nn::StateMemory memory;
  held.m.extend(slice(x, 1, 0, 3), memory, {});
  std::vector<Variable> kept = memory.state;
  CHECK(apart(kept[1], state_after(held.m, slice(x, 1, 0, 3))[1]) == 0);
  fill(held.m.step.bias, -800);
  held.m.extend(slice(x, 1, 3, 5), memory, {});
  CHECK(apart(memory.state[1], kept[1]) == 0);
}

// With one rate and one step per head it is Mamba-2, which gave up a separate rate for each feature and each number of
// the state.
PROPERTY(one_rate_a_head_is_mamba2) {
  // With one rate and one step in a head: h_t = exp(A d) h_(t-1) + B_t (d u_t), Mamba-2.
  Held<nn::MambaMixer> held("mamba:chunk=2,state=3,taps=1,rank=2");
  auto& m = held.m;
  Variable u = leaf({2, 5, 8}, 12, kF64);
  Tensor rate = Tensor::empty({8, 3}, kF64), bias = Tensor::empty({8}, kF64), weight = Tensor::empty({8, 2}, kF64);
  Tensor A = Tensor::empty({1, 2, 1, 1}, kF64);
  for (int64_t e = 0; e < 8; ++e) {
    const int64_t h = e / 4;
    bias.set({e}, double(h) - 1), weight.set({e, 0}, .3 + double(h)), weight.set({e, 1}, -.5);
    for (int64_t n = 0; n < 3; ++n) rate.set({e, n}, .2 - double(h));
    A.set({0, h, 0, 0}, -std::exp(.2 - double(h)));
  }
  assign(m.log_rate, rate), assign(m.step.bias, bias), assign(m.step.weight, weight);
  nn::MambaMixer::Selected s = m.selected(u, {});
  Variable o = sum(nn::recurrent_scan(s.decay, s.written) * s.read, {-1});
  std::vector<Variable> part = split(m.selection(u), {2, 3, 3}, -1);
  Variable d = softplus(m.step(part[0])), of_heads = nn::split_heads(slice(d, -1, 0, 8, 4), 2);  // [2, 2, 5, 1]
  auto shared = [](const Variable& y) { return expand(unsqueeze(y, 1), {2, 2, 5, 3}); };
  nn::DecayedSums words{shared(part[2]), shared(part[1]), nn::split_heads(d * u, 2), Variable(A) * of_heads};
  CHECK(apart(o, nn::join_heads(nn::recurrent_sums(words).output)) < 1e-13);
}

// The rates begin as the whole numbers from 1 on, and the steps within the published range.
PROPERTY(rates_begin_as_integers) {
  Held<nn::MambaMixer> held("mamba:state=3");
  Tensor rates = exp(held.m.log_rate.value()), steps = softplus(held.m.step.bias.value());
  for (int64_t e = 0; e < 8; ++e) {
    for (int64_t n = 0; n < 3; ++n) CHECK(rates.at({e, n}) == doctest::Approx(double(n + 1)).epsilon(1e-6));
    CHECK((steps.at({e}) >= .00099 && steps.at({e}) <= .1001));
  }
}

// --- J28 ---
// With a state of one number, a step is the best compromise between the state before and the new word.
PROPERTY(one_number_is_the_best_fit) {
  // N = 1: the new state minimises |S - S_before|^2 + b (S k - u)^2, so its derivative is 0.
  Held<nn::MambaMixer> held("longhorn:state=1,taps=1");
  auto& m = held.m;
  Variable u = leaf({2, 4, 8}, 13, kF64);
  nn::MambaMixer::Selected s = m.selected(u, {});
  Variable S = nn::recurrent_scan(s.decay, s.written), before = nn::previous_words(squeeze(S, -1), {});
  std::vector<Variable> part = split(m.selection(u), {1, 1, 1}, -1);
  Variable b = sigmoid(m.step(part[0])), now = squeeze(S, -1), k = part[1];
  CHECK(apart(now - before + b * (now * k - u) * k, now * 0) < 1e-14);
  CHECK(apart(now, before) > 1e-2);
}

// --- J18 ---
// The first word enters the state unscaled, and padding before it does not make it a second word.
PROPERTY(first_word_is_taken_whole) {
  Held<nn::RgLruMixer> held("rg_lru:chunk=2,taps=1");
  auto& m = held.m;
  Variable x = small_sentences(3);
  fill(m.input_gate_weight, 0), fill(m.input_gate_bias, 60);  // i = 1
  Variable u = m.convolution(m.input(x), {}).output;
  CHECK(apart(state_after(m, slice(x, 1, 0, 1))[1], slice(u, 1, 0, 1)) < 1e-14);
  // Padding before it does not make it a second word, whether it comes with it or in a piece of its own.
  nn::StateMemory memory;
  m.extend(slice(x, 1, 0, 1), memory, {.words = Tensor::from_bools({0, 1}, {2, 1})});
  m.extend(slice(x, 1, 1, 2), memory, {.words = Tensor::from_bools({0, 1, 1, 1}, {2, 2})});
  CHECK(apart(select(memory.state[1], 0, 0), select(slice(u, 1, 1, 2), 0, 0)) < 1e-14);
  CHECK(apart(select(memory.state[1], 0, 1), select(slice(u, 1, 1, 2), 0, 1)) > 1e-3);
}

// With a closed decay gate the state does not change, and the gradient of the square root in its update stays bounded.
PROPERTY(a_closed_gate_keeps_the_state) {
  Held<nn::RgLruMixer> held("rg_lru:taps=1");
  auto& m = held.m;
  Variable x = small_sentences(4);
  fill(m.decay_gate_weight, 0), fill(m.decay_gate_bias, -800);  // r = 0, a = 1
  CHECK(apart(state_after(m, slice(x, 1, 0, 1))[1], state_after(m, x)[1]) == 0);
  Variable root = leaf(Tensor::from(std::vector<double>{0, 1e-9, .25}, {3}));
  backward(sum(nn::bounded_root(root, 1000)));
  CHECK((root.grad().at({0}) == doctest::Approx(1000) && root.grad().at({1}) == doctest::Approx(1000)));
  CHECK(root.grad().at({2}) == doctest::Approx(1));
}

// Independent inputs of variance 1 under a constant decay keep the state at variance 1, and the decays
// begin as published.
PROPERTY(the_state_keeps_its_variance) {
  Held<nn::RgLruMixer> wide("rg_lru:inner=16"), held("rg_lru:taps=1");
  auto& m = held.m;
  Tensor radius = exp(neg(softplus(wide.m.rate.value())));
  for (int64_t e = 0; e < 64; ++e) CHECK((radius.at({e}) > .8999 && radius.at({e}) < .9991));
  // In a stack of 8 layers W_o begins half as large as in one of 2, or alone as with a variance of 1.
  Generator draws(3);
  auto spread = [&](int64_t layers) {
    nn::RgLruMixer one({.name = "rg_lru", .query = 32, .key = 32, .heads = 2, .layer = 0, .layers = layers}, draws);
    return std::sqrt(32 * mean(square(one.output.weight)).item());
  };
  CHECK(spread(0) == doctest::Approx(1).epsilon(0.1));
  CHECK(spread(8) == doctest::Approx(0.5).epsilon(0.1));
  fill(m.decay_gate_weight, 0), fill(m.input_gate_weight, 0), fill(m.input_gate_bias, 60), fill(m.rate, -2);
  assign(m.input.weight, Tensor::eye(kWidth, kF64)), fill(m.convolution.weight, 1);
  Generator rng(5);
  Variable x(Tensor::normal({16, 200, kWidth}, rng, 0, 1, kF64));
  nn::StateMemory memory;
  double squares = 0;
  for (int64_t t = 0; t < 200; ++t) {
    m.extend(slice(x, 1, t, t + 1), memory, {});
    squares += mean(square(memory.state[1])).item();
  }
  CHECK(squares / 200 == doctest::Approx(1).epsilon(0.1));
}

// --- J1 ---
// The recurrence in pieces gives what a convolution with its kernel gives.
PROPERTY(recurrence_is_the_convolution) {
  Held<nn::S4dMixer> held("s4d:chunk=3,modes=3");
  auto& s = held.m.system;
  Variable x = small_sentences(7), K = s.kernel(7), expected = s.skip * x;
  for (int64_t l = 0; l < 7; ++l)
    expected = expected + select(K, 1, l) * pad(slice(x, 1, 0, 7 - l), {{.axis = 1, .before = l}});
  CHECK(apart(squeeze(s(unsqueeze(x, -1), {}, 3, {}).output, -1), expected) < 1e-13);
}

// Shifting the input shifts the output: the system is the same at all times.
PROPERTY(a_shift_shifts_the_output) {
  Held<nn::S4dMixer> held("s4d:chunk=2,modes=2");
  Variable x = small_sentences(5), y = held.m(x, {}).output;
  Variable later = held.m(pad(x, {{.axis = 1, .before = 2}}), {}).output;
  CHECK(apart(slice(later, 1, 2, 7), y) < 1e-14);
}

// Rates, frequencies, steps and output weights begin as published.
PROPERTY(modes_begin_as_published) {
  Generator rng(3);
  nn::DiagonalSystem s({.systems = 400, .modes = 3}, rng);
  for (int64_t m = 0; m < 3; ++m) {
    CHECK(std::exp(s.log_rate.value().at({7, m})) == doctest::Approx(.5).epsilon(1e-6));
    CHECK(s.frequency.value().at({7, m}) == doctest::Approx(std::numbers::pi * double(m)).epsilon(1e-6));
  }
  CHECK(mean(square(s.read)).item() == doctest::Approx(.5).epsilon(.1));
  Tensor steps = exp(s.log_step.value());
  int small = 0;
  for (int64_t f = 0; f < 400; ++f) {
    CHECK((steps.at({f}) >= .00099 && steps.at({f}) <= .1001));
    small += steps.at({f}) < .01;  // half of them: uniform in the logarithm
  }
  CHECK((small > 160 && small < 240));
}

// --- J5 ---
// With keys as they are and a mode that neither decays nor turns, it is causal linear attention times a constant.
PROPERTY(one_constant_mode_is_linear_attention) {
  Held<nn::H3Mixer> held("h3:chunk=2,modes=1,taps=2");
  auto& m = held.m;
  assign(m.shift.weight, Tensor::from(std::vector<double>{1, 1, 1, 1, 0, 0, 0, 0}, {2, 4}));
  fill(m.key_skip, 0), fill(m.system.skip, 0), fill(m.system.log_rate, -40), fill(m.system.frequency, 0);
  fill(m.system.read, 1.5), fill(m.system.log_step, std::log(.25));
  Variable x = small_sentences(5);
  auto of = [&](nn::Linear& layer) { return nn::split_heads(layer(x), 2); };
  Variable o = matmul(tril(matmul(of(m.query), transpose(of(m.key), -2, -1))), of(m.value));
  CHECK(apart(m(x, {}).output, m.output(2 * 1.5 * .25 * nn::join_heads(o))) < 1e-12);
}

// --- J3 ---
// If only the newest word enters the state and nothing rotates, it is Mamba-2 with normalised queries and keys.
PROPERTY(own_share_alone_is_mamba2) {
  // l = 1 and no angles: S = a S + d k^T v, with k and q that were normalised.
  Held<nn::Mamba3Mixer> held("mamba3:chunk=2,state=4,inner=1");
  auto& m = held.m;
  Tensor rows = m.projection.weight.value();  // [z; v; B; C; s; A'; m; th]: 4, 4, 4, 4, 2, 2, 2, 1 rows
  for (int64_t d = 0; d < 4; ++d) rows.set({22, d}, 0);
  Variable x = small_sentences(5);
  nn::Mamba3Mixer::Words w = m.words_of(x, {}, {});
  auto normed = [&](int64_t at) {
    Variable y = slice(m.projection(x), -1, at, at + 4);
    return expand(unsqueeze(y * rsqrt(mean(square(y), {-1}, true) + 1e-5), 1), {2, 2, 5, 4}) + 1;
  };
  CHECK(apart(w.k, normed(8)) < 1e-14);
  CHECK(apart(w.q, normed(12)) < 1e-14);
  w.own = Variable(Tensor::ones(w.own.shape(), kF64));
  CHECK(apart(m.read(w, {}).output, nn::recurrent_sums({w.q, w.k, w.step * w.v, w.decay}).output) < 1e-13);
}

// The two shares of a word, at its own step and at the next, add up over time as the formula says.
PROPERTY(shares_enter_once) {
  // The shares of a word add up over time: l_s d_s at s, and (1 - l_(s+1)) d_(s+1) more from s + 1 on.
  Held<nn::Mamba3Mixer> held("mamba3:chunk=3,state=4,inner=1");
  Variable x = small_sentences(5);
  nn::Mamba3Mixer::Words w = held.m.words_of(x, {}, {});
  Tensor q = w.q.value(), k = w.k.value(), v = w.v.value(), d = w.step.value(), g = w.decay.value(), l = w.own.value();
  Tensor o = held.m.read(w, {}).output.value();
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t p = 0; p < 2; ++p) {
      double expected = 0;
      for (int64_t s = 0; s <= t; ++s) {
        double product = 0, kept = 0, share = l.at({1, 1, s, 0}) * d.at({1, 1, s, 0});
        for (int64_t n = 0; n < 4; ++n) product += q.at({1, 1, t, n}) * k.at({1, 1, s, n});
        for (int64_t r = s + 1; r <= t; ++r) kept += g.at({1, 1, r, 0});
        if (s < t) share += (1 - l.at({1, 1, s + 1, 0})) * d.at({1, 1, s + 1, 0});
        expected += std::exp(kept) * share * product * v.at({1, 1, s, p});
      }
      CHECK(o.at({1, 1, t, p}) == doctest::Approx(expected).epsilon(1e-12));
    }
}

// --- J4 ---
// The direct sum agrees with a product of Fourier transforms of twice the length; with shorter ones the end
// would wrap round.
PROPERTY(direct_sum_is_the_fourier_product) {
  // The product of two Fourier transforms of 2 T points; with T points the end would wrap round to the begin.
  Held<nn::HyenaMixer> held("hyena:chunk=3,max_source=16");
  const int64_t T = 7, points = 2 * T;
  Variable h = held.m.filter(T), u = small_sentences(T);
  Tensor c = Tensor::empty({points, points}, kF64), s = Tensor::empty({points, points}, kF64);
  for (int64_t f = 0; f < points; ++f)
    for (int64_t t = 0; t < points; ++t) {
      double angle = 2 * std::numbers::pi * double(f * t) / double(points);
      c.set({f, t}, std::cos(angle)), s.set({f, t}, -std::sin(angle));
    }
  Variable C(c), S(s);
  auto transformed = [&](const Variable& x) {
    Variable wide = pad(x, {{.axis = x.rank() - 2, .after = T}});
    return Complex{matmul(C, wide), matmul(S, wide)};
  };
  Complex product = transformed(h) * transformed(u);
  Variable back = (matmul(C, product.re) + matmul(S, product.im)) / double(points);  // the real part of the inverse
  CHECK(apart(held.m.convolved(h, u), slice(back, 1, 0, T)) < 1e-13);
}

// With a filter of one word it is an elementwise product of each word's projections: the long filter connects words.
PROPERTY(a_filter_of_one_word_is_a_gated_product) {
  Held<nn::HyenaMixer> held("hyena:chunk=2,max_source=16");
  auto& m = held.m;
  assign(m.convolution.weight, concat({Tensor::ones({1, 12}, kF64), Tensor::zeros({2, 12}, kF64)}, 0));
  fill(m.convolution.bias, 0), fill(m.skip, 0);
  Variable x = small_sentences(5);
  Variable delta(concat({Tensor::ones({1, 4}, kF64), Tensor::zeros({4, 4}, kF64)}, 0));
  std::vector<Variable> part = chunk(m.projection(x), 3, -1);
  CHECK(apart(m.convolved(delta, part[1] * part[2]), part[1] * part[2]) == 0);
  fill(m.filter4.weight, 0), fill(m.skip, 1);  // no filter: the skip alone
  CHECK(apart(m(x, {}).output, m.output(part[0] * (part[1] * part[2]))) < 1e-14);
}

// The filter depends on the longest sentence allowed, not on the input: a shorter one uses its beginning.
PROPERTY(filter_depends_on_the_longest_sentence) {
  Held<nn::HyenaMixer> held("hyena:max_source=16"), longer("hyena:max_source=32");
  Variable h = held.m.filter(8);
  CHECK(apart(slice(held.m.filter(12), 0, 0, 8), h) == 0);
  CHECK(apart(longer.m.filter(8), h) > 1e-2);
  // It falls to 1 % in 1.5 (the first feature) or 0.3 (the last) of the longest sentence.
  fill(held.m.filter4.weight, 1);
  Variable whole = held.m.filter(16);
  Tensor ratio = div(select(whole, 1, 0).value(), select(whole, 1, 3).value());
  CHECK(ratio.at({15}) == doctest::Approx(std::pow(.01, 1 / 1.5 - 1 / .3)));
  CHECK(ratio.at({0}) == doctest::Approx(1));
}

// --- J19 ---
// The moving averages agree with a convolution whose kernel is written out.
PROPERTY(average_is_the_convolution) {
  // The averages as a convolution: sum_N gamma p beta (1 - p a)^l / sqrt(N) at the distance l.
  const std::string small = "mega:chunk=3,state=3,width=2,max_source=8";
  Held<nn::MegaMixer> held(small), encoder(small, false);
  auto kernel = [](const nn::MovingAverages& a, int64_t l) {  // [D]
    Variable p = sigmoid(a.alpha);                            // the weight of a word; delta damps the decay
    return sum(a.gamma * p * a.beta * pow(1 - p * sigmoid(a.delta), double(l)), {-1}) / std::sqrt(3.0);
  };
  Variable n = small_sentences(6), expected = n * 0, both = n * 0;
  auto& e = encoder.m;
  for (int64_t l = 0; l < 6; ++l) {
    expected = expected + kernel(held.m.average, l) * pad(slice(n, 1, 0, 6 - l), {{.axis = 1, .before = l}});
    both = both + kernel(e.average, l) * pad(slice(n, 1, 0, 6 - l), {{.axis = 1, .before = l}});
    if (l > 0) both = both + kernel(*e.from_right, l) * pad(slice(n, 1, l, 6), {{.axis = 1, .after = l}});
  }
  CHECK(apart(held.m.averaged(n, {}, {}).output, expected) < 1e-13);
  CHECK(apart(e.averaged(n, {}, {}).output, both) < 1e-13);
}

// With a closed gate the layer returns its input, bit by bit.
PROPERTY(a_closed_gate_is_the_identity) {
  Held<nn::MegaMixer> held("mega:state=2,width=2,max_source=8");
  fill(held.m.mixing.weight, 0);
  Tensor bias = Tensor::zeros({2 * 4 + 2 + 8}, kF64);  // [u; z; r; h]
  for (int64_t d = 0; d < 4; ++d) bias.set({d}, -800);
  assign(held.m.mixing.bias, bias);
  Variable x = small_sentences(5);
  CHECK(apart(held.m(x, {}).output, x) == 0);
}

// A large bias for one distance makes each word read the word at that distance.
PROPERTY(biases_are_of_distances) {
  Held<nn::MegaMixer> held("mega:state=2,width=2,max_source=8");
  Tensor bias = Tensor::zeros({15}, kF64);
  bias.set({7 - 1}, 1e4);
  assign(held.m.bias, bias);
  Tensor w = held.m(small_sentences(5), {.weights = true}).weights.value();  // [2, 1, 5, 5]
  for (int64_t t = 0; t < 5; ++t) CHECK(w.at({1, 0, t, std::max<int64_t>(t - 1, 0)}) == doctest::Approx(1));
}

}  // namespace
}  // namespace heed::nn_test
