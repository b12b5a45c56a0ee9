// What positions that read words hold (positions/reads_words.h), and the heads of 2024 and 2025: their reductions to
// multi-head attention.
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/mixers/factorised.h"
#include "nn/attention/mixers/interleaved_nope.h"
#include "nn/attention/mixers/latent_exact.h"
#include "nn/attention/mixers/tensor_product.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/forgetting.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "nn/zoo/normalised.h"
#include "nn/zoo/qk_clip.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

nn::MultiHeadAttention small_heads(const std::string& position, bool causal, int64_t heads = 2, int64_t groups = 0) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = heads, .kv_heads = groups};
  o.scope = {.name = causal ? "causal" : "global"}, o.position = {.name = position};
  return drawn<nn::MultiHeadAttention>(o);
}

// --- E25 ---
// The same gates at all words; attention with `other` must then give the same numbers.
void forgets_as(const std::vector<double>& logits, const std::string& other) {
  for (bool causal : {true, false}) {
    auto m = small_heads("forgetting", causal), plain = small_heads(other, causal);
    auto& position = dynamic_cast<nn::ForgettingPosition&>(*m.position);
    position.forget.weight.set_value(Tensor::zeros({2, kWidth}, kF64));
    position.forget.bias.set_value(Tensor::from(logits, {2}));
    plain.in_proj_weight = m.in_proj_weight, plain.in_proj_bias = m.in_proj_bias;
    plain.out_proj.weight = m.out_proj.weight, plain.out_proj.bias = m.out_proj.bias;
    const Variable x = small_sentences(6);
    for (bool weights : {false, true}) {  // tiled and dense
      const Tensor wanted = plain(x).output.value();
      CHECK(max_abs_difference(m(x, {.weights = weights}).output.value(), wanted) < 1e-12);
    }
  }
}

// With forget gates of 1 it is softmax attention without positions: the gates are all that was added.
PROPERTY(no_forgetting_is_attention) { forgets_as({60, 60}, "none"); }

// If each head forgets at a constant rate, it is ALiBi: rates that depend on the words are all that was added.
PROPERTY(constant_forgetting_is_alibi) {
  // f_h = exp(-m_h) for ALiBi's slopes m_h.
  std::vector<double> logits;
  for (double slope : nn::alibi_slopes(2)) logits.push_back(-std::log(std::expm1(slope)));  // logit of exp(-m)
  forgets_as(logits, "alibi");
}

// A cached key also keeps the logarithms of the gates that its heads need; other layers get the keys without them.
PROPERTY(marks_are_kept_with_keys) {
  const Variable x(random({2, 5, kWidth}, 3, kF64));
  const Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 0, 1, 0, 1, 1}, {2, 5});
  for (int64_t groups : {4, 2, 1}) {
    auto m = small_heads("forgetting", true, 4, groups), plain = small_heads("none", true, 4, groups);
    plain.in_proj_weight = m.in_proj_weight, plain.in_proj_bias = m.in_proj_bias;
    const Tensor keys = m.remember(x, x, {}, words).keys.value(), own = plain.remember(x, x, {}, words).keys.value();
    const Tensor f = sigmoid(dynamic_cast<nn::ForgettingPosition&>(*m.position).forget(x)).value();  // [B, S, H]
    const int64_t R = 4 / groups;
    REQUIRE(keys.size(3) == 1 + R);
    CHECK(bit_equal(keys.slice(3, 0, 1).contiguous(), own.contiguous()));
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t s = 0; s < 5; ++s)
        for (int64_t h = 0; h < 4; ++h) {
          const double log_f = words.at({b, s}) != 0 ? std::log(f.at({b, s, h})) : 0;
          CHECK(keys.at({b, h / R, s, 1 + h % R}) == doctest::Approx(log_f).epsilon(1e-12));
        }
    // Padding forgets nothing, whatever is there, in all words at once and in a step over kept keys.
    Tensor other = x.value().clone();
    for (int64_t s : {0, 2})
      for (int64_t d = 0; d < kWidth; ++d) other.set({1, s, d}, 2);
    const Tensor whole = m(x, {.words = words}).output.value().slice(1, 3, 5);
    CHECK(max_abs_difference(m(Variable(other), {.words = words}).output.value().slice(1, 3, 5), whole) < 1e-14);
    NoGrad decoding;
    auto memory = m.memory();
    m.extend(Variable(other.slice(1, 0, 3).contiguous()), *memory, {.words = words.slice(1, 0, 3).contiguous()});
    CHECK(max_abs_difference(m.extend(slice(x, 1, 3, 5), *memory, {.words = words}).output.value(), whole) < 1e-12);
    nn::Passed passed;
    m(x, {.words = words, .passed = &passed});
    CHECK(passed.left["keys"].size(-1) == 1);
  }
}

