// What each mixer holds by itself whose memory learns while it reads, or that chooses by content what it reads: PaTH,
// Mesa, TTT, Titans, Infini-attention; MoBA, landmarks, the lightning indexer, selective RoPE, Transformer-VQ.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nn/attention/mixers/landmark.h"
#include "nn/attention/mixers/lightning_index.h"
#include "nn/attention/mixers/moba.h"
#include "nn/attention/mixers/path.h"
#include "nn/attention/mixers/selective_rope.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/infini.h"
#include "nn/attention/recurrences/mesa.h"
#include "nn/attention/recurrences/neural_memory.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/recurrences/ttt_linear.h"
#include "nn/attention/recurrences/vq_attention.h"
#include "nn/attention/regularisers.h"
#include "nn/cases/small_stages.h"
#include "nn/penalties.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

constexpr double kRounding = 1e-12;

void fill(Variable& p, double value) { p.set_value(Tensor::full(p.shape(), value, p.dtype())); }

// Attention with the heads of an OwnHeadsMixer over the pairs in `allowed`.
Tensor plain_attention(const nn::OwnHeadsMixer& m, const nn::OwnHeads& h, const Tensor& allowed) {
  return m.out_proj(nn::join_heads(full_attention(h.q, h.k, h.v, allowed))).value();
}
Tensor causal_attention(const nn::OwnHeadsMixer& m, const Variable& x) {
  return plain_attention(m, m.heads_of(x, {}), lower_triangle(x.size(1)));
}
// Word by word from a new memory.
Tensor stepwise(const nn::Mixer& m, const Variable& x, nn::AttentionMemory& memory) {
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < x.size(1); ++t) outputs.push_back(m.extend(slice(x, 1, t, t + 1), memory, {}).output);
  return concat(outputs, 1).value();
}

// As it begins, with one head of width 64.
template <class M>
M fresh(const char* name) {
  Generator rng(3);
  return M({.name = name, .query = 64, .key = 64, .heads = 1, .causal = true}, rng);
}
bool is_normal(const Variable& p, double std) {
  return std::abs(stddev(p).item() / std - 1) < 0.05 && std::abs(mean(p).item()) < std / 10;
}

// Sentences whose padding is before, between and after their words are at different places of their blocks. Each gets
// what it would get alone, from all words at once and in pieces.
PROPERTY(blocks_count_words) {
  const int64_t T = 9;
  const std::vector<int> mask{0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0};
  nn::StageOptions stage = nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 3});
  auto m = small_mixer(nn::text_of(nn::Kind::mixer, stage), true);
  Variable x = small_sentences(T);
  auto padding = [&](int64_t upto) { return Tensor::from_bools(mask, {2, T}).slice(1, 0, upto).contiguous(); };
  auto memory = m->memory();
  std::vector<Variable> pieces;
  int64_t at = 0;
  for (int64_t n : {1, 3, 1, 4}) {
    pieces.push_back(m->extend(slice(x, 1, at, at + n), *memory, {.words = padding(at + n)}).output);
    at += n;
  }
  for (const Variable& y : {(*m)(x, {.words = padding(T)}).output, concat(pieces, 1)})
    for (int64_t b = 0; b < 2; ++b) {
      std::vector<int64_t> there;
      for (int64_t t = 0; t < T; ++t)
        if (mask[static_cast<size_t>(b * T + t)]) there.push_back(t);
      const Tensor places = Tensor::from(there, {std::ssize(there)});
      auto words_of = [&](const Variable& of) { return index_select(slice(of, 0, b, b + 1), 1, places); };
      CHECK(max_abs_difference(words_of(y).value(), (*m)(words_of(x), {}).output.value()) < kRounding);
    }
}

// --- K1 ---
// If the chosen blocks cover all words, it is causal attention; with fewer it is not: the choice of blocks is
// the only approximation.
PROPERTY(enough_blocks_are_attention) {
  Variable x = small_sentences(7);
  for (const char* text : {"moba:block=2,selected=4", "moba:block=7,selected=1", "moba:block=100,selected=2"}) {
    Small<nn::MobaMixer> m(text, true);
    CHECK(max_abs_difference(m(x), causal_attention(m.mixer, x)) < kRounding);
  }
  Small<nn::MobaMixer> few("moba:block=2,selected=2", true);
  CHECK(max_abs_difference(few(x), causal_attention(few.mixer, x)) > 1e-4);
}

