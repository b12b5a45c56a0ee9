// What the recurrences with gates or slots hold: xLSTM, gated slots, bounded memory, HGRN; and the polynomials and
// learned exponentials of linear attention.
#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/around/around.h"
#include "nn/attention/evaluators/hedgehog.h"
#include "nn/attention/recurrences/bounded_memory.h"
#include "nn/attention/recurrences/gated_slots.h"
#include "nn/attention/recurrences/hgrn2.h"
#include "nn/attention/recurrences/mlstm.h"
#include "nn/attention/recurrences/polynomial.h"
#include "nn/attention/recurrences/slstm.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/init.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

Tensor head(const Variable& x, int64_t h) { return x.value().select(0, 1).select(0, h).contiguous(); }  // of sentence 1
Variable part(const Variable& x, int64_t from, int64_t to) { return slice(x, 2, from, to); }
double sig(double x) { return 1 / (1 + std::exp(-x)); }
// Sentences whose last feature is 1, so that a column of a weight is a bias.
Variable with_a_one(int64_t T) {
  Tensor x = small_sentences(T).value().clone();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < T; ++t) x.set({b, t, kWidth - 1}, 1);
  return Variable(x);
}
void set_last_column(Variable& weight, double value, bool others_zero = false) {
  Tensor w = others_zero ? Tensor::zeros(weight.shape(), weight.dtype()) : weight.value().clone();
  for (int64_t o = 0; o < w.size(0); ++o) w.set({o, w.size(1) - 1}, value);
  weight.set_value(w);
}

// --- J16 ---
struct CellWords {  // [2, 2, 6, ..]: input gates up to e^6, denominators on both sides of the floor
  nn::DecayedSums qkv{leaf({2, 2, 6, 3}, 1, kF64), leaf({2, 2, 6, 3}, 2, kF64), leaf({2, 2, 6, 4}, 3, kF64)};
  Variable i = 3.0 * leaf({2, 2, 6, 1}, 4, kF64), f = 2.0 * leaf({2, 2, 6, 1}, 5, kF64), l = -softplus(-f);
  nn::MlstmRead read(int64_t from, int64_t to, int64_t chunk, const std::vector<Variable>& state) const {
    return nn::mlstm_cell({part(qkv.q, from, to), part(qkv.k, from, to), part(qkv.v, from, to)}, part(i, from, to),
                          part(l, from, to), {}, chunk, state, 0);
  }
};

// The stabilised computation agrees with plain loops over the formula, and stays finite for input gates beyond the
// range of an exponential.
PROPERTY(mlstm_is_its_plain_formula) {
  CellWords w;
  int floors = 0;
  for (int64_t chunk : {1, 4, 6}) {
    Variable output = w.read(0, 6, chunk, {}).output;
    for (int64_t h = 0; h < 2; ++h) {
      Tensor q = head(w.qkv.q, h), k = head(w.qkv.k, h), v = head(w.qkv.v, h), o = head(output, h);
      std::vector<double> C(12), n(3);
      for (int64_t t = 0; t < 6; ++t) {
        const double keep = sig(head(w.f, h).at({t, 0})), write = std::exp(head(w.i, h).at({t, 0}));
        double size = 0;
        for (size_t a = 0; a < 3; ++a) {
          const double key = k.at({t, int64_t(a)});
          n[a] = keep * n[a] + write * key, size += q.at({t, int64_t(a)}) * n[a];
          for (size_t c = 0; c < 4; ++c) C[a * 4 + c] = keep * C[a * 4 + c] + write * key * v.at({t, int64_t(c)});
        }
        floors += std::abs(size) < 1;
        for (size_t c = 0; c < 4; ++c) {
          double read = 0;
          for (size_t a = 0; a < 3; ++a) read += q.at({t, int64_t(a)}) * C[a * 4 + c];
          CHECK(o.at({t, int64_t(c)}) == doctest::Approx(read / std::max(std::abs(size), 1.0)).epsilon(1e-11));
        }
      }
    }
  }
  CHECK((floors > 0 && floors < 36));
  w.i = w.i + 800.0;  // e^i is out of the range of f64
  CHECK(std::isfinite(sum(w.read(0, 6, 4, {}).output).item()));
}

