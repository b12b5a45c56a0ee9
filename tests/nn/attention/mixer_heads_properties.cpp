// What the mixers hold that are multi-head attention with a change of its own: selective, multi-token and
// persistent attention. Without the change each is ordinary attention with the same parameters.
#include <cmath>

#include "nn/attention/mixers/compressive.h"
#include "nn/attention/mixers/multi_token.h"
#include "nn/attention/mixers/persistent.h"
#include "nn/attention/mixers/selective.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

// Ordinary multi-head attention with the parameters of the mixer.
Tensor attention_of(const nn::OwnHeadsMixer& m, const Variable& x, bool causal, const char* position = "",
                    const Tensor& words = {}) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = 2};
  o.scope = {.name = causal ? "causal" : "global"};
  o.position = {.name = position};
  Generator rng(1);
  nn::MultiHeadAttention a(o, rng);
  nn::convert(a, kF64);
  nn::set_training(a, false);
  a.in_proj_weight = m.in_proj_weight, a.in_proj_bias = m.in_proj_bias;
  a.out_proj.weight = m.out_proj.weight, a.out_proj.bias = m.out_proj.bias;
  return a(x, {.words = words}).output.value();
}

template <class M>
void is_attention(const std::string& text, const std::function<void(M&)>& prepare, const char* position = "") {
  for (bool causal : {true, false}) {
    auto made = small_mixer(text, causal);
    auto& m = dynamic_cast<M&>(*made);
    prepare(m);
    Variable x = small_sentences(6);
    CHECK(max_abs_difference(m(x, {}).output.value(), attention_of(m, x, causal, position)) < 1e-12);
  }
}

// --- E25b ---
// What is subtracted from a score is the sum of what the words in between have selected; padding selects nothing.
PROPERTY(masks_add_up) {
  Tensor e = random({2, 6, 6}, 5, kF64), words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1}, {2, 6});
  Tensor F = nn::selective_masking(Variable(e), words).value();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 6; ++t)
      for (int64_t s = 0; s < 6; ++s) {
        double expected = 0;
        for (int64_t r = s + 1; r < t; ++r)
          if (s > 0 && words.at({b, r}) != 0) expected += std::max(e.at({b, r, s}), 0.0);
        CHECK(F.at({b, t, s}) == doctest::Approx(expected).epsilon(1e-12));
      }
}

// If no word selects another, it is multi-head attention: the selection is all that was added.
PROPERTY(nothing_selected_is_attention) {
  is_attention<nn::SelectiveMixer>("selective", [](auto& m) {
    Tensor W = m.in_proj_weight.value().clone();
    for (int64_t row : {0, 1})  // the query of head 0, whose bias is 0 too
      for (int64_t d = 0; d < kWidth; ++d) W.set({row, d}, 0);
    m.in_proj_weight.set_value(W);
  });
}

// --- E25c ---
// With kernels that move no score it is multi-head attention: mixing neighbouring scores is all that was added.
PROPERTY(identity_kernel_is_attention) {
  is_attention<nn::MultiTokenMixer>("multi_token:3,keys=5", [](auto&) {});
}

// A kernel with a single 1 moves the whole matrix of scores, down and to the right, by the place of the 1.
PROPERTY(kernels_move_scores) {
  // A kernel with a single 1 moves the matrix of scores: by a rows down, and b - c_k / 2 columns to the right.
  auto made = small_mixer("multi_token:3,keys=4", true);
  auto& m = dynamic_cast<nn::MultiTokenMixer&>(*made);
  Variable e(random({1, 2, 5, 5}, 6, kF64));
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t b = 0; b < 4; ++b) {
      Tensor kernel = Tensor::zeros({2, 3, 4}, kF64);
      kernel.set({1, a, b}, 1);
      m.kernel.set_value(kernel);
      Tensor moved = m.convolved(e).value();
      CHECK(all_zero(moved.select(1, 0).contiguous()));
      for (int64_t t = 0; t < 5; ++t)
        for (int64_t s = 0; s < 5; ++s) {
          int64_t from = s - b + 2;
          bool inside = t >= a && from >= 0 && from < 5;
          CHECK(moved.at({0, 1, t, s}) == (inside ? e.value().at({0, 1, t - a, from}) : 0));
        }
    }
}