// Each chosen block is read by itself, and the contexts are merged in proportion to their sums of exponentials, as
// plain loops compute it.
PROPERTY(chosen_blocks_are_merged) {
  Small<nn::MobaMixer> m("moba:block=2,selected=2", true);
  const int64_t T = 8;
  Variable x = small_sentences(T);
  nn::OwnHeads h = m.mixer.heads_of(x, {});
  Tensor q = h.q.value(), k = h.k.value(), v = h.v.value(), context = Tensor::zeros(v.shape(), kF64);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t head = 0; head < 2; ++head)
      for (int64_t t = 0; t < T; ++t) {
        auto product = [&](int64_t s) {
          return q.at({b, head, t, 0}) * k.at({b, head, s, 0}) + q.at({b, head, t, 1}) * k.at({b, head, s, 1});
        };
        int64_t best = -1;
        for (int64_t j = 0; j < t / 2; ++j)
          if (best < 0 || product(2 * j) + product(2 * j + 1) > product(2 * best) + product(2 * best + 1)) best = j;
        double total = 0, sums[2] = {0, 0};
        for (int64_t j : {best, t / 2}) {
          double size = 0, part[2] = {0, 0};
          for (int64_t s = 2 * j; j >= 0 && s <= std::min(2 * j + 1, t); ++s) {
            const double w = std::exp(product(s) / std::sqrt(2.0));
            size += w;
            for (int64_t d = 0; d < 2; ++d) part[d] += w * v.at({b, head, s, d});
          }
          for (int64_t d = 0; d < 2; ++d) sums[d] += size > 0 ? size * (part[d] / size) : 0;
          total += size;
        }
        for (int64_t d = 0; d < 2; ++d) context.set({b, head, t, d}, sums[d] / total);
      }
  CHECK(max_abs_difference(m(x), m.mixer.out_proj(nn::join_heads(Variable(context))).value()) < kRounding);
}

// --- J29 ---
// With reflections of strength zero it is causal attention: the reflections between two words are all that was added.
PROPERTY(no_reflection_is_attention) {
  Small<nn::PathMixer> m("path:chunk=2,rank=2", true);
  Variable x = small_sentences(5);
  CHECK(max_abs_difference(m(x), causal_attention(m.mixer, x)) > 1e-4);
  fill(m.mixer.strength.bias, -800);
  CHECK(max_abs_difference(m(x), causal_attention(m.mixer, x)) < kRounding);
}

// The key that a decoder keeps is the word's own key times all reflections since, whatever the blocks.
PROPERTY(cached_keys_are_products) {
  const int64_t T = 6;
  Small<nn::PathMixer> m("path:chunk=2,rank=2", true);
  Variable x = small_sentences(T);
  nn::StateMemory memory;
  stepwise(m.mixer, x, memory);
  nn::OwnHeads h = m.mixer.heads_of(x, {});
  Variable w = nn::unit_length(nn::split_heads(m.mixer.convolution(m.mixer.w_up(m.mixer.w_down(x)), {}).output, 2));
  Variable b = nn::split_heads(2 * sigmoid(m.mixer.strength(x)), 2);
  std::vector<Variable> keys;
  for (int64_t s = 0; s < T; ++s) {
    Variable key = slice(h.k, 2, s, s + 1);
    for (int64_t t = s + 1; t < T; ++t) {
      Variable along = slice(w, 2, t, t + 1);
      key = key - slice(b, 2, t, t + 1) * sum(key * along, {-1}, true) * along;
    }
    keys.push_back(key);
  }
  const Tensor products = concat(keys, 2).value();
  CHECK(max_abs_difference(memory.state[1].value(), products) < kRounding);
  CHECK(max_abs_difference(nn::path_scores(h.q, h.k, w, b, {}, 4).keys.value(), products) < kRounding);
  // With b = 2 each H is a reflection, and keys keep their lengths.
  Variable two = 0 * b + 2, mirrors = w / norm(w, 2, {-1}, true);
  Variable turned = nn::path_scores(h.q, h.k, mirrors, two, {}, 4).keys;
  CHECK(max_abs_difference(norm(turned, 2, {-1}).value(), norm(h.k, 2, {-1}).value()) < kRounding);
  CHECK(max_abs_difference(turned.value(), h.k.value()) > 1e-2);
}