// What the state and its normaliser are divided by does not matter, so large gates can be kept in range.
PROPERTY(the_scale_of_an_mlstm_cancels) {
  // What C and n are divided by does not matter; here a state divided by e^7 more.
  CellWords w;
  std::vector<Variable> state = w.read(0, 3, 2, {}).state;
  Tensor rest = w.read(3, 6, 2, state).output.value();
  CHECK(max_abs_difference(rest, w.read(0, 6, 6, {}).output.value().slice(2, 3, 6).contiguous()) < 1e-11);
  Tensor scaled = w.read(3, 6, 2, {state[0] * std::exp(-7.0), state[1] + 7.0}).output.value();
  CHECK(max_abs_difference(rest, scaled) < 1e-11);
}

// The forget gates begin almost open, each head at another value, and do not depend on the word, so the state
// remembers from the start.
PROPERTY(mlstm_gates_begin_open) {
  Small<nn::MlstmMixer> m("mlstm", true, 4);
  for (int64_t h = 0; h < 4; ++h) {
    CHECK(m.mixer.forget_gate.bias.value().at({h}) == doctest::Approx(3 + double(h)));
    CHECK(std::abs(m.mixer.input_gate.bias.value().at({h})) < 1);
  }
  CHECK(all_zero(m.mixer.forget_gate.weight.value()));
  CHECK(all_zero(m.mixer.input_gate.weight.value()));
}

// --- J17 ---
// Each step, computed with a running maximum, gives the output of the plain formula.
PROPERTY(slstm_is_its_plain_formula) {
  Tensor gates = mul(random({4, 6, 1, 3}, 5, kF64), 4);
  nn::SlstmState s = nn::slstm_start(1, 3, kF64);
  std::vector<double> c(3), n(3);
  for (int64_t t = 0; t < 6; ++t) {
    auto gate = [&](int64_t g) { return Variable(gates.select(0, g).select(0, t).contiguous()); };
    s = nn::slstm_step(gate(0), gate(1), gate(2), gate(3), s);
    for (size_t d = 0; d < 3; ++d) {
      auto at = [&](int64_t g) { return gates.at({g, t, 0, int64_t(d)}); };
      c[d] = sig(at(1)) * c[d] + std::exp(at(0)) * std::tanh(at(2)), n[d] = sig(at(1)) * n[d] + std::exp(at(0));
      CHECK(s.h.value().at({0, int64_t(d)}) == doctest::Approx(sig(at(3)) * c[d] / n[d]).epsilon(1e-12));
    }
  }
}

// Without recurrent weights the output is a weighted mean of the words so far; with them an earlier word changes later
// gates.
PROPERTY(without_feedback_it_is_a_weighted_mean) {
  // R = 0, as at the start: h_t / sigmoid(o) is the mean of tanh(z_s) with the weights e^(i_s + log f_(s+1) + .. + log
  // f_t), all words at once. With R no such form exists: an earlier word then changes the gates of a later one.
  Small<nn::SlstmMixer> m("slstm:taps=2", true);
  Variable x = small_sentences(6), seen = m.mixer.convolution(x, {}).output;
  auto biased = [&](const Variable& gate, int64_t g) { return gate + select(m.mixer.bias, 0, g); };  // [2, 6, 4]
  Variable i = biased(m.mixer.input_gate(seen), 0), kept = cumsum(-softplus(-biased(m.mixer.forget_gate(seen), 1)), 1);
  Variable e = unsqueeze(kept, 2) - unsqueeze(kept, 1) + unsqueeze(i, 1);  // [2, t, s, 4]
  e = masked_fill(e, logical_not(lower_triangle(6)).unsqueeze(-1), -HUGE_VAL);
  Variable mean = sum(softmax(e, 2) * unsqueeze(tanh(biased(m.mixer.cell_input(x), 2)), 1), {2});
  Variable h = sigmoid(biased(m.mixer.output_gate(x), 3)) * mean;
  Tensor expected = nn::join_heads(layer_norm(nn::split_heads(h, 2))).value();
  CHECK(max_abs_difference(m(x), expected) < 1e-11);

  Tensor shifted = m.mixer.bias.value().clone();
  for (int64_t d = 0; d < kWidth; ++d) shifted.set({0, d}, shifted.at({0, d}) + 50);
  set(m.mixer.bias, shifted);  // a constant cancels
  CHECK(max_abs_difference(m(x), expected) < 1e-11);
  set(m.mixer.recurrent, Tensor::full({4, 2, 2, 2}, 0.5));
  CHECK(max_abs_difference(m(x).slice(1, 0, 1).contiguous(), expected.slice(1, 0, 1).contiguous()) < 1e-11);
  CHECK(max_abs_difference(m(x), expected) > 1e-3);
}

