// What each mixer holds by itself that goes through latent vectors, has gates, or reads pairs.
#include <cmath>

#include "nn/attention/mixers/attention_on_attention.h"
#include "nn/attention/mixers/cross_covariance.h"
#include "nn/attention/mixers/external.h"
#include "nn/attention/mixers/fastformer.h"
#include "nn/attention/mixers/gated_unit.h"
#include "nn/attention/mixers/induced.h"
#include "nn/attention/mixers/luna.h"
#include "nn/attention/mixers/perceiver.h"
#include "nn/attention/mixers/simplicial.h"
#include "nn/attention/mixers/star.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

constexpr double kClose = 1e-12;

// The outputs of words in another order are the outputs in that order: no place, and no neighbour, is special.
PROPERTY(words_may_be_permuted) {
  auto m = small_mixer(entry.name);
  const Tensor order = Tensor::from(std::vector<int64_t>{3, 0, 4, 1, 2}, {5});
  Variable x = small_sentences(5);
  Tensor before = index_select((*m)(x, {}).output.value(), 1, order);
  Tensor after = (*m)(index_select(x, 1, order), {}).output.value();
  CHECK(max_abs_difference(before, after) < kClose);
  CHECK(max_abs_difference(before.select(1, 0).contiguous(), before.select(1, 1).contiguous()) > 1e-4);
}

// Multi-head attention from its formula, with the parameters of a layer; a [B, T, D], b [B, S, D].
Variable by_hand(const nn::MultiHeadAttention& m, const Variable& a, const Variable& b) {
  auto projected = [&](const Variable& y, int64_t i) {
    Variable W = slice(m.in_proj_weight, 0, i * kWidth, (i + 1) * kWidth);
    return nn::split_heads(linear(y, W, slice(m.in_proj_bias, 0, i * kWidth, (i + 1) * kWidth)), m.options.heads);
  };
  return m.out_proj(nn::join_heads(full_attention(projected(a, 0), projected(b, 1), projected(b, 2))));
}
Variable twice(const Variable& latents) { return stack({latents, latents}, 0); }  // for two sentences

// It is two attentions, one after the other: the latent vectors read the words, and the words read the result.
PROPERTY(luna_is_two_attentions) {
  Small<nn::LunaMixer> m("luna:latents=3");
  Variable x = small_sentences(5), packed = by_hand(m.mixer.pack, twice(m.mixer.latents), x);
  CHECK(max_abs_difference(m(x), by_hand(m.mixer.unpack, x, packed).value()) < kClose);
}

// Both steps are attention, a feed-forward network and their norms in the paper's order, as written out by hand.
PROPERTY(a_block_is_its_formula) {
  Small<nn::InducedMixer> m("induced:latents=3");
  Variable x = small_sentences(5);
  auto block = [](const nn::AttentionBlock& b, const Variable& a, const Variable& source) {
    Variable M = layer_norm(a + by_hand(b.attention, a, source), b.norm1.weight, b.norm1.bias);
    return layer_norm(M + relu(linear(M, b.linear.weight, b.linear.bias)), b.norm2.weight, b.norm2.bias);
  };
  Variable packed = block(m.mixer.pack, twice(m.mixer.latents), x);
  CHECK(max_abs_difference(m(x), block(m.mixer.unpack, x, packed).value()) < kClose);
}

// The latent vectors read the words once, then attend to each other, and the words read them, as written out by hand.
PROPERTY(it_reads_thinks_and_writes) {
  Small<nn::PerceiverMixer> m("perceiver:latents=3,thoughts=2");
  Variable x = small_sentences(5), z = twice(m.mixer.latents);
  CHECK(m.mixer.steps.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto& s = m.mixer.steps[i];
    Variable query = s.norm1(z);
    z = z + by_hand(s.attention, query, i == 0 ? x : query);
    z = z + s.linear2(gelu(s.linear1(s.norm2(z))));
  }
  CHECK(max_abs_difference(m(x), by_hand(m.mixer.write, x, z).value()) < kClose);
}