// --- J27 ---
nn::DecayedSums mesa_words(int64_t T) {
  nn::DecayedSums w{leaf({2, 3, T, 4}, 1, kF64), nn::unit_length(leaf({2, 3, T, 4}, 2, kF64)),
                    leaf({2, 3, T, 5}, 3, kF64)};
  w.decay = -abs(leaf({2, 3, T, 1}, 4, kF64)), w.strength = sigmoid(leaf({2, 3, T, 1}, 5, kF64));
  return w;
}

// The solution minimises the weighted squared error with its ridge, and conjugate gradients find the same context.
PROPERTY(it_is_ridge_regression) {
  const int64_t T = 7;
  nn::DecayedSums w = mesa_words(T);
  Variable ridge = softplus(leaf({3, 4}, 6, kF64)) + 0.25;
  nn::MesaRead read = nn::mesa_sums(w, ridge, 3);
  Variable since =
      exp(sum(w.decay, {2}, true) - cumsum(w.decay, 2)) * w.strength;  // the weight of each word at the end
  Variable lambda = place_diagonal(unsqueeze(ridge, 0), {1, 3, 4, 4});
  Variable H = matmul(transpose(w.k * since, -2, -1), w.k), G = matmul(transpose(w.k * since, -2, -1), w.v);
  Variable W = nn::solve_positive(H + lambda, G);
  Variable slope = matmul(transpose(w.k * since, -2, -1), w.v - matmul(w.k, W)) - matmul(lambda, W);
  CHECK(max_abs_difference(slope.value(), Tensor::zeros(slope.shape(), kF64)) < kRounding);
  Variable q = slice(w.q, 2, T - 1, T), last = slice(read.output, 2, T - 1, T);
  CHECK(max_abs_difference(last.value(), matmul(q, W).value()) < kRounding);
  Variable x = q * 0, r = q, p = q, size = sum(r * r, {-1}, true);
  for (int step = 0; step < 30; ++step) {
    Variable y = matmul(p, H + lambda), a = size / (sum(p * y, {-1}, true) + 1e-300);
    x = x + a * p, r = r - a * y;
    Variable now = sum(r * r, {-1}, true);
    p = r + now / (size + 1e-300) * p, size = now;
  }
  CHECK(max_abs_difference(last.value(), matmul(x, G).value()) < 1e-9);
}

// With a very large ridge it is the gated sum of linear attention, divided by the ridge: only a small ridge makes
// it a regression.
PROPERTY(much_ridge_is_a_gated_sum) {
  nn::DecayedSums w = mesa_words(6);
  const double lambda = 1e9;
  Variable o = lambda * nn::mesa_sums(w, Variable(Tensor::full({3, 4}, lambda, kF64)), 4).output;
  nn::DecayedSums sums{w.q, w.k, w.strength * w.v, w.decay};
  CHECK(max_abs_difference(o.value(), nn::recurrent_sums(sums).output.value()) < 1e-7);
  Small<nn::MesaMixer> m("mesa", true);
  CHECK(max_abs_difference(m.mixer.lambda().value(), Tensor::ones({2, 2}, kF64)) < 1e-6);  // as it begins
}

// --- K4 ---
// If all words fit into one block, it is causal attention, and the landmark vector has no effect.
PROPERTY(one_block_has_no_landmark) {
  for (const char* text : {"landmark:block=5", "landmark:block=50,reads=0"}) {
    Small<nn::LandmarkMixer> m(text, true);
    Variable x = small_sentences(5);
    Tensor before = m(x);
    CHECK(max_abs_difference(before, causal_attention(m.mixer, x)) < kRounding);
    fill(m.mixer.landmark, 3);
    CHECK(bit_equal(before, m(x)));
  }
}