// Multi-head attention without biases whose matrices are these, [D, D] or, with fewer heads of keys, [G K, D].
nn::MultiHeadAttention heads_with(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& out,
                                  const std::string& position = "", int64_t groups = 2) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = 2, .bias = false, .kv_heads = groups};
  o.scope = {.name = "causal"}, o.position = {.name = position};
  auto m = made<nn::MultiHeadAttention>(o, kF64);
  set(m.in_proj_weight, concat({q, k, v}, 0));
  set(m.out_proj.weight, out);
  return m;
}
Tensor eye(int64_t n) { return Tensor::eye(n, kF64); }

// --- L12 ---
// With identity projections and no rotary key it is multi-head attention of normalised words.
PROPERTY(normed_rows_are_attention_of_normed_words) {
  Small<nn::LatentExactMixer> m("latent_exact:rank=4,query_rank=4,rope=0", true);
  set(m.mixer.kv_down.weight, eye(kWidth)), set(m.mixer.q_down->weight, eye(kWidth));
  const Tensor up_k = m.mixer.up_keys.value().transpose(0, 1), up_v = m.mixer.up_values.value().transpose(0, 1);
  auto heads = heads_with(m.mixer.q_up.weight.value(), up_k, up_v, m.mixer.out_proj.weight.value());
  const Variable x = small_sentences(5), normed = rms_norm(x, {}, {.eps = 1e-6});
  CHECK(max_abs_difference(m(x), heads(normed).output.value()) < 1e-12);
}

// Absorbed and written-out decoding and the parallel pass agree, and the narrow rows that are kept are normalised.
PROPERTY(latent_forms_agree) {
  NoGrad decoding;
  const Variable x(mul(random({2, 7, kWidth}, 5, kF64), 30));
  for (const char* text : {"latent_exact:rank=3,rope=2", "latent_exact:rank=3,query_rank=-1,rope=0"}) {
    auto absorbed = small_mixer(text, true), expanded = small_mixer(std::string(text) + ",absorb=0", true);
    const Tensor whole = (*absorbed)(x, {}).output.value();
    for (const auto& m : {absorbed.get(), expanded.get()}) {
      auto memory = m->memory();
      for (int64_t t = 0; t < 7; ++t) {
        const Tensor y = m->extend(slice(x, 1, t, t + 1), *memory, {}).output.value();
        CHECK(max_abs_difference(y, whole.slice(1, t, t + 1)) < 1e-10);
      }
      const Variable c = slice(dynamic_cast<nn::LatentMemory&>(*memory).rows(), -1, 0, 3);
      CHECK(max_abs_difference(mean(square(c), {-1}).value(), Tensor::ones({2, 1, 7}, kF64)) < 1e-5);
    }
  }
}

// --- L2 ---
// The scores and contexts from the factors are those of whole heads, whose keys need not be stored.
PROPERTY(factors_are_heads_written_out) {
  Small<nn::TensorProductMixer> small("tensor_product:query_rank=3,key_rank=2,value_rank=2", true);
  const nn::TensorProductMixer& m = small.mixer;
  const Variable x = small_sentences(5);
  auto of_heads = [&](const nn::Linear& W, int64_t R) {  // [B, H, T, R]
    return transpose(reshape(W(x), {2, 5, 2, R}), 1, 2) / static_cast<double>(R);
  };
  auto vectors = [&](const nn::Linear& W, int64_t R, bool turn) {  // [B, R, T, K]
    const Variable y = reshape(W(x), {2, 5, R, 2});
    return transpose(turn ? nn::rotate_pairs(y, {}) : y, 1, 2);
  };
  const Variable qa = of_heads(m.query_heads, 3), ka = of_heads(m.key_heads, 2), va = of_heads(m.value_heads, 2);
  const Variable qb = vectors(m.query_features, 3, true), kb = vectors(m.key_features, 2, true),
                 vb = vectors(m.value_features, 2, false);
  Variable e, context;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 2; ++j) {
      const Variable products = unsqueeze(matmul(select(qb, 1, i), transpose(select(kb, 1, j), 1, 2)), 1);
      const Variable term = slice(qa, -1, i, i + 1) * transpose(slice(ka, -1, j, j + 1), -2, -1) * products;
      e = e.defined() ? e + term : term;
    }
  e = masked_fill(e / std::sqrt(2.0), logical_not(lower_triangle(5)), -HUGE_VAL);
  for (int64_t j = 0; j < 2; ++j) {
    const Variable weights = softmax(e, -1) * transpose(slice(va, -1, j, j + 1), -2, -1);
    const Variable term = matmul(weights, slice(vb, 1, j, j + 1));
    context = context.defined() ? context + term : term;
  }
  CHECK(max_abs_difference(small(x), m.output(nn::join_heads(context)).value()) < 1e-12);
}

