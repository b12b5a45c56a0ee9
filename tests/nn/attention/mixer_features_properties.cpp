// What the mixers hold that weigh words without products of queries and keys: RWKV, AFT, lightweight and dynamic
// convolution.
#include <cmath>
#include <cstdlib>

#include "nn/attention/mixers/aft.h"
#include "nn/attention/mixers/convolution.h"
#include "nn/attention/recurrences/rwkv.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/cases/small_stages.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

void same_parameters(const nn::Linear& from, nn::Linear& to) { to.weight = from.weight, to.bias = from.bias; }

// --- G18d ---
// The result is that of the paper's sums, written out in double precision without any scaling.
PROPERTY(weights_are_the_formula) {
  const int64_t T = 6, D = 3;
  Variable k = leaf({2, T, D}, 1, kF64), v = leaf({2, T, D}, 2, kF64), u = leaf({D}, 3, kF64);
  Variable w = exp(leaf({D}, 4, kF64));
  Tensor o = nn::running_means(k, v, w, u, {}, 4, {}).output.value();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t d = 0; d < D; ++d) {
      double own = std::exp(u.value().at({d}) + k.value().at({1, t, d}));
      double above = own * v.value().at({1, t, d}), below = own;
      for (int64_t s = 0; s < t; ++s) {
        double weight = std::exp(k.value().at({1, s, d}) - double(t - 1 - s) * w.value().at({d}));
        above += weight * v.value().at({1, s, d}), below += weight;
      }
      CHECK(o.at({1, t, d}) == doctest::Approx(above / below).epsilon(1e-12));
    }
}

// Word by word, in chunks and at once the means agree, and padding in the middle counts as absent.
PROPERTY(means_have_three_forms) {
  const int64_t T = 7, D = 3;
  Variable k = leaf({2, T, D}, 1, kF64), v = leaf({2, T, D}, 2, kF64), u = leaf({D}, 3, kF64),
           w = exp(leaf({D}, 4, kF64));
  Tensor words = Tensor::from_bools({1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, {2, 7});
  const Tensor rows = Tensor::from(std::vector<int64_t>{0, 1, 3, 4, 5, 6}, {6});
  auto without = [&](const Variable& x) { return index_select(x, 1, rows); };
  for (const Tensor& mask : {Tensor(), words}) {
    nn::MeansRead all = nn::running_means(k, v, w, u, mask, T, {});
    for (int64_t chunk : {1, 2, 3, 50}) {
      nn::MeansRead some = nn::running_means(k, v, w, u, mask, chunk, {});
      CHECK(max_abs_difference(without(all.output).value(), without(some.output).value()) < 1e-12);
      CHECK(max_abs_difference(all.state.mean.value(), some.state.mean.value()) < 1e-12);
      CHECK(max_abs_difference(all.state.log_total.value(), some.state.log_total.value()) < 1e-12);
    }
    if (!mask.defined()) continue;
    nn::MeansRead six = nn::running_means(without(k), without(v), w, u, {}, T, {});
    CHECK(max_abs_difference(without(all.output).value(), six.output.value()) < 1e-12);
  }
  auto m = small_mixer("rwkv:1000", true), pieces = small_mixer("rwkv:2", true);
  Variable x = small_sentences(7);
  CHECK(max_abs_difference((*m)(x, {}).output.value(), (*pieces)(x, {}).output.value()) < 1e-12);
  auto memory = m->memory();
  for (int64_t t = 0; t < 7; ++t) {
    m->extend(slice(x, 1, t, t + 1), *memory, {});
    CHECK(memory->bytes() == 2 * 3 * kWidth * 8);  // the last word, the mean and the logarithm
  }
}

// Keys whose exponentials exceed every float still give the right means and finite gradients.
PROPERTY(large_keys_stay_finite) {
  Tensor k = Tensor::from(std::vector<double>{800, -500, 500, 0}, {1, 4, 1}), v = random({1, 4, 1}, 2, kF64);
  Variable kv = leaf(k);
  Variable o = nn::running_means(kv, Variable(v), Variable(Tensor::full({1}, 0.5, kF64)), {}, {}, 2, {}).output;
  backward(sum(square(o)));
  CHECK(o.value().at({0, 1, 0}) == doctest::Approx(v.at({0, 0, 0})));  // e^800 beside e^-500
  CHECK(o.value().at({0, 3, 0}) == doctest::Approx(v.at({0, 0, 0})));  // and beside e^500, of another chunk
  CHECK(std::isfinite(sum(abs(kv.grad())).item()));
  auto outputs = [&](double shift) {  // all keys alike, so that e^k cancels, also between the chunks
    Variable keys(Tensor::full({1, 4, 1}, shift, kF64));
    return nn::running_means(keys, Variable(v), Variable(Tensor::full({1}, 0.5, kF64)), {}, {}, 2, {}).output.value();
  };
  CHECK(max_abs_difference(outputs(-800), outputs(0)) < 1e-12);
  CHECK(max_abs_difference(outputs(800), outputs(0)) < 1e-12);
}

// --- G19 ---
// exp(k_s + w_ts) written out, with the mixer's own k, v, q and w.
PROPERTY(weights_are_those_of_aft) {
  std::string text =
      nn::text_of(nn::Kind::mixer, nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 2, .longest = 8}));
  for (bool causal : {true, false}) {
    auto made = small_mixer(text, causal);
    auto& m = dynamic_cast<nn::AftMixer&>(*made);
    const int64_t T = 5, K = kWidth / 2;
    Variable x = small_sentences(T);
    Tensor k = m.key(x).value(), v = m.value(x).value(), w = m.bias(T).value(), mean = Tensor::empty(x.shape(), kF64);
    if (entry.name != "aft_simple") CHECK(amax(abs(w)).item() > 0.01);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < T; ++t)
        for (int64_t d = 0; d < kWidth; ++d) {
          double above = 0, below = 0;
          for (int64_t s = 0; s < (causal ? t + 1 : T); ++s) {
            double weight = std::exp(k.at({b, s, d}) + w.at({w.size(0) == 1 ? 0 : d / K, t, s}));
            above += weight * v.at({b, s, d}), below += weight;
          }
          mean.set({b, t, d}, above / below);
        }
    Tensor expected = m.output(sigmoid(m.query(x)) * Variable(mean)).value();
    CHECK(max_abs_difference(m(x, {}).output.value(), expected) < 1e-12);
  }
}