// The result is that of the formula, word by word, with a ring for each sentence of the batch.
PROPERTY(the_star_is_its_formula) {
  Small<nn::StarMixer> m("star:rounds=2");
  Variable x = small_sentences(5);
  Tensor y = m(x, Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5}));
  auto read = [](const nn::FourProjections& p, const Variable& query, const std::vector<Variable>& sources) {
    Variable all = stack(sources, 1);
    return relu(p.output(full_attention(p.queries(unsqueeze(query, 1)), p.keys(all), p.values(all))));
  };
  for (int64_t b = 0; b < 2; ++b) {
    const size_t n = b == 0 ? 5 : 3;
    std::vector<Variable> words, h;
    for (size_t t = 0; t < n; ++t) words.push_back(slice(select(x, 1, static_cast<int64_t>(t)), 0, b, b + 1));
    h = words;
    Variable s = mean(stack(words, 0), {0});
    for (int round = 0; round < 2; ++round) {
      std::vector<Variable> next, all{s};
      for (size_t t = 0; t < n; ++t) {
        Variable seen = read(m.mixer.satellite, h[t], {h[(t + n - 1) % n], h[t], h[(t + 1) % n], words[t], s});
        next.push_back(squeeze(m.mixer.satellite_norm(seen), 1));
      }
      h = next;
      all.insert(all.end(), h.begin(), h.end());
      s = squeeze(m.mixer.relay_norm(read(m.mixer.relay, s, all)), 1);
    }
    for (size_t t = 0; t < n; ++t) {
      Tensor ours = y.slice(0, b, b + 1).select(1, static_cast<int64_t>(t)).contiguous();
      CHECK(max_abs_difference(ours, h[t].value()) < kClose);
    }
  }
}

// --- E26: gated unit ---
// A weight is the squared ReLU of the product divided by the number of words that may be read, as loops compute it.
PROPERTY(weights_are_squared_relus) {
  for (bool causal : {false, true}) {
    Small<nn::GatedUnitMixer> m("gated_unit:width=3", causal);
    set(m.mixer.gamma, random({2, 3}, 4)), set(m.mixer.beta, random({2, 3}, 5));
    Variable x = small_sentences(5);
    Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 0}, {2, 5});
    Tensor weights = m.mixer(x, {.words = words, .weights = true}).weights.value(), z = silu(m.mixer.z_proj(x)).value();
    auto element = [&](int64_t i, int64_t t, int64_t a) {
      return z.at({1, t, a}) * m.mixer.gamma.value().at({i, a}) + m.mixer.beta.value().at({i, a});
    };
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t s = 0; s < 5; ++s) {
        double product = 0;
        for (int64_t a = 0; a < 3; ++a) product += element(0, t, a) * element(1, s, a);
        double n = causal ? static_cast<double>(t + 1) : 4, root = std::max(0.0, product / n);
        bool seen = s < 4 && (!causal || s <= t);
        CHECK(weights.at({1, 0, t, s}) == doctest::Approx(seen ? root * root : 0).epsilon(1e-12));
      }
  }
}

// With gates of 1 it is a weighted sum of values: the gate is all that was added.
PROPERTY(an_open_unit_is_a_sum_of_values) {
  Small<nn::GatedUnitMixer> m("gated_unit:width=3");
  set(m.mixer.u_proj.weight, Tensor::zeros({2 * kWidth, kWidth}));
  set(m.mixer.u_proj.bias, Tensor::full({2 * kWidth}, 1.278464542761074, DType::f64));  // silu of it is 1
  Variable x = small_sentences(5), weights = m.mixer(x, {.weights = true}).weights;
  Variable expected = m.mixer.out_proj(matmul(squeeze(weights, 1), silu(m.mixer.v_proj(x))));
  CHECK(max_abs_difference(m(x), expected.value()) < kClose);
}

// --- E26b, E26c, E26g ---
// The weights between features do not depend on the order of the words, and sum to 1 over one of the two features.
PROPERTY(entry_weights_ignore_the_order) {
  Small<nn::CrossCovarianceMixer> m("cross_covariance");
  Variable x = small_sentences(5);
  Tensor weights = m.mixer.entry_weights(x, {}).value();  // [2, 2, 2, 2]
  CHECK(max_abs_difference(weights, m.mixer.entry_weights(flip(x, {1}), {}).value()) < kClose);
  CHECK(max_abs_difference(sum(weights, {2}), Tensor::ones({2, 2, 2}, DType::f64)) < kClose);
  CHECK(max_abs_difference(sum(weights, {3}), Tensor::ones({2, 2, 2}, DType::f64)) > 1e-3);
}