// With one constant factor all heads read the same key and value, as in multi-query attention.
PROPERTY(one_product_is_multi_query) {
  // A_k = A_v = 1 for each word, which a feature that is always 1 makes: all heads read one key and one value.
  Small<nn::TensorProductMixer> small("tensor_product:query_rank=2,key_rank=1,value_rank=1,rope=0", true);
  nn::TensorProductMixer& m = small.mixer;
  Tensor x = small_sentences(5).value().clone(), ones = Tensor::zeros({2, kWidth}, kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 5; ++t) x.set({b, t, 0}, 1);
  for (int64_t h = 0; h < 2; ++h) ones.set({h, 0}, 1);
  set(m.key_heads.weight, ones), set(m.value_heads.weight, ones);
  // The queries of head h: A is made constant too, one vector for each head.
  Tensor one_hot = Tensor::zeros({4, kWidth}, kF64);
  for (int64_t h = 0; h < 2; ++h) one_hot.set({2 * h + h, 0}, 2);  // times R = 2
  set(m.query_heads.weight, one_hot);
  auto heads = heads_with(m.query_features.weight.value(), m.key_features.weight.value(),
                          m.value_features.weight.value(), m.output.weight.value(), "", 1);
  CHECK(max_abs_difference(small(Variable(x)), heads(Variable(x)).output.value()) < 1e-12);
}

// With one fixed factor per head it is multi-head attention with rotary positions.
PROPERTY(one_factor_a_head_is_multi_head) {
  // A one-hot of the head, R = H: multi-head attention with rotary positions, up to the factor R.
  Small<nn::TensorProductMixer> small("tensor_product:query_rank=2,key_rank=2,value_rank=2", true);
  nn::TensorProductMixer& m = small.mixer;
  Tensor x = small_sentences(5).value().clone(), one_hot = Tensor::zeros({4, kWidth}, kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 5; ++t) x.set({b, t, 0}, 1);
  for (int64_t h = 0; h < 2; ++h) one_hot.set({2 * h + h, 0}, 2);
  for (nn::Linear* layer : {&m.query_heads, &m.key_heads, &m.value_heads}) set(layer->weight, one_hot);
  auto heads = heads_with(m.query_features.weight.value(), m.key_features.weight.value(),
                          m.value_features.weight.value(), m.output.weight.value(), "rope");
  CHECK(max_abs_difference(small(Variable(x)), heads(Variable(x)).output.value()) < 1e-12);
}

// Its factors begin within the bounds of Xavier's rule for tensors, as published.
PROPERTY(tensor_products_begin_as_published) {
  // Within the bounds of Xavier's rule for a tensor [D, H, R] or [D, R, K], and without an output.
  Generator rng(3);
  const nn::TensorProductMixer m({.name = "tensor_product", .query = 64, .key = 64, .heads = 16}, rng);
  auto most = [](const nn::Linear& layer) { return amax(abs(layer.weight.value())).item(); };
  const double a = std::sqrt(6.0 / (2 * (16 + 64))), b = std::sqrt(6.0 / (4 * (6 + 64)));
  CHECK((most(m.key_heads) > 0.97 * a && most(m.key_heads) <= a));
  CHECK((most(m.query_features) > 0.97 * b && most(m.query_features) <= b));
  CHECK(most(m.output) == 0);
}