// The biases of the forget gates are spread over the features of a head, differently in each layer, as published.
PROPERTY(slstm_gates_begin_spread) {
  nn::MixerOptions o{.name = "slstm", .query = 6, .key = 6, .heads = 2};
  for (int64_t layer : {0, 1}) {
    o.layer = layer, o.layers = 2;
    Generator rng(1);
    nn::SlstmMixer m(o, rng);
    Tensor b = m.bias.value();
    for (int64_t d = 0; d < 6; ++d) {  // in each head of 3 features
      CHECK(b.at({1, d}) ==
            doctest::Approx(5 - 12 * std::pow(double(d % 3) / 2, layer == 0 ? 0.3 : 1.6)).epsilon(1e-5));
      for (int64_t g : {0, 2, 3}) CHECK(b.at({g, d}) == 0);
    }
    CHECK(all_zero(m.recurrent.value()));
  }
}

// --- J12 ---
// It is two gated sums, of keys and of values, with a softmax over the slots between them, as loops compute it.
PROPERTY(slots_are_two_sums_with_a_softmax) {
  // The weight of word s in slot m at word t is (1 - a_s) a_(s+1) .. a_t, for keys and values alike.
  Small<nn::GatedSlotsMixer> m("gated_slots:slots=3,chunk=2", true);
  Variable x = small_sentences(5);
  nn::SlotWords w = m.mixer.words_of(x);
  Variable kept = cumsum(w.decay, 2);                                                     // [2, 2, 5, 3]
  Variable share = exp(unsqueeze(kept, 3) - unsqueeze(kept, 2)) * unsqueeze(w.write, 2);  // [2, 2, t, s, 3]
  share = transpose(masked_fill(share, logical_not(lower_triangle(5)).unsqueeze(-1), 0), 3, 4);
  Variable keys = matmul(share, unsqueeze(w.k, 2)), values = matmul(share, unsqueeze(w.v, 2));  // [2, 2, t, 3, K]
  Variable weights = softmax(matmul(unsqueeze(w.q, 3), transpose(keys, -2, -1)));               // [2, 2, t, 1, 3]
  Variable o = nn::join_heads(squeeze(matmul(weights, values), 3));
  CHECK(max_abs_difference(m(x), m.mixer.output(rms_norm(silu(o))).value()) < 1e-12);
  CHECK(max_abs_difference(w.write.value(), (1 - exp(w.decay)).value()) < 1e-15);
  Tensor open = sigmoid(nn::split_heads(m.mixer.forget(x), 2)).value();  // a^8
  CHECK(max_abs_difference(exp(mul(w.decay.value(), 8)), open) < 1e-13);
}

// A word whose gates forget everything is written into all slots, so it reads exactly its own value.
PROPERTY(a_closed_gate_fills_all_slots) {
  Small<nn::GatedSlotsMixer> m("gated_slots:slots=3", true);
  nn::SlotWords w = m.mixer.words_of(small_sentences(5));
  const Tensor fourth = equal(Tensor::arange(5), 3).unsqueeze(-1);
  w.decay = masked_fill(w.decay, fourth, -800), w.write = masked_fill(w.write, fourth, 1);
  for (int64_t chunk : {1, 2, 5}) {
    Variable o = nn::read_slots(w, {}, chunk, {}).output;
    CHECK(max_abs_difference(part(o, 3, 4).value(), part(w.v, 3, 4).value()) < 1e-12);
    CHECK(max_abs_difference(part(o, 2, 3).value(), part(w.v, 2, 3).value()) > 1e-3);
  }
}

// --- J13 ---
// With one slot every query reads the same weighted mean of the values; with scores of 0 all slots are the plain mean.
PROPERTY(slots_are_weighted_means) {
  Small<nn::BoundedMemoryMixer> one("bounded_memory:slots=1,chunk=2", true), two("bounded_memory:slots=2", true);
  Variable x = small_sentences(5);
  for (int64_t s = 0; s < 2; ++s) {
    nn::BoundedMemoryMixer& m = s == 0 ? one.mixer : two.mixer;
    if (s == 1) set(m.slot.weight, Tensor::zeros(m.slot.weight.shape()));
    Variable c = s == 0 ? clamp(nn::split_heads(m.slot(x), 2), -32, 32) : Variable(Tensor::zeros({2, 2, 5, 1}, kF64));
    Variable e = masked_fill(expand(transpose(c, 2, 3), {2, 2, 5, 5}), logical_not(lower_triangle(5)), -HUGE_VAL);
    Variable o = matmul(softmax(e), nn::split_heads(m.value(x), 2));
    CHECK(max_abs_difference(m(x, {}).output.value(), m.output(nn::join_heads(o)).value()) < 1e-12);
  }
}

