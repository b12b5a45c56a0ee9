// What structures hold that read the past: convolutions, neighbours, stored words, passages, and orders of words.
#include <cmath>

#include "nn/attention/positions/disentangled.h"
#include "nn/attention/scopes/masks.h"
#include "nn/zoo/chunked_cross_attention.h"
#include "nn/zoo/conv_attention.h"
#include "nn/zoo/knn.h"
#include "nn/zoo/memorizing.h"
#include "nn/zoo/two_stream.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

Variable words(int64_t count = 6, uint64_t seed = 1) { return Variable(random({2, count, kWidth}, seed, kF64)); }

// A state depends on the words before it within reach of its kernels, and on no later word.
PROPERTY(convolution_sees_only_the_past) {
  auto m = built<nn::ConvAttentionDecoder>({.width = kWidth, .kernel = 3, .layers = 2});
  Variable z = words(4, 2), e = words(4, 3);
  for (int64_t t = 0; t < 6; ++t) {
    Variable g = leaf(words().value());
    backward(weighted_sum(select(m(g, z, e).output, 1, t)));
    for (int64_t s = 0; s < 6; ++s) CHECK(all_zero(g.grad().select(1, s)) == (s > t || s < t - 4));  // two layers of 3
  }
}

// The source embeddings change what is read, but not where: the weights are the same without them.
PROPERTY(embeddings_are_added_to_values_only) {
  auto m = built<nn::ConvAttentionDecoder>({.width = kWidth});
  Variable g = words(), z = words(4, 2), e = words(4, 3);
  nn::ConvAttended with = m(g, z, e), without = m(g, z, e * 0);
  CHECK(bit_equal(with.weights.value(), without.weights.value()));
  CHECK(max_abs_difference(with.context.value(), matmul(with.weights, z + e).value()) < 1e-14);
  CHECK(max_abs_difference(without.context.value(), matmul(with.weights, z).value()) < 1e-14);
}

// Each layer is a convolution, attention and a sum, one after the other, with the convolution written as a loop.
PROPERTY(layers_attend_one_by_one) {
  auto m = built<nn::ConvAttentionDecoder>({.width = kWidth, .kernel = 2, .layers = 2});
  Variable g = words(), z = words(4, 2), e = words(4, 3), x = g;
  for (const nn::ConvAttentionLayer& layer : m.layers) {
    std::vector<Variable> hidden;
    for (int64_t t = 0; t < 6; ++t) {
      Variable now = select(x, 1, t), before = t == 0 ? now * 0 : select(x, 1, t - 1);
      Variable two = layer.window(reshape(stack({before, now}, 2), {2, 2 * kWidth}));  // entries in turn, as unfolded
      hidden.push_back(slice(two, 1, 0, kWidth) * sigmoid(slice(two, 1, kWidth, 2 * kWidth)));
    }
    Variable h = stack(hidden, 1), a = softmax(matmul(layer.query(h) + g, transpose(z, 1, 2)));
    x = (x + h + matmul(a, z + e)) * std::sqrt(0.5);
  }
  CHECK(max_abs_difference(m(g, z, e).output.value(), x.value()) < 1e-14);
}

// Only the nearest keys are read; with all keys allowed it is a softmax of minus the squared distances.
PROPERTY(only_the_nearest_are_read) {
  Variable k = of({0, 1, 4, 2, -3}, {1, 5, 1}), q = of({1.4}, {1, 1, 1}), v = of({1, 2, 3, 4, 5}, {1, 5, 1});
  Tensor w = nn::nearest_attention(q, k, v, {.neighbours = 2, .temperature = 0.5}).weights.value();
  double near = std::exp(-0.16 / 0.5), far = std::exp(-0.36 / 0.5);  // keys 1 and 2
  CHECK(w.at({0, 0, 1}) == doctest::Approx(near / (near + far)).epsilon(1e-12));
  CHECK(w.at({0, 0, 3}) == doctest::Approx(far / (near + far)).epsilon(1e-12));
  for (int64_t s : {0, 2, 4}) CHECK(w.at({0, 0, s}) == 0);
  Ask ask = small_ask();  // all neighbours: a softmax of minus the squared distance
  Variable e = -sum(square(unsqueeze(ask.query, 2) - unsqueeze(ask.keys, 1)), {-1});
  CHECK(max_abs_difference(nn::nearest_attention(ask.query, ask.keys, ask.values, {.neighbours = 99}).context.value(),
                           matmul(softmax(e), ask.values).value()) < 1e-13);
}