// Each block is read by itself and weighed by its landmark, the own block word by word, and the weights of the words
// sum to 1.
PROPERTY(blocks_are_read_apart) {
  const int64_t T = 8, C = 3;
  for (const char* text : {"landmark:block=3", "landmark:block=3,reads=0"}) {
    Small<nn::LandmarkMixer> m(text, true);
    Variable x = small_sentences(T);
    nn::OwnHeads h = m.mixer.heads_of(x, {});
    Variable marks = m.mixer.keys_of_landmarks(h);
    Variable w = m.mixer(x, {.weights = true}).weights;
    CHECK(max_abs_difference(sum(w, {-1}).value(), Tensor::ones({2, 2, T}, kF64)) < kRounding);
    std::vector<Variable> contexts;
    for (int64_t t = 0; t < T; ++t) {
      const int64_t own = t / C * C;
      auto some = [&](const Variable& y, int64_t from, int64_t to) { return slice(y, 2, from, to); };
      Variable q = some(h.q, t, t + 1), keys = some(h.k, own, t + 1), values = some(h.v, own, t + 1);
      for (int64_t j = 0; j < t / C; ++j) {
        keys = concat({keys, some(marks, j, j + 1)}, 2);
        values = concat({values, full_attention(q, some(h.k, j * C, j * C + C), some(h.v, j * C, j * C + C))}, 2);
      }
      contexts.push_back(full_attention(q, keys, values));
    }
    Variable expected = m.mixer.out_proj(nn::join_heads(concat(contexts, 2)));
    CHECK(max_abs_difference(m(x), expected.value()) < kRounding);
  }
}

// --- K3 ---
// With the gates of the memory closed, each segment is causal attention by itself: only the memory connects segments.
PROPERTY(closed_gates_are_attention_in_segments) {
  for (int64_t segment : {3, 50}) {
    Small<nn::InfiniMixer> m("infini:segment=" + std::to_string(segment), true);
    fill(m.mixer.gate, -800);
    Variable x = small_sentences(7);
    Tensor allowed = Tensor::zeros({7, 7}, DType::boolean);
    for (int64_t t = 0; t < 7; ++t)
      for (int64_t s = t / segment * segment; s <= t; ++s) allowed.set({t, s}, 1);
    auto head = [&](const nn::Linear& layer) { return nn::split_heads(layer(x), 2); };
    Variable context = full_attention(head(m.mixer.query), head(m.mixer.key), head(m.mixer.value), allowed);
    CHECK(max_abs_difference(m(x), m.mixer.output(nn::join_heads(context)).value()) < kRounding);
  }
}

// Without the delta rule the memory is linear attention to all words of earlier segments, and 0 in the first.
PROPERTY(memory_has_weights_of_words) {
  Small<nn::InfiniMixer> m("infini:segment=2,delta=0", true);
  fill(m.mixer.gate, 800);
  Variable x = small_sentences(7);
  auto head = [&](const nn::Linear& layer) { return nn::split_heads(layer(x), 2); };
  Variable f = elu(head(m.mixer.query)) + 1, g = elu(head(m.mixer.key)) + 1;
  Tensor earlier = Tensor::zeros({7, 7}, kF64);
  for (int64_t t = 0; t < 7; ++t)
    for (int64_t s = 0; s < t / 2 * 2; ++s) earlier.set({t, s}, 1);
  Variable w = matmul(f, transpose(g, -2, -1)) * Variable(earlier), total = sum(w, {-1}, true);
  Variable context = matmul(w / masked_fill(total, equal(total.value(), 0), 1), head(m.mixer.value));
  Tensor y = m(x);
  CHECK(max_abs_difference(y, m.mixer.output(nn::join_heads(context)).value()) < kRounding);
  CHECK(all_zero(y.slice(1, 0, 2).contiguous()));
}