// Adding one number to all writing scores changes nothing, as under a softmax, and scores beyond the limit
// count as equal.
PROPERTY(a_constant_score_cancels) {
  Small<nn::BoundedMemoryMixer> m("bounded_memory:slots=3,chunk=2", true);
  Variable x = with_a_one(6);
  set_last_column(m.mixer.slot.weight, 0);
  Tensor y = m(x);
  for (double constant : {-20.0, 25.0}) {
    set_last_column(m.mixer.slot.weight, constant);
    CHECK(max_abs_difference(m(x), y) < 1e-11);
  }
  set_last_column(m.mixer.slot.weight, 1e6, true);  // beyond the limit: as equal as 0
  Tensor limited = m(x);
  set_last_column(m.mixer.slot.weight, 0, true);
  CHECK(max_abs_difference(m(x), limited) < 1e-11);
}

// --- J14, J15 ---
// With forget gates of 0 no word reads another; with gates of 1 the state never changes.
PROPERTY(gates_of_0_and_1) {
  Small<nn::HgrnMixer> m("hgrn:chunk=2", true);
  Variable x = with_a_one(5);
  set_last_column(m.mixer.forget.weight, -800, true);  // f = 0: no word reads another
  Variable pointwise = m.mixer.output(rms_norm(silu(m.mixer.input(x))) * silu(m.mixer.gate(x)));
  CHECK(max_abs_difference(m(x), pointwise.value()) < 1e-12);
  auto memory = m.mixer.memory();
  auto state = [&] { return dynamic_cast<nn::StateMemory&>(*memory).state[0].value().clone(); };
  m.mixer.extend(slice(x, 1, 0, 2), *memory, {});
  const Tensor before = state();
  set_last_column(m.mixer.forget.weight, 800, true);  // f = 1: nothing changes
  m.mixer.extend(slice(x, 1, 2, 5), *memory, {});
  CHECK(max_abs_difference(state(), before) == 0);
  CHECK(before.shape() == Shape{2, kWidth, 1, 1});
}

// With heads of one feature, and queries of 1, it is HGRN: the outer products of wider heads are all that was added.
PROPERTY(keys_of_width_one_are_hgrn) {
  Small<nn::Hgrn2Mixer> m("hgrn2", true, kWidth);
  Variable x = small_sentences(6), b = Variable(Tensor::full({kWidth}, 0.3, kF64));
  nn::DecayedSums w = m.mixer.words_of(x, b);
  w.q = Variable(Tensor::ones(w.q.shape(), kF64));
  Tensor o = nn::join_heads(nn::chunkwise_sums(w, 4).output).value(), i = m.mixer.input(x).value();
  Tensor z = m.mixer.forget(x).value();
  for (int64_t d = 0; d < kWidth; ++d) {
    double h = 0;
    for (int64_t t = 0; t < 6; ++t) {
      const double f = 0.3 + 0.7 * sig(z.at({1, t, d}));
      h = f * h + (1 - f) * i.at({1, t, d});
      CHECK(o.at({1, t, d}) == doctest::Approx(h).epsilon(1e-12));
    }
  }
}