// The weights of neighbours with the same next word add up, and are mixed with the model's own distribution.
PROPERTY(neighbours_vote_for_a_word) {
  Variable w = of({.5, .2, .3, 0}, {1, 1, 4});
  Variable p = nn::probability_of_neighbours(w, Tensor::from(std::vector<int64_t>{2, 0, 2, 1}, {1, 4}), 3);
  CHECK(p.value().to_vector() == std::vector<double>{.2, 0, .8});
  Tensor mixed = nn::mixed_with_neighbours(of({.6, .3, .1}, {1, 1, 3}), p, 0.25).value();
  CHECK(mixed.at({0, 0, 0}) == doctest::Approx(.5));
  CHECK(mixed.at({0, 0, 2}) == doctest::Approx(.275));
  CHECK(sum(mixed).item() == doctest::Approx(1));
}

const nn::MemorizingOptions kMemorizing{.model = kWidth, .heads = 2, .neighbours = 32};

// With a closed gate it is attention to the segment alone, which is still stored.
PROPERTY(closed_gate_is_local_attention) {
  auto m = built<nn::MemorizingAttention>(kMemorizing);
  nn::StoredWords none, some;
  Tensor alone = m(words(), none).context.value();
  CHECK(none.keys.shape() == Shape{2, 2, 6, 2});  // the segment was appended
  m(words(4, 7), some);
  m.gate.set_value(Tensor::full({2, 1, 1}, -800, kF64));
  CHECK(bit_equal(m(words(), some).context.value(), alone));
  CHECK(some.keys.shape() == Shape{2, 2, 10, 2});
  m.gate.set_value(Tensor::zeros({2, 1, 1}, kF64));
  some = {};
  m(words(4, 7), some);
  CHECK(max_abs_difference(m(words(), some).context.value(), alone) > 1e-3);
}

// With an open gate and all neighbours it is cross-attention to the words before, with the layer's own weights.
PROPERTY(memory_of_all_words_is_attention) {
  auto m = built<nn::MemorizingAttention>(kMemorizing);
  m.gate.set_value(Tensor::full({2, 1, 1}, 800, kF64));
  nn::StoredWords memory;
  Variable before = words(4, 7), now = words();
  m(before, memory);
  auto heads = [&](const Variable& x, int64_t part) {
    Variable one = slice(m.input(x), 2, part * kWidth, (part + 1) * kWidth);
    return transpose(reshape(one, {2, x.size(1), 2, 2}), 1, 2);
  };
  Variable e = matmul(heads(now, 0), transpose(heads(before, 1), 2, 3)) / std::sqrt(2.0);
  Variable c = matmul(softmax(e), heads(before, 2));
  Variable wanted = m.output(reshape(transpose(c, 1, 2), {2, 6, kWidth}));
  CHECK(max_abs_difference(m(now, memory).context.value(), wanted.value()) < 1e-14);
}

// Stored words get no gradient: the backward pass ends at the memory.
PROPERTY(stored_words_get_no_gradient) {
  auto m = built<nn::MemorizingAttention>(kMemorizing);
  nn::StoredWords memory;
  Variable before = leaf(words(4, 7).value()), now = leaf(words().value());
  m(before, memory);
  CHECK_FALSE(memory.keys.requires_grad());
  backward(weighted_sum(m(now, memory).context));
  CHECK_FALSE(before.grad().defined());
  CHECK_FALSE(all_zero(now.grad()));
}

// With an open gate and one neighbour, each query reads the stored word with the largest product alone.
PROPERTY(only_the_best_stored_words_are_read) {
  nn::MemorizingOptions o = kMemorizing;
  o.neighbours = 1;
  auto m = built<nn::MemorizingAttention>(o);
  m.gate.set_value(Tensor::full({2, 1, 1}, 800, kF64));
  nn::StoredWords memory;
  m(words(4, 7), memory);
  Variable q = transpose(reshape(slice(m.input(words()), 2, 0, kWidth), {2, 6, 2, 2}), 1, 2);
  Tensor best = argmax(matmul(q, transpose(memory.keys, 2, 3)).value(), 3);  // [B, H, T]
  Tensor values = memory.values.value(), read = Tensor::zeros({2, 6, 2, 2}, kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < 6; ++t)
        for (int64_t w = 0; w < 2; ++w)
          read.set({b, t, h, w}, values.at({b, h, static_cast<int64_t>(best.at({b, h, t})), w}));
  Tensor wanted = m.output(Variable(read.reshape({2, 6, kWidth}))).value();
  CHECK(max_abs_difference(m(words(), memory).context.value(), wanted) < 1e-14);
}