// The weights are divided by their sums first over the words and then over the memory, as loops compute it.
PROPERTY(weights_are_normalised_twice) {
  Small<nn::ExternalMixer> m("external:memories=3");
  Variable x = small_sentences(5);
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5});
  Tensor weights = m.mixer.memory_weights(x, words).value();
  Tensor scores = m.mixer.memory_keys(nn::split_heads(m.mixer.in_proj(x), 8)).value();
  for (int64_t t = 0; t < 3; ++t) {
    double of_word[3], all = 0;
    for (int64_t i = 0; i < 3; ++i) {
      double column = 0;
      for (int64_t s = 0; s < 3; ++s) column += std::exp(scores.at({1, 5, s, i}));
      all += of_word[i] = std::exp(scores.at({1, 5, t, i})) / column;
    }
    for (int64_t i = 0; i < 3; ++i)
      CHECK(weights.at({1, 5, t, i}) == doctest::Approx(of_word[i] / (1e-9 + all)).epsilon(1e-12));
  }
}

// All queries are pooled into one, and then all keys, as written out for one head: no pair of words is compared.
PROPERTY(one_query_and_one_key) {
  Small<nn::FastformerMixer> m("fastformer", false, 1);
  Variable x = small_sentences(5), q = m.mixer.q_proj(x), k = m.mixer.k_proj(x);
  auto pooled = [](const Variable& y, const Variable& w) {  // [2, 5, D] -> [2, 1, D]
    Variable alpha = softmax(sum(y * reshape(w, {kWidth}), {2}, true) / 2, 1);
    return sum(alpha * y, {1}, true);
  };
  Variable p = pooled(q, m.mixer.query_scores) * k, u = pooled(p, m.mixer.key_scores) * q;
  CHECK(max_abs_difference(m(x), (m.mixer.out_proj(u) + q).value()) < kClose);
}

// --- E26e, E26f ---
// With an open gate that lets the attended vector through, it is multi-head attention: the gate is all that was added.
PROPERTY(an_open_gate_is_attention) {
  for (bool causal : {false, true}) {
    Small<nn::AttentionOnAttentionMixer> m("attention_on_attention", causal);
    set(m.mixer.gate.bias, Tensor::full({kWidth}, 1e3));
    set(m.mixer.information.weight, pad(Tensor::eye(kWidth), {{.axis = 1, .after = kWidth}}));
    set(m.mixer.information.bias, Tensor::zeros({kWidth}));
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x, causal)) < kClose);
  }
}

// With a closed gate the output is zero, whatever was attended to.
PROPERTY(a_closed_gate_is_silent) {
  Small<nn::AttentionOnAttentionMixer> m("attention_on_attention");
  Variable x = small_sentences(5);
  CHECK_FALSE(all_zero(m(x)));
  set(m.mixer.gate.bias, Tensor::full({kWidth}, -1e3));
  CHECK(all_zero(m(x)));
}

// If all second keys and values are 1, it is multi-head attention: the second partner is all that was added.
PROPERTY(constant_partners_are_attention) {
  for (bool causal : {false, true}) {
    Small<nn::SimplicialMixer> m("simplicial", causal);
    for (nn::Linear* partner : {&m.mixer.k2_proj, &m.mixer.v2_proj})
      set(partner->weight, Tensor::zeros({kWidth, kWidth})), set(partner->bias, Tensor::ones({kWidth}));
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x, causal)) < kClose);
  }
}

// Exchanging the two keys together with the two values changes nothing, since a pair has no order; the keys alone do.
PROPERTY(partners_may_be_exchanged) {
  Small<nn::SimplicialMixer> m("simplicial", true);
  Variable x = small_sentences(5);
  Tensor before = m(x);
  std::swap(m.mixer.projections.k_proj, m.mixer.k2_proj);
  CHECK(max_abs_difference(m(x), before) > 1e-4);
  std::swap(m.mixer.projections.v_proj, m.mixer.v2_proj);
  CHECK(max_abs_difference(m(x), before) < kClose);
}

}  // namespace
}  // namespace heed::nn_test