// With position biases of zero it is the simple form: the biases are all that was added.
PROPERTY(no_bias_is_aft_simple) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("aft_full:8,rank=2", causal), other = small_mixer("aft_simple", causal);
    auto& full = dynamic_cast<nn::AftMixer&>(*made);
    auto& simple = dynamic_cast<nn::AftMixer&>(*other);
    full.of_query.set_value(Tensor::zeros({8, 2}, kF64));
    same_parameters(full.query, simple.query), same_parameters(full.key, simple.key);
    same_parameters(full.value, simple.value), same_parameters(full.output, simple.output);
    Variable x = small_sentences(6);
    CHECK(max_abs_difference(full(x, {}).output.value(), simple(x, {}).output.value()) < 1e-12);
  }
}

// In a causal model it is RWKV without its decay and without its bonus for the own word.
PROPERTY(is_rwkv_without_decay) {
  auto made = small_mixer("aft_simple", true);
  auto& m = dynamic_cast<nn::AftMixer&>(*made);
  Variable x = small_sentences(6), zero(Tensor::zeros({kWidth}, kF64));
  Variable mean = nn::running_means(m.key(x), m.value(x), zero, zero, {}, 2, {}).output;
  CHECK(max_abs_difference(m(x, {}).output.value(), m.output(sigmoid(m.query(x)) * mean).value()) < 1e-12);
  auto memory = m.memory();
  for (int64_t t = 0; t < 3; ++t) {
    m.extend(slice(x, 1, t, t + 1), *memory, {});
    CHECK(memory->bytes() == 2 * 2 * kWidth * 8);  // the mean and the logarithm of its weight
  }
}