// The lower bounds of the forget gates rise from layer to layer and stay below 1; all layers learn them
// from one table.
PROPERTY(bounds_rise_with_the_layer) {
  // b is the running sum of a softmax over the layers without its first term: layer 0 learns it for all of a stack.
  const int64_t L = 4;
  auto of_layer = [&](int64_t l) {
    return nn::GateBounds({.name = entry.name, .query = 3, .key = 3, .layer = l, .layers = L});
  };
  nn::GateBounds first = of_layer(0);
  Variable left;
  CHECK_FALSE(first.of_layer(&left, DType::f32).defined());
  for (int64_t l = 1; l < L; ++l) {  // a table of 0 is what a layer alone has
    CHECK(max_abs_difference(of_layer(l).of_layer(&left, DType::f32).value(),
                             of_layer(l).of_layer(nullptr, DType::f32).value()) < 1e-6);
    CHECK(of_layer(l).of_layer(nullptr, DType::f32).value().at({0}) == doctest::Approx(double(l) / double(L)));
  }
  first.table.set_value(random({L, 3}, 3));
  first.of_layer(&left, DType::f32);
  for (int64_t d = 0; d < 3; ++d) {
    double total = 0, share = 0, below = 0;
    for (int64_t l = 0; l < L; ++l) total += std::exp(first.table.value().at({l, d}));
    for (int64_t l = 1; l < L; ++l) {
      share += std::exp(first.table.value().at({l, d})) / total;
      const double b = of_layer(l).of_layer(&left, DType::f32).value().at({d});
      CHECK(b == doctest::Approx(share).epsilon(1e-5));
      CHECK((b > below && b < 1));
      below = b;
    }
  }
  nn::BoundedGate closed =
      nn::bounded_gate(Variable(Tensor::full({1}, -800, kF64)), Variable(Tensor::full({1}, 0.25, kF64)));
  CHECK(closed.log_keep.item() == doctest::Approx(std::log(0.25)));
  CHECK(closed.write.item() == doctest::Approx(0.75));

  Generator rng(1);
  nn::TransformerLayerOptions layer{.model = kWidth, .heads = 2, .inner = 4, .causal = true};
  nn::TransformerStack stack({.layer = layer, .layers = 2, .mixers = {{.mixer = {.name = entry.name}}}}, rng);
  Variable x(random({2, 4, kWidth}, 7));
  Variable y = stack(x).output;
  backward(sum(square(y) * Variable(random(y.shape(), 8))));
  Tensor moved;
  for (const auto& named : nn::named_parameters(stack))
    if (named.name.ends_with("bounds.table")) moved = named.variable.grad();
  REQUIRE(moved.defined());
  CHECK(amax(abs(moved)).item() > 1e-7);
  NoGrad guard;
  std::vector<nn::LayerCache> caches;
  for (int64_t t = 0; t < 4; ++t)
    CHECK(max_abs_difference(stack(slice(x, 1, t, t + 1), {}, &caches).output.value(),
                             y.value().slice(1, t, t + 1).contiguous()) < 1e-5);
}

// --- J22, J23 ---
// The product of two feature vectors is the polynomial of the score that the formula names, and it is never negative.
PROPERTY(features_are_the_polynomial) {
  Variable q = leaf({4, 3}, 1, kF64), k = leaf({5, 3}, 2, kF64);
  Variable e = matmul(q, transpose(k, 0, 1)) / std::sqrt(3.0);
  const bool taylor = entry.name == "based";
  auto phi = [&](const Variable& x) { return taylor ? nn::taylor_features(x) : nn::square_features(x); };
  Variable w = taylor ? 1.0 + e + square(e) / 2.0 : square(e);
  CHECK(max_abs_difference(matmul(phi(q), transpose(phi(k), 0, 1)).value(), w.value()) < 1e-13);
  CHECK(amin(w.value()).item() >= (taylor ? 0.5 : 0));
}

// For small scores, where its polynomial is close to the exponential, it is softmax attention.
PROPERTY(based_is_softmax_near_0) {
  Small<nn::PolynomialMixer> m("based:features=3,chunk=2", true);
  Variable x = small_sentences(6);
  set(m.mixer.query.weight, mul(m.mixer.query.weight.value(), 1e-3));
  auto heads = [](const Variable& y) { return nn::split_heads(y, 2); };
  Variable o =
      full_attention(heads(m.mixer.query(x)), heads(m.mixer.key(x)), heads(m.mixer.value(x)), lower_triangle(6));
  CHECK(max_abs_difference(m(x), m.mixer.output(nn::join_heads(o)).value()) < 3e-6);  // 1e-6 of the denominator
}

// A query and its negative read the same, since scores are squared; a bias of the query ends this symmetry.
PROPERTY(a_negative_query_reads_the_same) {
  Small<nn::PolynomialMixer> m("rebased:features=3", true);
  Variable x = small_sentences(6);
  Tensor y = m(x);
  set(m.mixer.query.weight, neg(m.mixer.query.weight.value()));
  CHECK(max_abs_difference(m(x), y) < 1e-12);
  set(m.mixer.query_bias, random({3}, 5));  // moves the middle
  CHECK(max_abs_difference(m(x), y) > 1e-3);
  set(m.mixer.key_gain, Tensor::zeros({3}));  // all keys are 0, and so are all weights
  CHECK(all_zero(m(x)));
}