Variable passages() { return Variable(random({2, 3, 5, kWidth}, 9, kF64)); }

// The passages found for a chunk are read from its last word on, so no word reads what its future has found.
PROPERTY(passages_follow_their_chunk) {
  auto m = built<nn::ChunkedCrossAttention>({.model = kWidth, .heads = 2, .chunk = 2});
  for (int64_t u = 0; u < 3; ++u) {
    Variable p = leaf(passages().value()), x = words();
    for (int64_t t = 0; t < 6; ++t) {
      p.zero_grad();
      backward(weighted_sum(select(m(x, p).context, 1, t)));
      bool read = t >= 2 * u + 1 && t < 2 * u + 3;
      CHECK(all_zero(p.grad().select(1, u)) == !read);
    }
  }
  CHECK(all_zero(m(words(), passages()).context.value().select(1, 0)));
}

// Each chunk reads its own passages by ordinary cross-attention, as a loop over the words does.
PROPERTY(chunks_by_the_loop) {
  auto m = built<nn::ChunkedCrossAttention>({.model = kWidth, .heads = 2, .chunk = 3});
  Variable p = slice(passages(), 1, 0, 2);
  Tensor y = m(words(), p).context.value();
  for (int64_t t = 2; t < 6; ++t) {
    Variable of_chunk = select(p, 1, (t - 2) / 3);
    Tensor wanted = m.attention(slice(words(), 1, t, t + 1), of_chunk, of_chunk).output.value();
    CHECK(max_abs_difference(y.slice(1, t, t + 1).contiguous(), wanted) < 1e-14);
  }
}

Tensor rank() { return Tensor::from(std::vector<int64_t>{3, 0, 4, 1, 2}, {1, 5}); }
nn::TwoStreamAttention streams() { return built<nn::TwoStreamAttention>({.model = kWidth, .heads = 2}); }

// The query stream of a word depends on words earlier in the order, and never on the word that it predicts.
PROPERTY(query_stream_does_not_see_its_word) {
  nn::TwoStreamAttention m = streams();
  for (int64_t i = 0; i < 5; ++i) {
    Variable h = leaf(words(5).value()), g = leaf(words(5, 2).value());
    backward(weighted_sum(select(m(h, g, rank()).query, 1, i)));
    for (int64_t j = 0; j < 5; ++j) {
      CHECK((h.grad().defined() ? all_zero(h.grad().select(1, j)) : true) == !(rank().at({0, j}) < rank().at({0, i})));
      // The first word of the order reads nothing, so its own query has no effect either.
      CHECK(all_zero(g.grad().select(1, j)) == !(j == i && rank().at({0, i}) > 1));
    }
  }
}

// In the order of the sentence the content stream is causal attention, and the query stream reads only earlier words.
PROPERTY(order_of_the_sentence_is_causal) {
  nn::TwoStreamAttention m = streams();
  Tensor in_turn = Tensor::arange(5).unsqueeze(0);
  nn::TwoStreams seen = m(words(5), words(5, 2), in_turn);
  Tensor causal = nn::causal_mask({.queries = 5, .keys = 5});
  CHECK(bit_equal(seen.content.value(), m.attention(words(5), {.allowed = causal, .weights = true}).output.value()));
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t s = 0; s < 5; ++s) CHECK((seen.query_weights.value().at({1, 1, t, s}) > 0) == (s < t));
}