// A sentence longer than its table of positions is refused with a sentence that says the limit.
PROPERTY(longer_sentences_are_refused) {
  auto m = small_mixer(entry.name + ":4,rank=2");
  (*m)(small_sentences(4), {});
  CHECK(message_of<ValueError>([&] { (*m)(small_sentences(5), {}); }).find("4 words only; got a sentence of 5") !=
        std::string::npos);
}

// Words beyond the window have a bias of zero: they are still read, but their distance makes no difference.
PROPERTY(far_words_have_no_bias) {
  auto made = small_mixer(entry.name + (entry.name == "aft_conv" ? ":2" : ":8,rank=2,window=2"));
  Tensor w = dynamic_cast<nn::AftMixer&>(*made).bias(5).value();
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t s = 0; s < 5; ++s) CHECK((w.at({0, t, s}) == 0) == (std::abs(t - s) >= 2));
  if (entry.name == "aft_conv") CHECK((w.at({1, 3, 2}) == w.at({1, 1, 0}) && w.at({1, 3, 2}) != w.at({1, 2, 3})));
}

// --- G23 ---
// With a kernel of one word it is a gated linear layer, since a softmax over one entry is 1.
PROPERTY(one_tap_is_a_gated_layer) {
  for (bool causal : {true, false}) {
    auto made = small_mixer(entry.name + ":1", causal);
    auto& m = dynamic_cast<nn::ConvolutionMixer&>(*made);
    Variable x = small_sentences(4);
    std::vector<Variable> ab = chunk(m.input(x), 2, -1);
    CHECK(max_abs_difference(m(x, {}).output.value(), m.output(ab[0] * sigmoid(ab[1])).value()) < 1e-14);
  }
}

// Each output is a weighted mean of the words in its window, as loops compute it, and in a causal model of
// no later word.
PROPERTY(windows_are_weighted_means) {
  // Written out; kernel 0 is that of the word itself in a causal model, and of the last word in sight in an encoder.
  for (bool causal : {true, false}) {
    auto made = small_mixer("lightweight_conv:3", causal);
    auto& m = dynamic_cast<nn::ConvolutionMixer&>(*made);
    Variable x = small_sentences(5);
    Tensor u = m.gated(x, {}).value(), p = softmax(m.kernel, -1).value(), o = Tensor::zeros({2, 5, kWidth}, kF64);
    CHECK(sum(p).item() == doctest::Approx(2));
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 5; ++t)
        for (int64_t d = 0; d < kWidth; ++d)
          for (int64_t j = 0; j < 3; ++j) {
            int64_t s = t - j + (causal ? 0 : 1);
            if (s >= 0 && s < 5) o.set({b, t, d}, o.at({b, t, d}) + p.at({d / 2, j}) * u.at({b, s, d}));
          }
    CHECK(max_abs_difference(m(x, {}).output.value(), m.output(Variable(o)).value()) < 1e-12);
  }
}

// If the kernels do not depend on the word, it is lightweight convolution: predicting them is all that was added.
PROPERTY(constant_kernels_are_lightweight) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("dynamic_conv:3", causal), other = small_mixer("lightweight_conv:3", causal);
    auto& dynamic = dynamic_cast<nn::ConvolutionMixer&>(*made);
    auto& light = dynamic_cast<nn::ConvolutionMixer&>(*other);
    Variable x = small_sentences(5);
    same_parameters(dynamic.input, light.input), same_parameters(dynamic.output, light.output);
    light.kernel.set_value(dynamic.kernels->bias.value().reshape({2, 3}));
    CHECK(max_abs_difference(light(x, {}).output.value(), dynamic(x, {}).output.value()) > 1e-3);
    dynamic.kernels->weight.set_value(Tensor::zeros(dynamic.kernels->weight.shape(), kF64));
    CHECK(max_abs_difference(light(x, {}).output.value(), dynamic(x, {}).output.value()) < 1e-12);
  }
}

}  // namespace
}  // namespace heed::nn_test