// No kernel lets a word read a later one: it mixes scores of neighbouring keys and of earlier queries under
// the causal mask.
PROPERTY(kernels_read_no_later_word) {
  // The kernel begins as the identity, so causality needs another one: it covers later keys of earlier queries.
  auto made = small_mixer("multi_token:3,keys=5", true);
  dynamic_cast<nn::MultiTokenMixer&>(*made).kernel.set_value(random({2, 3, 5}, 8, kF64));
  for (const Tensor& words : {Tensor(), greater(Tensor::ones({2, 5}), 0)})
    for (int64_t t = 0; t < 5; ++t) {
      Variable x = small_sentences(5);
      backward(sum(slice((*made)(x, {.words = words}).output, 1, t, t + 1)));
      Tensor g = x.grad();
      CHECK(all_zero(g.slice(1, t + 1, 5).contiguous()));
      CHECK_FALSE(all_zero(g.slice(1, 0, t + 1).contiguous()));
    }
}

// --- E19, E19b ---
// Without memory vectors it is multi-head attention: these further keys and values are all that was added.
PROPERTY(no_memory_is_attention) {
  is_attention<nn::PersistentMixer>(entry.name + ":0", [](auto&) {});
}

// Without words the memory alone is read; with them it is attention to a sentence that is longer by the memory.
PROPERTY(no_words_read_the_memory) {
  // Without words, softmax(q M_k) M_v of each head; with them, the same as attention to longer sentences.
  auto made = small_mixer(entry.name + ":3");
  auto& m = dynamic_cast<nn::PersistentMixer&>(*made);
  Variable x = small_sentences(4);
  Tensor words = Tensor::from_bools({0, 0, 0, 0, 1, 1, 1, 1}, {2, 4});
  nn::OwnHeads h = m.heads_of(x, words);
  auto memory = m.memory_heads();
  nn::Attended alone = nn::attend(matmul(h.q, transpose(memory.first, -2, -1)) / std::sqrt(2.0),
                                  expand(unsqueeze(memory.second, 0), {2, 2, 3, 2}));
  nn::Mixed mixed = m(x, {.words = words, .weights = true});
  Tensor expected = m.out_proj(reshape(contiguous(transpose(alone.context, 1, 2)), {2, 4, kWidth})).value();
  CHECK(max_abs_difference(mixed.output.value().select(0, 0).contiguous(), expected.select(0, 0).contiguous()) < 1e-12);
  CHECK(max_abs_difference(mixed.output.value().select(0, 1).contiguous(), expected.select(0, 1).contiguous()) > 1e-3);
  Tensor rows = sum(mixed.weights, {-1}).value();  // of the words alone
  for (double w : rows.select(0, 0).contiguous().to_vector()) CHECK(w == 0);
  for (double w : rows.select(0, 1).contiguous().to_vector()) CHECK((w > 0.01 && w < 0.99));
}

// --- E19c ---
// If each mean is of one word, or no word is old, it is multi-head attention: the means are the only approximation.
PROPERTY(rate_one_is_attention) {
  is_attention<nn::CompressiveMixer>("compressive:2,rate=1", [](auto&) {});   // each mean is a word
  is_attention<nn::CompressiveMixer>("compressive:50,rate=2", [](auto&) {});  // no word is old
}

// Far words are read as means of groups: a change that leaves the mean of a group has no effect, but in the
// window it has.
PROPERTY(old_words_are_read_as_means) {
  auto m = small_mixer("compressive:3,rate=2", true), both_ways = small_mixer("compressive:3,rate=2", false);
  Variable x = small_sentences(8);
  auto change_of = [&](const nn::Mixer& mixer, int64_t query, int64_t more, int64_t less) {
    Tensor y = x.value().clone();
    for (int64_t d = 0; d < kWidth; ++d)
      y.set({0, more, d}, y.at({0, more, d}) + 1), y.set({0, less, d}, y.at({0, less, d}) - 1);
    return max_abs_difference(mixer(Variable(y), {}).output.value().slice(1, query, query + 1).contiguous(),
                              mixer(x, {}).output.value().slice(1, query, query + 1).contiguous());
  };
  CHECK(change_of(*m, 7, 0, 1) < 1e-14);
  CHECK(change_of(*m, 7, 3, 2) < 1e-14);
  CHECK(change_of(*m, 7, 1, 2) > 1e-4);
  CHECK(change_of(*m, 7, 5, 6) > 1e-4);
  CHECK(change_of(*both_ways, 1, 4, 5) < 1e-14);  // the window ends where the group begins
  CHECK(change_of(*both_ways, 2, 4, 5) > 1e-4);
}

}  // namespace
}  // namespace heed::nn_test