// --- J24 ---
nn::HedgehogFeatures learned(bool shares, double factor) {
  nn::ParameterDType guard(kF64);
  Generator rng(1);
  return {3, shares, factor, rng};
}
Tensor phi(const nn::Features& f) { return exp(f.log.value()); }

// Before training the features are exponentials of each entry and of its negative, so all are positive, as those
// of the softmax.
PROPERTY(features_begin_as_exponentials) {
  Variable x = leaf({5, 3}, 1, kF64), both = concat({x, -x}, -1);
  Tensor plain = phi(learned(false, 1).of(x, 1, {})), shares = phi(learned(true, 2).of(x, 1, {}));
  CHECK(max_abs_difference(plain, exp(both.value())) < 1e-13);
  CHECK(max_abs_difference(shares, softmax(2.0 * both).value()) < 1e-13);
  CHECK(max_abs_difference(shares, phi(learned(true, 2).of_query(x, 1, {}))) == 0);
  CHECK(amin(shares).item() > 0);
  // Without the sums they are one map; the sums differ from key to key.
  Tensor factor = div(phi(learned(false, 2).of(x, 1, {})), shares);
  CHECK(max_abs_difference(factor, factor.slice(1, 0, 1).expand(factor.shape()).contiguous()) < 1e-10);
  CHECK(sub(amax(factor), amin(factor)).item() > 0.1);
}

// Negating the input swaps the two halves of its features: the second half is the first one's map of
// the negated input.
PROPERTY(negation_swaps_the_halves) {
  nn::HedgehogFeatures map = learned(true, 2);
  map.key.weight.set_value(random({3, 3}, 4, kF64));
  Variable x = leaf({5, 3}, 1, kF64);
  Tensor plus = phi(map.of(x, 1, {})), minus = phi(map.of(-x, 1, {}));
  CHECK(max_abs_difference(plus.slice(1, 0, 3).contiguous(), minus.slice(1, 3, 6).contiguous()) < 1e-14);
  CHECK(max_abs_difference(plus, minus) > 1e-2);
}

// Descent on its loss, the cross entropy with the weights of softmax attention, brings its own weights nearer to them.
PROPERTY(mimicry_learns_softmax) {
  Variable q = 1.5 * leaf({2, 6, 3}, 1, kF64), k = 1.5 * leaf({2, 6, 3}, 2, kF64);
  Tensor none = Tensor::zeros({1, 6, 1}, kF64), allowed = lower_triangle(6);
  Tensor scores = masked_fill(nn::scaled_scores(q, k).value(), logical_not(allowed), -HUGE_VAL);
  Tensor a = softmax_rows(scores);
  nn::HedgehogFeatures map = learned(true, 2);
  auto loss = [&](const Tensor& target) {
    return nn::softmax_mimicry(nn::kernel_weights(map.of_query(q, 1, {}), map.of(k, 1, {}), allowed), target);
  };
  Tensor w = nn::kernel_weights(map.of_query(q, 1, {}), map.of(k, 1, {}), allowed).value();
  double expected = 0, entropy = 0, last_rows = 0;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 6; ++t)
      for (int64_t s = 0; s <= t; ++s) {
        expected -= a.at({b, t, s}) * std::log(w.at({b, t, s})) / 12;
        entropy -= a.at({b, t, s}) * std::log(a.at({b, t, s})) / 12;
        if (b == 1) last_rows -= a.at({b, t, s}) * std::log(w.at({b, t, s})) / 6;
      }
  CHECK(loss(a).item() == doctest::Approx(expected).epsilon(1e-12));
  Tensor half = a.clone();  // the queries of one sentence see nothing
  for (int64_t t = 0; t < 6; ++t)
    for (int64_t s = 0; s < 6; ++s) half.set({0, t, s}, 0);
  CHECK(loss(half).item() == doctest::Approx(last_rows).epsilon(1e-12));
  for (int step = 0; step < 60; ++step) {
    std::vector<Variable> parameters{map.query.weight, map.key.weight, map.query.bias, map.key.bias};
    std::vector<Variable> g = grad({loss(a)}, parameters);
    for (size_t p = 0; p < 4; ++p) parameters[p].set_value(sub(parameters[p].value(), mul(g[p].value(), 0.5)));
  }
  const double learnt = loss(a).item();
  CHECK(learnt >= entropy);
  CHECK(learnt - entropy < 0.5 * (expected - entropy));
}

}  // namespace
}  // namespace heed::nn_test