// --- L3 ---
// If all heads have one matrix, they are one head, whose output matrix is the sum of theirs.
PROPERTY(equal_matrices_are_one_head) {
  Small<nn::FactorisedMixer> two("factorised:width=3", true), one("factorised:width=3", true, 1);
  for (auto layer : {&nn::FactorisedMixer::query_down, &nn::FactorisedMixer::key})
    set((one.mixer.*layer).weight, (two.mixer.*layer).weight.value());
  set(one.mixer.value->weight, two.mixer.value->weight.value());
  const Tensor Q = one.mixer.query_up.weight.value(), O = two.mixer.output.weight.value();
  set(two.mixer.query_up.weight, concat({Q, Q}, 0));
  set(one.mixer.output.weight, add(O.slice(1, 0, 3), O.slice(1, 3, 6)));
  const Variable x = small_sentences(5);
  CHECK(max_abs_difference(two(x), one(x)) < 1e-12);
}

// Each head's score is a bilinear form of two words whose rank is the shared narrow width, as computed
// from the factors.
PROPERTY(heads_are_bilinear_scores) {
  // e_nts = rms(x_t S_q) (Q_n S_k^T) x_s / sqrt(C): a bilinear form of rank C for each head.
  Small<nn::FactorisedMixer> m("factorised:width=3", true);
  const Variable x = small_sentences(5), narrow = rms_norm(m.mixer.query_down(x));
  Variable y;
  for (int64_t n = 0; n < 2; ++n) {
    const Variable Q = slice(m.mixer.query_up.weight, 0, 3 * n, 3 * n + 3),
                   W = matmul(transpose(Q, 0, 1), m.mixer.key.weight);
    Variable e = matmul(matmul(narrow, W), transpose(x, 1, 2)) / std::sqrt(3.0);
    e = masked_fill(e, logical_not(lower_triangle(5)), -HUGE_VAL);
    const Variable c = matmul(softmax(e, -1), (*m.mixer.value)(x)),
                   O = slice(m.mixer.output.weight, 1, 3 * n, 3 * n + 3);
    const Variable term = matmul(c, transpose(O, 0, 1));
    y = y.defined() ? y + term : term;
  }
  CHECK(max_abs_difference(m(x), y.value()) < 1e-12);
}

// If keys are reused, they begin as the values, and a cache of one narrow row per word is enough.
PROPERTY(reused_keys_begin_as_values) {
  Small<nn::FactorisedMixer> plain("factorised:width=3", true), reuse("factorised:width=3,reuse=1", true);
  CHECK(all_zero(reuse.mixer.share.value()));
  for (auto layer : {&nn::FactorisedMixer::query_down, &nn::FactorisedMixer::query_up, &nn::FactorisedMixer::key,
                     &nn::FactorisedMixer::output})
    set((reuse.mixer.*layer).weight, (plain.mixer.*layer).weight.value());
  set(plain.mixer.value->weight, plain.mixer.key.weight.value());
  const Variable x = small_sentences(5);
  CHECK(max_abs_difference(plain(x), reuse(x)) < 1e-12);
  NoGrad decoding;
  for (const nn::Mixer* m : {plain.held.get(), reuse.held.get()}) {
    auto memory = m->memory();
    m->extend(x, *memory, {});
    CHECK(memory->bytes() == 2 * 5 * (m == plain.held.get() ? 6 : 3) * 8);
  }
}

// --- L6 ---
Small<nn::InterleavedNopeMixer> of_layer(const std::string& text, int64_t layer) {
  Small<nn::InterleavedNopeMixer> small(text, true);
  small.mixer.options.layer = layer;
  return small;
}
nn::MultiHeadAttention plain_of(const nn::InterleavedNopeMixer& m, const std::string& position) {
  return heads_with(m.query.weight.value(), m.key.weight.value(), m.value.weight.value(), m.output.weight.value(),
                    position);
}

// A layer without positions is causal attention for the first words, and after them the scores grow with the place.
PROPERTY(early_queries_do_not_grow) {
  const Variable x = small_sentences(6);
  auto early = of_layer("interleaved_nope:floor=7", 3), late = of_layer("interleaved_nope:floor=4", 3);
  const Tensor wanted = plain_of(early.mixer, "none")(x).output.value();
  CHECK(max_abs_difference(early(x), wanted) < 1e-12);
  const Tensor grown = late(x);
  CHECK(max_abs_difference(grown.slice(1, 0, 3), wanted.slice(1, 0, 3)) < 1e-12);
  CHECK(max_abs_difference(grown.slice(1, 3, 4), wanted.slice(1, 3, 4)) > 1e-6);
}