// Writing by the delta rule makes no difference before the third segment, since the memory that it corrects is
// empty until then.
PROPERTY(delta_matters_from_segment_three) {
  Small<nn::InfiniMixer> with("infini:segment=2", true), without("infini:segment=2,delta=0", true);
  Variable x = small_sentences(8);
  Tensor apart = abs(sub(with(x), without(x)));
  CHECK(max_abs_difference(apart.slice(1, 0, 4).contiguous(), Tensor::zeros({2, 4, kWidth}, kF64)) < kRounding);
  CHECK(amax(apart.slice(1, 4, 6)).item() > 1e-4);
}

// --- J25 ---
// The gradient of the inner loss, in closed form, is the one that backward computes, and the inner model
// begins as published.
PROPERTY(inner_gradient_is_the_difference) {
  Small<nn::TttLinearMixer> m("ttt_linear", true, 1);
  fill(m.mixer.norm_weight, 0.7), fill(m.mixer.norm_bias, -0.2);
  Variable z = leaf({1, 1, 3, 4}, 5, kF64), target = leaf({1, 1, 3, 4}, 6, kF64);
  backward(sum(square(m.mixer.normed(z) - target)) / 2);
  CHECK(max_abs_difference(m.mixer.gradient(z, target).value(), z.grad()) < kRounding);
  const auto first = fresh<nn::TttLinearMixer>("ttt_linear");
  CHECK(is_normal(first.weight, 0.02));
  for (const Variable& p : {first.bias, first.share, first.rate.bias, first.norm_bias}) CHECK(all_zero(p.value()));
}

// In batches of one word each gradient is taken at the newest weights, as under the delta rule.
PROPERTY(one_word_batches_step_each_word) {
  Small<nn::TttLinearMixer> m("ttt_linear:batch=1", true, 1);
  fill(m.mixer.bias, 0.3), fill(m.mixer.share, 0.5);
  Variable x = small_sentences(5), q = m.mixer.query(x), k = m.mixer.key(x), v = m.mixer.value(x);
  Variable eta = 1.5 * sigmoid(m.mixer.rate(x)) / static_cast<double>(kWidth);  // the place in a batch of 1 is 1
  Variable W = expand(m.mixer.weight, {2, kWidth, kWidth}), b = expand(unsqueeze(m.mixer.bias, 0), {2, 1, kWidth});
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < 5; ++t) {
    auto word = [&](const Variable& y) { return slice(y, 1, t, t + 1); };
    Variable g = squeeze(m.mixer.gradient(unsqueeze(matmul(word(k), W) + b, 1), unsqueeze(word(v) - word(k), 1)), 1);
    W = W - word(eta) * matmul(transpose(word(k), 1, 2), g), b = b - word(eta) * g;
    outputs.push_back(word(q) + squeeze(m.mixer.normed(unsqueeze(matmul(word(q), W) + b, 1)), 1));
  }
  CHECK(max_abs_difference(m(x), m.mixer.output(m.mixer.post_norm(concat(outputs, 1))).value()) < kRounding);
}

// --- J26 ---
Tensor read_out(const nn::NeuralMemoryMixer& m, const Variable& x, const Variable& o) {
  return m.output(nn::join_heads(rms_norm(o)) * sigmoid(m.gate(x))).value();
}

// Without momentum and forgetting, updated after each word, the memory is the delta rule; updated once per chunk
// it is another function.
PROPERTY(without_momentum_it_is_the_delta_rule) {
  Small<nn::NeuralMemoryMixer> m("neural_memory:chunk=1", true), chunks("neural_memory:chunk=3", true);
  for (auto* one : {&m.mixer, &chunks.mixer}) fill(one->forget.bias, -800), fill(one->momentum.bias, -800);
  Variable x = small_sentences(6);
  auto head = [&](const nn::Linear& layer) { return nn::split_heads(layer(x), 2); };
  nn::DecayedSums w{nn::unit_length(silu(head(m.mixer.query))), nn::unit_length(silu(head(m.mixer.key))),
                    silu(head(m.mixer.value))};
  w.strength = 2 * sigmoid(head(m.mixer.rate));
  Variable start = expand(unsqueeze(m.mixer.first, 0), {2, 2, 2, 2});
  CHECK(max_abs_difference(m(x), read_out(m.mixer, x, nn::recurrent_sums(w, start).output)) < kRounding);
  CHECK(max_abs_difference(m(x), chunks(x)) > 1e-4);  // gradients at the first memory of a chunk are another function
}