// In any order a word reads what comes before it in that order, and each sentence may have another order.
PROPERTY(each_order_sees_what_came_before_in_it) {
  Tensor orders = Tensor::from(std::vector<int64_t>{3, 0, 4, 1, 2, 0, 1, 2, 3, 4}, {2, 5});
  nn::TwoStreams seen = streams()(words(5), words(5, 2), orders);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t j = 0; j < 5; ++j) {
        double of_i = orders.at({b, i}), of_j = orders.at({b, j});
        CHECK((seen.query_weights.value().at({b, 0, i, j}) > 0) == (of_j < of_i));
        CHECK((seen.content_weights.value().at({b, 0, i, j}) > 0) == (of_j <= of_i));
      }
}

nn::DisentangledPositions disentangled() {
  Generator rng(5);
  nn::HeadPositionOptions o{.name = "disentangled", .key = 3, .settings = {{"max_distance", 2}}, .heads = 2};
  nn::DisentangledPositions m(o, rng);
  for (Variable* table : {&m.of_query, &m.of_key})
    table->set_value(random({2, 4, 3}, table == &m.of_key ? 2 : 1, kF64));
  return m;
}

// The sum of its three terms agrees with loops over all pairs, for places that are counted and places that are given.
PROPERTY(three_terms_by_the_loop) {
  nn::DisentangledPositions m = disentangled();
  Variable q(random({2, 2, 3, 3}, 3, kF64)), k(random({2, 2, 5, 3}, 4, kF64));
  nn::Places first{.queries = 3, .keys = 5, .first_query = 1}, each{.queries = 3, .keys = 5};
  each.query_at = Tensor::from(std::vector<int64_t>{1, 2, 3, 1, 2, 3}, {2, 3});
  each.key_at = Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, {2, 5});
  for (const nn::Places& places : {first, each}) {
    Tensor of_queries = m.bias(m.turn_query(q, places), places, 0.5).value();
    Tensor of_keys = m.bias_of_keys(k, places, 0.5).value();
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t t = 0; t < 3; ++t)
        for (int64_t s = 0; s < 5; ++s) {
          int64_t back = std::clamp<int64_t>(t + 1 - s + 2, 0, 3), ahead = std::clamp<int64_t>(s - t - 1 + 2, 0, 3);
          double a = 0, b = 0;
          for (int64_t d = 0; d < 3; ++d) {
            a += q.value().at({1, h, t, d}) * m.of_query.value().at({h, back, d}) * 0.5 / std::sqrt(3.0);
            b += k.value().at({1, h, s, d}) * m.of_key.value().at({h, ahead, d}) * 0.5 / std::sqrt(3.0);
          }
          CHECK(of_queries.at({1, h, t, s}) == doctest::Approx(a).epsilon(1e-12));
          CHECK(of_keys.at({1, h, t, s}) == doctest::Approx(b).epsilon(1e-12));
        }
  }
}

// With tables of 0 it is attention with smaller scores, and each of the tables has an effect.
PROPERTY(key_asks_from_its_side) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = 2};
  o.position = {.name = "disentangled", .settings = {{"max_distance", 2}}};
  auto m = built<nn::MultiHeadAttention>(o), plain = built<nn::MultiHeadAttention>({.model = kWidth, .heads = 2});
  auto& position = dynamic_cast<nn::DisentangledPositions&>(*m.position);
  Tensor zeros = Tensor::zeros({2, 4, 2}, kF64), keys = position.of_key.value(), queries = position.of_query.value();
  plain.in_proj_weight.set_value(m.in_proj_weight.value().clone());
  plain.out_proj.weight.set_value(m.out_proj.weight.value());
  Tensor smaller = plain.in_proj_weight.value().clone(), rows = smaller.slice(0, 0, kWidth);
  copy_into(rows, div(rows, std::sqrt(3.0)));
  plain.in_proj_weight.set_value(smaller);
  position.of_key.set_value(zeros), position.of_query.set_value(zeros);
  Tensor without = m(words()).output.value();
  CHECK(max_abs_difference(without, plain(words()).output.value()) < 1e-14);
  for (bool weights : {false, true}) {  // tiled and dense
    position.of_key.set_value(mul(keys, 20)), position.of_query.set_value(zeros);
    CHECK(max_abs_difference(m(words(), {.weights = weights}).output.value(), without) > 1e-3);
    position.of_key.set_value(zeros), position.of_query.set_value(mul(queries, 20));
    CHECK(max_abs_difference(m(words(), {.weights = weights}).output.value(), without) > 1e-3);
  }
}

}  // namespace
}  // namespace heed::nn_test