// In a layer with positions a word reads its own chunk alone, wherever padding is.
PROPERTY(chunks_are_not_windows) {
  auto m = of_layer("interleaved_nope:chunk=3", 0);
  const Variable x = small_sentences(6);
  const Tensor whole = m(x);
  CHECK(max_abs_difference(whole.slice(1, 0, 3), m(slice(x, 1, 0, 3))) < 1e-12);
  CHECK(max_abs_difference(whole.slice(1, 3, 6), m(slice(x, 1, 3, 6))) < 1e-12);  // and distances alone count
  const Variable padded = concat({slice(x, 1, 0, 2), x}, 1);
  const Tensor words = Tensor::from_bools({0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1}, {2, 8});
  auto memory = m.held->memory();
  for (int64_t t = 0; t < 8; ++t) {
    const Tensor y =
        m.mixer.extend(slice(padded, 1, t, t + 1), *memory, {.words = words.slice(1, 0, t + 1)}).output.value();
    if (t > 1) CHECK(max_abs_difference(y, whole.slice(1, t - 2, t - 1)) < 1e-12);
  }
}

// With one chunk it is causal attention whose rotated queries and keys are then normalised.
PROPERTY(one_chunk_is_causal_attention) {
  // One chunk: causal attention of turned queries and keys that are then normed, without weights.
  auto m = of_layer("interleaved_nope:chunk=6", 1);
  const Variable x = small_sentences(6);
  auto heads = [&](const Variable& y, bool place) {
    Variable all = reshape(y, {2, 6, 2, 2});
    if (place) all = rms_norm(nn::rotate_pairs(all, {.layout = nn::RopeLayout::interleaved, .base = 500000}));
    return transpose(all, 1, 2);
  };
  const nn::InterleavedNopeMixer& l = m.mixer;
  const Variable c =
      full_attention(heads(l.query(x), true), heads(l.key(x), true), heads(l.value(x), false), lower_triangle(6));
  CHECK(max_abs_difference(m(x), l.output(nn::join_heads(c)).value()) < 1e-12);
}

// --- L1 ---
nn::NormalisedLayer sphere_layer() { return drawn<nn::NormalisedLayer>({.model = kWidth, .heads = 2, .inner = 3}); }
Variable on_sphere() { return nn::unit_rows(small_sentences(5)); }

// Words of length 1 leave the layer with length 1.
PROPERTY(words_stay_on_the_sphere) {
  const Tensor y = sphere_layer()(on_sphere()).value();
  CHECK(max_abs_difference(sum(square(Variable(y)), {-1}).value(), Tensor::ones({2, 5}, kF64)) < 1e-12);
}

// With step sizes of zero a layer returns its input: a layer is a step along the sphere, and the rates are its length.
PROPERTY(no_rate_is_the_identity) {
  auto m = sphere_layer();
  set(m.attention_rate, Tensor::zeros({kWidth}, kF64)), set(m.feed_rate, Tensor::zeros({kWidth}, kF64));
  CHECK(max_abs_difference(m(on_sphere()).value(), on_sphere().value()) < 1e-14);
}

// The layer is that of its formula, written out with unit vectors.
PROPERTY(sphere_steps_by_hand) {
  auto m = sphere_layer();
  const Variable h = on_sphere();
  const double sqrt_D = std::sqrt(static_cast<double>(kWidth));
  auto placed = [&](const Variable& x) {
    Variable y = nn::rotate_pairs(nn::unit_rows(reshape(x, {2, 5, 2, 2})), {.layout = nn::RopeLayout::interleaved});
    return transpose(reshape(m.scale_heads * sqrt_D, {2, 2}) * y, 1, 2);
  };
  // full_attention divides by sqrt(2), and here scores are multiplied by it
  const Variable c =
      full_attention(placed(m.query(h)) * 2, placed(m.key(h)), nn::split_heads(m.value(h), 2), lower_triangle(5));
  auto step = [&](const Variable& from, const Variable& to, const Variable& rate) {
    return nn::unit_rows(from + abs(rate * (0.05 * sqrt_D)) * (nn::unit_rows(to) - from));
  };
  const Variable x = step(h, m.output(nn::join_heads(c)), m.attention_rate), uv = m.scale_inner * sqrt_D * m.up(x);
  const Variable y = step(x, m.down(slice(uv, -1, 0, 3) * silu(slice(uv, -1, 3, 6))), m.feed_rate);
  CHECK(max_abs_difference(m(h).value(), y.value()) < 1e-12);
}