// With a learning rate of zero nothing is written: the memory that it begins with only fades by the forget gates.
PROPERTY(without_surprise_the_memory_fades) {
  CHECK(is_normal(fresh<nn::NeuralMemoryMixer>("neural_memory").first, 0.02));
  Small<nn::NeuralMemoryMixer> m("neural_memory:chunk=2", true);
  fill(m.mixer.rate.bias, -800);
  Variable x = small_sentences(5);
  Variable q = nn::unit_length(silu(nn::split_heads(m.mixer.query(x), 2)));
  Variable keep = nn::split_heads(1 - sigmoid(m.mixer.forget(x)), 2);  // [2, 2, 5, 1]
  Variable kept = exp(cumsum(log(keep), 2));
  CHECK(max_abs_difference(m(x), read_out(m.mixer, x, kept * matmul(q, unsqueeze(m.mixer.first, 0)))) < kRounding);
}

// --- L13 ---
// If every word turns by the same angle, it is RoPE: angles that the words choose are all that was added.
PROPERTY(equal_turns_are_rope) {
  Variable x = leaf({2, 100, 3, 4}, 8, kF64), by_head = transpose(x, 1, 2);
  Variable angles = nn::summed_angles(Variable(Tensor::ones({2, 3, 100, 2}, kF64)), 500000, {});
  Tensor rope = nn::rotate_pairs(x, {.layout = nn::RopeLayout::halves, .base = 500000, .first = 1}).value();
  CHECK(max_abs_difference(transpose(nn::turned_by(by_head, angles), 1, 2).value(), rope) < 1e-11);
  CHECK(amax(angles.value()).item() < 64 + 2 * std::numbers::pi);  // whole turns are removed
}

// A product depends only on the turns of the words after the key, up to and including the query: another turn of an
// earlier word leaves it as it is.
PROPERTY(turns_of_the_words_between) {
  Variable q = leaf({1, 1, 6, 4}, 1, kF64), k = leaf({1, 1, 6, 4}, 2, kF64), w = leaf({1, 1, 6, 2}, 3, kF64);
  auto products = [&](const Variable& turns) {
    Variable a = nn::summed_angles(turns, 100, {});
    return matmul(nn::turned_by(q, a), transpose(nn::turned_by(k, a), 2, 3)).value();
  };
  Tensor bumped = w.value().clone();
  bumped.set({0, 0, 2, 0}, bumped.at({0, 0, 2, 0}) + 1);
  Tensor before = products(w), after = products(Variable(bumped));
  for (int64_t t = 0; t < 6; ++t)
    for (int64_t s = 0; s <= t; ++s) {
      const double moved = std::abs(before.at({0, 0, t, s}) - after.at({0, 0, t, s}));
      CHECK((s < 2 && t >= 2 ? moved > 1e-6 : moved < kRounding));
    }
}

// --- K2 ---
const char* const kSmallIndex = "lightning_index:index_heads=2,features=4,pairs=1,selected=3";

// If the index chooses all words, it is causal attention; with fewer it is not, and of equal scores the earlier
// words are chosen.
PROPERTY(all_words_chosen_is_attention) {
  Small<nn::LightningIndexMixer> m("lightning_index:index_heads=2,features=4,pairs=1", true), few(kSmallIndex, true);
  Variable x = small_sentences(6);
  CHECK(max_abs_difference(m(x), causal_attention(m.mixer, x)) < kRounding);
  CHECK(max_abs_difference(few(x), causal_attention(few.mixer, x)) > 1e-4);
  Tensor same = few.mixer.chosen(Tensor::zeros({2, 6, 6}, kF64), few.mixer.heads_of(x, {}));
  for (int64_t t = 0; t < 6; ++t)
    for (int64_t s = 0; s <= t; ++s) CHECK((same.at({0, t, s}) != 0) == (s < 3));  // of equal scores the earlier word
}