// The rows or columns of its matrices have length 1 at the start, and again after each training step.
PROPERTY(matrices_are_brought_back) {
  auto m = made<nn::NormalisedLayer>({.model = kWidth, .heads = 2}, kF64);
  CHECK(max_abs_difference(m.attention_rate.value(), Tensor::full({kWidth}, 0.5, kF64)) < 1e-7);
  CHECK(max_abs_difference(m.scale_heads.value(), Tensor::full({kWidth}, 0.5, kF64)) < 1e-7);
  CHECK(max_abs_difference(m.scale_inner.value(), Tensor::ones({8 * kWidth}, kF64)) == 0);
  auto lengths = [](const nn::Linear& layer, int64_t axis) { return sum(square(layer.weight), {axis}).value(); };
  auto check = [&](double bound) {
    for (const nn::Linear* layer : {&m.query, &m.key, &m.value, &m.up})
      CHECK(max_abs_difference(lengths(*layer, 1), Tensor::ones({layer->weight.size(0)}, kF64)) < bound);
    for (const nn::Linear* layer : {&m.output, &m.down})
      CHECK(max_abs_difference(lengths(*layer, 0), Tensor::ones({layer->weight.size(1)}, kF64)) < bound);
  };
  check(1e-6);  // they were made in f32
  // Drawn from a normal distribution: some entry is larger than any uniform one, sqrt(3) times the root mean square.
  Generator draws(3);
  nn::NormalisedLayer wide({.model = 32, .heads = 2}, draws);
  CHECK(amax(abs(wide.query.weight)).item() > 2.5 / std::sqrt(32.0));
  for (nn::Linear* layer : {&m.query, &m.key, &m.value, &m.up, &m.output, &m.down})
    set(layer->weight, random(layer->weight.shape(), 3, kF64));
  m.normalise();
  check(1e-14);
}

// --- L11 ---
template <class Attention, class Run>
void clips(Attention& m, const Run& run) {
  auto largest = [&] {
    Tensor scores;
    nn::Observe observe([&](const nn::AttentionSeen& seen) { scores = seen.scores; });
    run(m);
    return nn::largest_scores(scores);
  };
  const Tensor before = largest();
  const double limit = 0.4 * before.at({1});
  REQUIRE(before.at({1}) > 0);
  nn::qk_clip(m, before, limit);
  const Tensor after = largest();
  for (int64_t h = 0; h < before.size(0); ++h)
    CHECK(after.at({h}) == doctest::Approx(std::min(before.at({h}), limit)).epsilon(1e-10));
}

// A head whose largest score exceeded the limit has exactly the limit afterwards, with shared keys and with
// latent heads too.
PROPERTY(largest_score_becomes_the_limit) {
  const Variable x(mul(random({2, 6, 8}, 4, kF64), 5));
  for (int64_t groups : {4, 2, 1}) {
    auto m = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 4, .scope = {.name = "causal"}, .kv_heads = groups});
    clips(m, [&](const nn::MultiHeadAttention& heads) { heads(x, {.weights = true}); });
  }
  for (const char* text : {"latent:4,rope=2", "latent_exact:rank=3,rope=2"}) {
    nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
    o.query = o.key = 8, o.heads = 4, o.causal = true;
    Generator rng(5);
    auto held = nn::make_mixer(o, rng);
    nn::convert(*held, kF64);
    clips(dynamic_cast<nn::LatentHeads&>(*held), [&](nn::LatentHeads& m) { m(x, {.weights = true}); });
  }
}

// Heads below the limit keep their weights, bit by bit; in a head above it queries and keys shrink alike.
PROPERTY(heads_below_the_limit_stay) {
  auto m = drawn<nn::MultiHeadAttention>({.model = 8, .heads = 4});
  const Tensor W = m.in_proj_weight.value().clone(), b = m.in_proj_bias.value().clone();
  nn::qk_clip(m, Tensor::from(std::vector<double>{99, 1, -5, 100}, {4}));
  CHECK(bit_equal(m.in_proj_weight.value(), W));
  nn::qk_clip(m, Tensor::from(std::vector<double>{99, 400, -5, 100}, {4}));  // g = 1/4: halves of head 1 alone
  const Tensor now = m.in_proj_weight.value(), bias = m.in_proj_bias.value();
  for (int64_t i = 0; i < 24; ++i) {
    const double factor = i < 16 && i % 8 / 2 == 1 ? 0.5 : 1;
    CHECK(bias.at({i}) == factor * b.at({i}));
    for (int64_t d = 0; d < 8; ++d) CHECK(now.at({i, d}) == factor * W.at({i, d}));
  }
}

}  // namespace
}  // namespace heed::nn_test