// The index of two heads is the sum of what each gives alone, and a head without weight counts nothing.
PROPERTY(index_heads_add_up) {
  Small<nn::LightningIndexMixer> m(kSmallIndex, true);
  Variable x = small_sentences(5);
  const Tensor whole = m.mixer.index(x).value(), weight = m.mixer.index_weight.weight.value().clone();
  Tensor total = Tensor::zeros({2, 5, 5}, kF64);
  for (int64_t kept : {0, 1}) {
    Tensor one = weight.clone();
    for (int64_t d = 0; d < kWidth; ++d) one.set({1 - kept, d}, 0);
    set(m.mixer.index_weight.weight, one);
    total = add(total, m.mixer.index(x).value());
  }
  CHECK(max_abs_difference(whole, total) < kRounding);
  CHECK(max_abs_difference(whole, mul(total, 2)) > 1e-3);
}

// The divergence from attention trains the indexer alone, and following its gradient brings the two together.
PROPERTY(index_learns_the_attention) {
  Small<nn::LightningIndexMixer> m("lightning_index:index_heads=2,features=4,pairs=1,selected=50", true);
  nn::set_training(m.mixer, true);
  Variable x = small_sentences(6);
  auto loss = [&] {
    nn::Penalties penalties;
    m.mixer(x, {});
    return penalties.total();
  };
  Tensor I = m.mixer.index(x).value(), p = mean(m.mixer(x, {.weights = true}).weights, {1}).value();
  double expected = 0;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 6; ++t) {
      double total = 0;
      for (int64_t s = 0; s <= t; ++s) total += std::exp(I.at({b, t, s}));
      for (int64_t s = 0; s <= t; ++s)
        expected += p.at({b, t, s}) * std::log(p.at({b, t, s}) * total / std::exp(I.at({b, t, s}))) / 12;
    }
  CHECK(loss().item() == doctest::Approx(expected).epsilon(1e-10));
  std::vector<Variable> indexer{m.mixer.index_query.weight, m.mixer.index_key.weight, m.mixer.index_weight.weight};
  for (int step = 0; step < 50; ++step) {
    backward(loss());
    CHECK_FALSE(m.mixer.in_proj_weight.grad().defined());
    CHECK_FALSE(x.grad().defined());
    for (Variable& w : indexer) {
      w.set_value(sub(w.value(), w.grad()));
      w.zero_grad();
    }
  }
  CHECK(loss().item() < 0.8 * expected);
}

// --- K5 ---
nn::VqAttentionMixer& vq(Small<nn::VqAttentionMixer>& m) {
  set(m.mixer.content, leaf({2, 2}, 31, kF64).value()), set(m.mixer.position, leaf({2, 2}, 32, kF64).value());
  return m.mixer;
}
// Dense causal attention [2, T, 4] with the given keys [B, H, T, K]: those of the own and the previous block, and older
// ones.
Variable with_keys(const nn::VqAttentionMixer& m, const Variable& x, const Variable& recent, const Variable& older) {
  const int64_t T = x.size(1), C = m.settings.block;
  const double scale = std::pow(2.0, -0.25);
  Variable q = rms_norm(nn::split_heads(m.query(x), 2), {}, {.eps = 1e-6}) * scale;
  Tensor distance = Tensor::zeros({T, T}, DType::i64), near = Tensor::zeros({T, T}, kF64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s <= t; ++s) distance.set({t, s}, double(t - s)), near.set({t, s}, s / C >= t / C - 1 ? 1 : 0);
  Variable seen(near), by_content = q + unsqueeze(m.content, 1) * scale;
  Variable e = seen * (matmul(by_content, transpose(recent, 2, 3)) + m.bias(q, distance)) +
               (1 - seen) * matmul(by_content, transpose(older, 2, 3));
  Variable w = softmax(masked_fill(e, logical_not(lower_triangle(T)), -INFINITY));
  return m.output(nn::join_heads(matmul(w, silu(nn::split_heads(m.value(x), 2)))) * silu(m.gate(x)));
}
Variable nearest_codes(const nn::VqAttentionMixer& m, const Variable& keys) {
  return Variable(matmul(one_hot(m.nearest(keys.value()), m.settings.codes, kF64), m.codes()));
}

// It gives what attention gives when each key is replaced by its nearest code, and not what the keys themselves give.
PROPERTY(it_is_attention_with_quantised_keys) {
  Variable x = small_sentences(9);
  for (const char* text : {"vq_attention:block=2,codes=3", "vq_attention:block=3,codes=2", "vq_attention:block=9"}) {
    Small<nn::VqAttentionMixer> m(text, true);
    Variable keys = vq(m).keys(x), codes = nearest_codes(m.mixer, keys);
    CHECK(max_abs_difference(m(x), with_keys(m.mixer, x, codes, codes).value()) < kRounding);
    CHECK(max_abs_difference(m(x), with_keys(m.mixer, x, keys, keys).value()) > 1e-4);
  }
}

// A gradient passes from a code to its key as if their distance were constant; the codes of older blocks get none.
PROPERTY(gradient_passes_straight_through) {
  Small<nn::VqAttentionMixer> m("vq_attention:block=2,codes=3", true);
  Variable x = small_sentences(7), again = small_sentences(7), direction = leaf({2, 7, kWidth}, 33, kF64);
  backward(sum(vq(m)(x, {}).output * direction));
  Variable keys = m.mixer.keys(again);
  Tensor codes = nearest_codes(m.mixer, keys).value();
  Variable moved = keys + Variable(sub(codes, keys.value()));
  backward(sum(with_keys(m.mixer, again, moved, Variable(codes)) * direction));
  CHECK(max_abs_difference(x.grad(), again.grad()) < kRounding);
}

// The first weights and codes are spread as in the published program.
PROPERTY(vq_begins_as_published) {
  Generator rng(3);
  const nn::VqAttentionMixer m({.name = "vq_attention", .query = 64, .key = 64, .heads = 4}, rng);
  auto variance = [](const Tensor& w) { return mean(mul(w, w)).item(); };
  CHECK(64 * variance(m.query.weight.value()) == doctest::Approx(1).epsilon(0.05));
  CHECK(64 * variance(m.positions.weight.value()) == doctest::Approx(1).epsilon(0.05));
  CHECK(4 * 64 * variance(m.code_sum) == doctest::Approx(1).epsilon(0.05));
  CHECK(amax(m.query.weight.value()).item() > 0.3);  // of a normal distribution
}

// Training moves each code towards the mean of its keys and adds their distance to the loss, without padding;
// evaluation changes nothing.
PROPERTY(training_moves_codes) {
  Small<nn::VqAttentionMixer> m("vq_attention:block=2,codes=2", true);
  const Tensor sums = m.mixer.code_sum.clone(), words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5});
  Variable x = small_sentences(5), k = m.mixer.keys(x);
  m(x);
  CHECK(bit_equal(sums, m.mixer.code_sum));  // evaluation changes nothing
  nn::set_training(m.mixer, true);
  Tensor chosen = m.mixer.nearest(k.value()), codes = m.mixer.codes();
  nn::Penalties penalties;
  m(x, words);
  CHECK(bit_equal(sums, m.mixer.code_sum));
  double away = 0, counted[2] = {0.99, 0.99}, total[2] = {0.99 * sums.at({0, 0, 0}), 0.99 * sums.at({0, 1, 0})};
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t s = 0; s < 8; ++s) {
      const auto c = static_cast<int64_t>(chosen.at({s / 5, h, s % 5}));
      for (int64_t d = 0; d < 2; ++d)
        away += std::pow(k.value().at({s / 5, h, s % 5, d}) - codes.at({h, c, d}), 2) / (s < 5 ? 10 : 6);
      if (h == 0) counted[c] += 0.01, total[c] += 0.01 * k.value().at({s / 5, 0, s % 5, 0});
    }
  CHECK(penalties.total().item() == doctest::Approx(1e-4 * away));
  m(x, words);
  for (int64_t c = 0; c < 2; ++c) {
    CHECK(m.mixer.code_count.at({0, c}) == doctest::Approx(counted[c]));
    CHECK(m.mixer.code_sum.at({0, c, 0}) == doctest::Approx(total[c]));
  }
}

}  // namespace
}  // namespace heed::nn_test
