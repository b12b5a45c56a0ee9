// What attention to long texts holds by itself: few pairs of words, states from segment to segment, memories that
// choose.
#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/around/around.h"
#include "nn/attention/attend.h"
#include "nn/attention/evaluators/hyper_attention.h"
#include "nn/attention/mixers/block_recurrent.h"
#include "nn/attention/mixers/global_local.h"
#include "nn/attention/mixers/longnet.h"
#include "nn/attention/mixers/native_sparse.h"
#include "nn/attention/mixers/transient_global.h"
#include "nn/attention/mixers/yoco.h"
#include "nn/attention/pipeline.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/scopes/quest.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/transformer/recurrent_memory.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

constexpr double kClose = 1e-12;

// bool [1, H, T, T] of a question about head, query and key.
template <class Allows>
Tensor pairs_where(int64_t H, int64_t T, const Allows& allows) {
  Tensor mask = Tensor::zeros({1, H, T, T}, DType::boolean);
  for (int64_t h = 0; h < H; ++h)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < T; ++s) mask.set({0, h, t, s}, allows(h, t, s));
  return mask;
}

// --- C18 ---
// Query heads that share a key head select the same blocks, so these are loaded once; other groups
// choose for themselves.
PROPERTY(query_heads_of_a_key_head_choose_together) {
  Small<nn::NativeSparseMixer> m("native_sparse:block=1,selected=4,window=1,kv_heads=2", true, 4);
  Tensor weights = random({1, 4, 9, 9}, 17, DType::f64);
  Tensor allowed = m.mixer.selected(weights, {}, 9);
  auto row = [&](int64_t h, int64_t t) { return allowed.select(0, 0).select(0, h).select(0, t).contiguous(); };
  bool differ = false;
  for (int64_t t = 0; t < 9; ++t) {
    CHECK(bit_equal(row(0, t), row(1, t)));
    CHECK(bit_equal(row(2, t), row(3, t)));
    differ = differ || !bit_equal(row(0, t), row(2, t));
  }
  CHECK(differ);
  CHECK(message_of<ValueError>([] { small_mixer("native_sparse:kv_heads=3", true, 2); }).find("kv_heads") !=
        std::string::npos);
}

// --- K9 ---
// If the radius covers the text, it is T5's full attention, and its queries begin as small as T5's.
PROPERTY(a_wide_radius_is_t5_attention) {
  Small<nn::TransientGlobalMixer> m("transient_global:radius=9,block=9,buckets=8,max_distance=6");
  nn::MultiHeadAttention plain =
      made<nn::MultiHeadAttention>({.model = kWidth, .heads = 2, .bias = false, .score = {.name = "dot"}}, DType::f64);
  const nn::TransientGlobalMixer& t = m.mixer;
  set(plain.in_proj_weight, concat({t.q_proj.weight, t.k_proj.weight, t.v_proj.weight}, 0).value());
  set(plain.out_proj.weight, t.out_proj.weight.value());
  Variable x = small_sentences(7);
  Variable bias = t.local_bias(nn::Places{.queries = 7, .keys = 7});
  CHECK(max_abs_difference(m(x), plain(x, {.bias = bias}).output.value()) < kClose);
  // q starts smaller than k, in place of a division of the scores by sqrt(K).
  Generator rng(3);
  nn::StageOptions wide{.name = "transient_global", .query = 64, .key = 64, .heads = 4};
  nn::TransientGlobalMixer many(wide, rng);
  auto deviation = [](const Variable& w) { return std::sqrt(mean(square(w)).item()); };
  CHECK(deviation(many.q_proj.weight) == doctest::Approx(1.0 / 32).epsilon(0.05));
  CHECK(deviation(many.k_proj.weight) == doctest::Approx(1.0 / 8).epsilon(0.05));
  CHECK(8 * deviation(many.local_bias.weight) == doctest::Approx(1).epsilon(0.1));
  CHECK(8 * deviation(many.global_bias.weight) == doctest::Approx(1).epsilon(0.1));
}

// With a radius of zero a word still reaches all others through the summary of its block; an unfinished block
// has no summary.
PROPERTY(a_word_changes_all_through_its_block) {
  auto reached = [](const char* text, int64_t word) {  // which outputs have a gradient to this word
    auto m = small_mixer(text);
    std::vector<bool> out;
    for (int64_t t = 0; t < 5; ++t) {
      Variable x = small_sentences(5);
      backward(weighted_sum(slice((*m)(x, {}).output, 1, t, t + 1)));
      out.push_back(!all_zero(x.grad().slice(1, word, word + 1).contiguous()));
    }
    return out;
  };
  CHECK(reached("transient_global:radius=0,block=2", 0) == std::vector<bool>(5, true));
  CHECK(reached("transient_global:radius=0,block=2", 4) == std::vector<bool>(5, true));  // it joins the block before
  CHECK(reached("transient_global:radius=0,block=9", 4) == std::vector<bool>{false, false, false, false, true});
}

// --- K8 ---
// One branch whose segment holds all words, without gaps, is plain attention.
PROPERTY(one_branch_of_all_is_attention) {
  for (bool causal : {false, true}) {
    Small<nn::LongNetMixer> m("longnet:segment=6,ratio=1,branches=1", causal);
    Variable x = small_sentences(6);
    nn::OwnHeads h = m.mixer.heads_of(x, {});
    Variable context = full_attention(h.q, h.k, h.v, causal ? lower_triangle(6) : Tensor());
    CHECK(max_abs_difference(m(x), m.mixer.out_proj(nn::join_heads(context)).value()) < kClose);
  }
}

// Branches are weighed by their sums of exponentials, which is what explicit masks for each branch give.
PROPERTY(branches_merge_by_their_denominators) {
  constexpr int64_t T = 11;
  for (bool causal : {false, true}) {
    Small<nn::LongNetMixer> m("longnet:segment=2,ratio=2,branches=3", causal);
    Variable x = small_sentences(T);
    nn::OwnHeads h = m.mixer.heads_of(x, {});
    Variable contexts, total;
    for (int64_t w = 2, r = 1; w <= 8; w *= 2, r *= 2) {
      Tensor mask = pairs_where(2, T, [&](int64_t head, int64_t t, int64_t s) {
        return t / w == s / w && t % w % r == head % r && s % w % r == head % r && (s <= t || !causal);
      });
      Variable size = sum(exp(h.scores()) * Variable(mask.to(DType::f64)), {-1}, true);
      Variable one = size * full_attention(h.q, h.k, h.v, mask);
      contexts = contexts.defined() ? contexts + one : one, total = total.defined() ? total + size : size;
    }
    Variable merged = m.mixer.out_proj(nn::join_heads(contexts / total));
    CHECK(max_abs_difference(m(x), merged.value()) < kClose);
  }
}

// --- K13 ---
struct Choice {
  Variable q, k;   // [1, H, T, K], [1, G, T, K]
  Tensor allowed;  // [1, H, T, T]
};
Choice quest_choice(const nn::QuestScope::Settings& settings, int64_t T, nn::ScopeOptions others = {}) {
  Choice c{leaf({1, 2, T, 3}, 41, kF64), leaf({1, 1, T, 3}, 42, kF64), {}};
  Generator unused(1);
  others = nn::chosen<nn::QuestScope>(settings, others);
  others.name = "causal&" + nn::text_of(nn::Kind::scope, others), others.settings = {};  // as a causal layer has it
  const nn::Places places{.queries = T, .keys = T};
  nn::StageContext context{.places = places};
  c.allowed = nn::mask_of((*nn::make_scope(others, unused))(c.q, c.k, context), places);
  return c;
}

// If all pages may be read, it is causal attention, and so are the first two layers in any case.
PROPERTY(all_pages_are_causal) {
  const Tensor causal = lower_triangle(9).reshape({1, 1, 9, 9}).expand({1, 2, 9, 9}).contiguous();
  CHECK(bit_equal(quest_choice({.block = 2, .blocks = 5}, 9).allowed, causal));
  CHECK_FALSE(bit_equal(quest_choice({.block = 2, .blocks = 4}, 9).allowed, causal));
  CHECK_FALSE(bit_equal(quest_choice({.block = 1, .blocks = 3}, 9, {.layer = 2, .layers = 4}).allowed, causal));
  const Tensor first = quest_choice({.block = 1, .blocks = 3}, 9, {.layer = 1, .layers = 4}).allowed;
  CHECK(bit_equal(first.reshape({9, 9}), lower_triangle(9)));
}

// The bound of a page is never below a score in it, and is the score itself if the page has one word.
PROPERTY(a_bound_is_above_the_scores_of_its_page) {
  const Tensor q = random({20, 4}, 43, kF64).contiguous(), k = random({20, 5, 4}, 44, kF64);
  for (int64_t i = 0; i < 20; ++i) {
    const Tensor page = k.select(0, i).contiguous();
    const double bound =
        nn::bound_of_page(q.data<double>() + i * 4, amin(page, {0}).to_vector(), amax(page, {0}).to_vector());
    const Tensor scores = sum(mul(page, q.select(0, i).unsqueeze(0)), {-1});
    CHECK(bound >= amax(scores).item() - 1e-12);
    const Tensor alone = page.slice(0, 0, 1).contiguous();  // a page of one word: its score
    const std::vector<double> word = alone.reshape({4}).to_vector();
    CHECK(nn::bound_of_page(q.data<double>() + i * 4, word, word) == doctest::Approx(scores.at({0})));
  }
}

// Each query reads, of the words so far, those in the pages with the highest bounds, as loops over all
// pages choose them.
PROPERTY(the_best_pages_are_read) {
  constexpr int64_t T = 12, P = 2, n = 3;
  const Choice c = quest_choice({.block = P, .blocks = n}, T);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t t = 0; t < T; ++t) {
      std::vector<double> bounds;  // of the pages that have begun, of their words up to t
      for (int64_t page = 0; page <= t / P; ++page) {
        double bound = 0;
        for (int64_t d = 0; d < 3; ++d) {
          double best = -HUGE_VAL;
          for (int64_t s = page * P; s <= std::min(t, page * P + P - 1); ++s)
            best = std::max(best, c.q.value().at({0, h, t, d}) * c.k.value().at({0, 0, s, d}));
          bound += best;
        }
        bounds.push_back(bound);
      }
      for (int64_t s = 0; s < T; ++s) {
        const bool read = s <= t && std::count_if(bounds.begin(), bounds.end(),
                                                  [&](double b) { return b > bounds[static_cast<size_t>(s / P)]; }) < n;
        CHECK((c.allowed.at({0, h, t, s}) != 0) == read);
      }
    }
}

// --- K6 ---
nn::RecurrentMemory recurrent(int64_t memories, int64_t segment, bool causal = true, bool detached = false) {
  nn::TransformerLayerOptions layer{.model = kWidth, .heads = 2, .inner = 6, .norm_first = true};
  layer.causal = causal;
  return drawn<nn::RecurrentMemory>(
      {.stack = {.layer = layer, .layers = 2}, .memories = memories, .segment = segment, .detached = detached}, kF64);
}

// Without memory words each segment is read by itself: only the memory connects segments.
PROPERTY(no_memory_reads_segments_alone) {
  const nn::RecurrentMemory m = recurrent(0, 3);
  const Variable x = small_sentences(7);
  std::vector<Variable> alone;
  for (int64_t t : {0, 3, 6}) alone.push_back(m.stack(slice(x, 1, t, std::min<int64_t>(t + 3, 7))).output);
  CHECK(max_abs_difference(m(x).value(), concat(alone, 1).value()) < kClose);
}

// The memory is nothing but further words around a segment, and the second segment reads what the first has written.
PROPERTY(memory_is_further_words) {
  for (bool causal : {true, false}) {
    const nn::RecurrentMemory m = recurrent(2, 9, causal);
    const Variable x = small_sentences(5);
    const Variable M = expand(unsqueeze(m.first, 0), {2, 2, kWidth});
    const Variable all = m.stack(concat({M, x, M}, 1)).output;
    CHECK(bit_equal(m(x).value(), slice(all, 1, 2, 7).value().contiguous()));
    CHECK(bit_equal(m.read(x).memory.value().contiguous(), slice(all, 1, 7, 9).value().contiguous()));
    // The second segment reads what the first has written, and padding changes nothing.
    const nn::RecurrentMemory two = recurrent(2, 3, causal);
    const auto first = two.read(slice(x, 1, 0, 3)), second = two.read(slice(x, 1, 3, 5), first.memory);
    CHECK(max_abs_difference(two(x).value(), concat({first.output, second.output}, 1).value()) < kClose);
    const Tensor words = Tensor::from_bools({1, 1, 1, 1, 0, 1, 1, 1, 1, 0}, {2, 5});
    CHECK(max_abs_difference(two(x, words).value().slice(1, 0, 4).contiguous(), two(slice(x, 1, 0, 4)).value()) <
          kClose);
  }
}

// Gradients reach the segment before through the memory, unless the memory is detached.
PROPERTY(memory_carries_gradients) {
  for (bool detached : {false, true}) {
    const nn::RecurrentMemory m = recurrent(2, 3, true, detached);
    Variable x = small_sentences(6);
    backward(weighted_sum(slice(m(x), 1, 3, 6)));
    CHECK(all_zero(x.grad().slice(1, 0, 3).contiguous()) == detached);
    CHECK_FALSE(all_zero(x.grad().slice(1, 3, 6).contiguous()));
  }
}

// --- K7 ---
using BlockRecurrent = Small<nn::BlockRecurrentMixer>;

// A closed gate keeps the recurrent states bit by bit, and so does a block of padding.
PROPERTY(a_closed_gate_keeps_the_states) {
  BlockRecurrent m("block_recurrent:window=2,states=3", true);
  const Variable S = leaf({2, 3, kWidth}, 55, kF64), k = leaf({2, 2, 2, 2}, 56, kF64);
  CHECK(max_abs_difference(m.mixer.after_block(S, k, k, {}).value(), S.value()) > 1e-3);
  const Tensor none = Tensor::from_bools({1, 1, 0, 0}, {2, 2});  // a block of padding leaves them, too
  CHECK(bit_equal(m.mixer.after_block(S, k, k, none).value().select(0, 1).contiguous(),
                  S.value().select(0, 1).contiguous()));
  set(m.mixer.gate, Tensor::full({kWidth}, 1e3));
  CHECK(bit_equal(m.mixer.after_block(S, k, k, {}).value(), S.value()));
}

// Without states it is attention to the words in a window, and its parameters begin as published.
PROPERTY(no_states_are_window_attention) {
  for (bool causal : {false, true}) {
    BlockRecurrent m("block_recurrent:window=3,states=0", causal);
    const nn::BlockRecurrentMixer& b = m.mixer;
    Variable x = small_sentences(8);
    const Tensor near =
        pairs_where(2, 8, [&](int64_t, int64_t t, int64_t s) { return std::abs(t - s) <= 3 && (s < t || !causal); });
    auto heads = [&](const nn::Linear& layer) { return nn::split_heads(layer(x), 2); };
    Variable q = reshape(select(b.scales, 0, 0), {1, 2, 1, 1}) * nn::unit_length(heads(b.q_proj));
    Variable e = matmul(q, transpose(nn::unit_length(heads(b.k_proj)), -2, -1));
    Variable context = nn::join_heads(nn::attend(e, heads(b.v_proj), near).context);
    CHECK(max_abs_difference(m(x), linear(context, slice(b.out_proj.weight, 1, 0, kWidth), {}).value()) < kClose);
  }
  Generator draws(3);
  nn::BlockRecurrentMixer fresh({.name = "block_recurrent", .query = 32, .key = 32, .heads = 2}, draws);
  auto spread = [](const Variable& p) { return std::sqrt(mean(square(p)).item()); };
  CHECK(10 * spread(fresh.first_states) == doctest::Approx(1).epsilon(0.05));
  CHECK(spread(fresh.ids) == doctest::Approx(1).epsilon(0.1));
  CHECK(std::abs(spread(fresh.gate) - 0.1) < 0.05);
  CHECK(std::sqrt(32.0) * spread(fresh.q_proj.weight) == doctest::Approx(1).epsilon(0.05));
  CHECK(amax(abs(fresh.q_proj.weight)).item() < 2.3 / std::sqrt(32.0));  // cut off
}

// Reordering the states together with their ids changes nothing: the ids alone tell the states apart.
PROPERTY(states_may_be_permuted) {
  BlockRecurrent m("block_recurrent:window=2,states=3", true);
  const Tensor order = Tensor::from(std::vector<int64_t>{2, 0, 1}, {3});
  const Tensor ids = m.mixer.ids.value().clone(), first = m.mixer.first_states.value().clone();
  Variable x = small_sentences(7);
  const Tensor y = m(x);
  set(m.mixer.ids, index_select(ids, 0, order)), set(m.mixer.first_states, index_select(first, 0, order));
  CHECK(max_abs_difference(m(x), y) < kClose);
  set(m.mixer.ids, ids);  // the states alone: each is then read under another id
  CHECK(max_abs_difference(m(x), y) > 1e-6);
  // States that are alike and have no ids stay alike.
  set(m.mixer.ids, Tensor::zeros({3, kWidth}));
  const Variable same(Tensor::ones({2, 3, kWidth}, kF64)), k = leaf({2, 2, 2, 2}, 56, kF64);
  const Tensor after = m.mixer.after_block(same, k, k, {}).value();
  CHECK(max_abs_difference(after.select(1, 0).contiguous(), after.select(1, 2).contiguous()) < kClose);
}

// What a decoder keeps does not grow with the text: the states, and keys and values of two windows.
PROPERTY(blocks_keep_states_and_a_window) {
  BlockRecurrent m("block_recurrent:window=2,states=3", true);
  auto memory = m.mixer.memory();
  for (int64_t t = 0; t < 6; ++t) {
    m.mixer.extend(slice(small_sentences(6), 1, t, t + 1), *memory, {});
    if (t > 2) CHECK(memory->bytes() == 2 * (3 * kWidth + 2 * 4 * kWidth + 4 + 1) * 8);
  }
}

// --- K10 ---
using GlobalLocal = Small<nn::GlobalLocalMixer>;

// If the radius covers the text, it is attention to all global and all long words: the labels' numbers only
// move the scores.
PROPERTY(a_wide_radius_reads_global_and_long_words) {
  GlobalLocal m("global_local:radius=9,block=2,max_distance=2,shared=1");
  nn::GlobalLocalMixer& w = m.mixer;
  for (nn::PairLabels* a : {&w.distances, &w.of_global, &w.global_distances, &w.of_long})
    for (Variable* p : {&a->key, &a->bias}) set(*p, Tensor::zeros(p->shape()));
  auto plain = made<nn::MultiHeadAttention>({.model = kWidth, .heads = 2}, kF64);
  set(plain.in_proj_weight, w.projections[0].weight.value()), set(plain.in_proj_bias, w.projections[0].bias.value());
  set(plain.out_proj.weight, w.long_out.weight.value()), set(plain.out_proj.bias, w.long_out.bias.value());
  Variable x = small_sentences(5);
  const Variable all = concat({x, w.made(x, {})}, 1);
  CHECK(max_abs_difference(m(x), plain(x, all, all).output.value()) < kClose);
  // A number for each label moves what is read, as it does in all rows if it is alike for all labels.
  set(w.distances.bias, Tensor::ones(w.distances.bias.shape()));
  CHECK(max_abs_difference(m(x), plain(x, all, all).output.value()) > 1e-4);
  set(w.of_global.bias, Tensor::ones(w.of_global.bias.shape()));
  CHECK(max_abs_difference(m(x), plain(x, all, all).output.value()) < kClose);
  Generator draws(3);
  nn::GlobalLocalMixer fresh({.name = "global_local", .query = 32, .key = 32, .heads = 2}, draws);
  CHECK(std::sqrt(mean(square(fresh.distances.key)).item()) == doctest::Approx(0.44).epsilon(0.1));
  CHECK((amax(abs(fresh.distances.key)).item() <= 1 && all_zero(fresh.distances.bias.value())));
}

// If they are kept apart, each global word reads its own block and the other global words; otherwise it reads
// the whole text.
PROPERTY(apart_global_words_read_one_block) {
  for (bool apart : {false, true}) {
    GlobalLocal m(apart ? "global_local:radius=1,block=2,apart=1" : "global_local:radius=1,block=2");
    Variable x = small_sentences(6), start = leaf({2, 3, kWidth}, 57, kF64);
    nn::Passed passed;
    passed.left["global_local"] = start;  // three global words that owe nothing to the text
    m.mixer(x, {.passed = &passed});
    backward(weighted_sum(slice(passed.left["global_local"], 1, 1, 2)));  // of the words 2 and 3
    for (int64_t s = 0; s < 6; ++s) CHECK(all_zero(x.grad().slice(1, s, s + 1).contiguous()) == (apart && s / 2 != 1));
    CHECK_FALSE(all_zero(start.grad().slice(1, 2, 3).contiguous()));  // global words read each other
  }
}

// Through the global words two layers carry a word to all others, even to those that never read it as a neighbour.
PROPERTY(global_words_pass_to_the_next_layer) {
  GlobalLocal m("global_local:radius=0,block=2"), next("global_local:radius=0,block=2");
  auto reached = [&](bool both) {
    Variable x = small_sentences(6);
    nn::Passed passed;
    passed.left["global_local"] = leaf({2, 3, kWidth}, 57, kF64);
    Variable y = m.mixer(x, {.passed = &passed}).output;
    if (both) y = next.mixer(Variable(x.value()), {.passed = &passed}).output;
    backward(weighted_sum(slice(y, 1, 5, 6)));
    return !x.grad().defined() ? false : !all_zero(x.grad().slice(1, 0, 1).contiguous());
  };
  CHECK_FALSE(reached(false));
  CHECK(reached(true));
}

// --- K12 ---
nn::MultiHeadOptions prompted(const char* evaluator) {
  nn::MultiHeadOptions o{.model = 8, .heads = 4, .scope = {.name = "causal"}, .kv_heads = 2};
  o.position = {.name = "rope"}, o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return o;
}

// The words that head h of sentence b keeps of T: the last two, and of those before the three with the most votes.
std::vector<int64_t> kept_by_votes(const Tensor& weights, int64_t b, int64_t h, int64_t T, int64_t begin) {
  auto votes = [&](int64_t s) {
    double sum = 0;
    for (int64_t t : {T - 2, T - 1}) sum += s >= begin && s < T - 2 ? weights.at({b, h, t, s}) : 0;
    return sum;
  };
  std::vector<std::pair<double, int64_t>> best;
  for (int64_t s = begin; s < T - 2; ++s) best.emplace_back(-(votes(s - 1) + votes(s) + votes(s + 1)), s);
  std::sort(best.begin(), best.end());
  std::vector<int64_t> kept{T - 2, T - 1};
  for (size_t i = 0; i < 3; ++i) kept.push_back(best[i].second);
  return kept;
}

// After a prompt each head keeps the words that the prompt's end reads most, and decodes as dense attention
// under this mask.
PROPERTY(a_prompt_keeps_what_its_end_reads) {
  constexpr int64_t T = 9;
  for (int64_t before : {0, 2}) {  // padding before the second sentence
    auto m = drawn<nn::MultiHeadAttention>(prompted("snapkv:capacity=5,window=2,pooled=3"), kF64);
    auto dense = drawn<nn::MultiHeadAttention>(prompted("dense"), kF64);
    const Tensor x = mul(random({2, T + 2, 8}, 52, kF64), 2);
    Tensor words = Tensor::full({2, T + 2}, 1, DType::boolean);
    for (int64_t s = 0; s < before; ++s) words.set({1, s}, 0);
    auto masks = [&](int64_t n) { return nn::HeadMasks{.words = words.slice(1, 0, n).contiguous(), .weights = true}; };
    auto first = [&](int64_t n) { return Variable(x.slice(1, 0, n).contiguous()); };
    NoGrad decoding;
    auto memory = m.memory();
    const nn::MultiHeadOutput whole = dense(first(T), masks(T));
    const Tensor prompt = m.extend(first(T), *memory, masks(T)).output.value();
    CHECK(max_abs_difference(prompt.slice(1, before, T).contiguous(),
                             whole.output.value().slice(1, before, T).contiguous()) < kClose);
    CHECK(memory->view().keys.shape() == Shape{2, 4, 5, 2});
    for (int64_t n = T + 1; n <= T + 2; ++n) {
      nn::HeadMasks some = masks(n);
      some.allowed = Tensor::full({2, 4, n, n}, 1, DType::boolean);
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t h = 0; h < 4; ++h) {
          const auto kept = kept_by_votes(whole.weights.value(), b, h, T, b == 1 ? before : 0);
          for (int64_t s = 0; s < T; ++s)
            some.allowed.set({b, h, n - 1, s}, std::count(kept.begin(), kept.end(), s) > 0);
        }
      const Tensor wanted = dense(first(n), some).output.value().slice(1, n - 1, n).contiguous();
      const Variable next(x.slice(1, n - 1, n).contiguous());
      CHECK(max_abs_difference(m.extend(next, *memory, masks(n)).output.value(), wanted) < kClose);
    }
    memory->keep(Tensor::from(std::vector<int64_t>{1, 1}, {2}));
    const Tensor keys = memory->view().keys.value();
    CHECK(bit_equal(keys.select(0, 0).contiguous(), keys.select(0, 1).contiguous()));
    CHECK(memory->bytes() == 2 * 4 * 7 * (2 + 2) * 8);
  }
}

// A prompt that fits is kept whole, and decoding is then that of dense attention.
PROPERTY(a_short_prompt_is_kept) {
  NoGrad decoding;
  const Variable x(random({2, 8, 8}, 53, kF64));
  auto m = drawn<nn::MultiHeadAttention>(prompted("snapkv:capacity=4,window=2"), kF64);
  const Tensor whole = drawn<nn::MultiHeadAttention>(prompted("dense"), kF64)(x).output.value();
  for (int64_t first : {1, 4}) {  // word by word, or a prompt of four words and then word by word
    auto memory = m.memory();
    for (int64_t t = 0; t < 8; t += t == 0 ? first : 1) {
      const int64_t end = t == 0 ? first : t + 1;
      const Tensor y = m.extend(slice(x, 1, t, end), *memory).output.value();
      CHECK(max_abs_difference(y, whole.slice(1, t, end).contiguous()) < kClose);
    }
    CHECK(memory->view().keys.size(2) == 8);
  }
}

// --- K15 ---
struct Layers {  // mixers as the layers of a stack: h <- h + mixer(h)
  Layers(const char* text, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
      o.query = o.key = kWidth, o.heads = 2, o.causal = true, o.layer = i, o.layers = n;
      Generator rng(static_cast<uint64_t>(i));
      mixers.push_back(nn::make_mixer(o, rng));
      nn::convert(*mixers.back(), kF64);
    }
  }
  std::vector<Variable> operator()(const Variable& x, nn::Passed& passed) const {  // the inputs of all, and the output
    std::vector<Variable> h{x};
    for (const auto& m : mixers) h.push_back(h.back() + (*m)(h.back(), {.passed = &passed}).output);
    return h;
  }
  nn::YocoMixer& at(size_t i) const { return dynamic_cast<nn::YocoMixer&>(*mixers[i]); }
  std::vector<std::unique_ptr<nn::Mixer>> mixers;
};

// The upper layers are ordinary attention whose keys and values all come from one layer in the middle.
PROPERTY(upper_layers_read_the_middle) {
  const Variable x = small_sentences(6);
  struct Case {
    const char* text;
    int n, middle;
  };
  for (const auto& [text, n, middle] : {Case{"yoco", 4, 2}, Case{"yoco:lower=0", 2, 0}, Case{"yoco:lower=1", 2, 1}}) {
    Layers layers(text, n);
    nn::Passed passed;
    const nn::YocoMixer& leads = layers.at(static_cast<size_t>(middle));
    set(leads.norm->weight, random({kWidth}, 54, kF64));
    const std::vector<Variable> all = layers(x, passed);
    for (int i = 0; i < n; ++i) CHECK(bool(layers.at(static_cast<size_t>(i)).retention) == (i < middle));
    for (int i = middle; i < n; ++i) {
      const auto at = static_cast<size_t>(i);
      nn::MultiHeadOptions o{.model = kWidth, .heads = 2, .bias = false, .scope = {.name = "causal"}};
      o.position.name = "rope_interleaved";
      auto plain = made<nn::MultiHeadAttention>(o, kF64);
      const Variable& q = layers.at(at).q_proj->weight;
      set(plain.in_proj_weight, concat({q, leads.k_proj->weight, leads.v_proj->weight}, 0).value());
      set(plain.out_proj.weight, layers.at(at).out_proj->weight.value());
      const Variable keys = (*leads.norm)(all[static_cast<size_t>(middle)]);
      const Variable y = all[at] + plain(all[at], keys, keys).output;
      CHECK(max_abs_difference(y.value(), all[at + 1].value()) < kClose);
    }
  }
}

// Above the middle the last word alone gives the same result, so a prompt need not pass through the upper layers.
PROPERTY(a_last_word_needs_no_others_above) {
  Layers layers("yoco", 4);
  nn::Passed passed;
  const std::vector<Variable> h = layers(small_sentences(6), passed);
  Variable last = slice(h[3], 1, 5, 6);
  auto memory = layers.at(3).memory();
  const Variable y = last + layers.at(3).extend(last, *memory, {.passed = &passed}).output;
  CHECK(max_abs_difference(y.value(), h[4].value().slice(1, 5, 6).contiguous()) < kClose);
  // Word by word through all layers, whose memories begin empty.
  std::vector<std::unique_ptr<nn::AttentionMemory>> memories;
  for (size_t i = 0; i < 4; ++i) memories.push_back(layers.at(i).memory());
  for (int64_t t = 0; t < 6; ++t) {
    nn::Passed of_step;
    Variable one = slice(h[0], 1, t, t + 1);
    for (size_t i = 0; i < 4; ++i) one = one + layers.at(i).extend(one, *memories[i], {.passed = &of_step}).output;
    CHECK(max_abs_difference(one.value(), h[4].value().slice(1, t, t + 1).contiguous()) < kClose);
  }
  CHECK(memories[2]->bytes() == 2 * 6 * 2 * kWidth * 8);  // the keys and values of two sentences
  CHECK(memories[3]->bytes() == 0);
  CHECK(memories[3]->words() == 6);
}

// In the lower half all ways to compute agree, with padding too, and a head keeps one square matrix as its state.
PROPERTY(the_lower_half_keeps_one_matrix) {
  const Variable x = small_sentences(7);
  const Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1}, {2, 7});
  const Tensor whole = Layers("yoco:chunk=9", 2).at(0)(x, {.words = words}).output.value();
  Layers layers("yoco:chunk=2", 2);
  CHECK(max_abs_difference(layers.at(0)(x, {.words = words}).output.value(), whole) < kClose);
  auto memory = layers.at(0).memory();
  for (int64_t t = 0; t < 7; ++t) {
    const Tensor so_far = words.slice(1, 0, t + 1).contiguous();
    const Tensor y = layers.at(0).extend(slice(x, 1, t, t + 1), *memory, {.words = so_far}).output.value();
    for (int64_t b = 0; b < 2; ++b)
      if (words.at({b, t}) != 0)
        CHECK(max_abs_difference(y.slice(0, b, b + 1).contiguous(),
                                 whole.slice(0, b, b + 1).slice(1, t, t + 1).contiguous()) < kClose);
    CHECK(memory->bytes() == 2 * 2 * 2 * 2 * 8);
  }
}

// --- K16 ---
nn::HyperAttention hyper(int64_t block, int64_t samples, int64_t exact = 0, int64_t seed = 1) {
  return nn::HyperAttention({.block = block, .samples = samples, .exact = exact, .seed = seed});
}

// If one block holds all words, or there are few queries, every pair is counted once: it is exact attention.
PROPERTY(one_part_is_exact) {
  const Tensor q = random({2, 2, 7, 3}, 45, kF64), k = random({2, 2, 7, 3}, 46, kF64);
  const Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 7});
  Tensor all = Tensor::ones({2, 2, 7, 7}, kF64), causal = all.clone();
  for (int64_t i = 0; i < 2 * 2 * 7 * 7; ++i) {
    const int64_t b = i / 98, h = i / 49 % 2, t = i / 7 % 7, s = i % 7;
    if (b == 1 && (s > 4 || t > 4)) all.set({b, h, t, s}, 0);
    if ((b == 1 && (s > 4 || t > 4)) || s > t) causal.set({b, h, t, s}, 0);
  }
  CHECK(bit_equal(hyper(7, 3).counts(q, k, words, words, false), all));
  CHECK(bit_equal(hyper(7, 3).counts(q, k, words, words, true), causal));
  CHECK(bit_equal(hyper(2, 3, 8).counts(q, k, words, words, false), all));  // fewer queries than `exact`
  CHECK_FALSE(bit_equal(hyper(2, 3).counts(q, k, words, words, false), all));
  // The whole evaluator, which hides nothing else.
  for (const char* text : {"hyper_attention:block=8,exact=0", "hyper_attention:block=2,samples=2,exact=9"}) {
    nn::MultiHeadOptions o{.model = kWidth, .heads = 2, .kv_heads = 1}, dense = o;
    o.evaluator = nn::stage_from(nn::Kind::evaluator, text), dense.evaluator = {.name = "dense"};
    auto one = made<nn::MultiHeadAttention>(o, kF64), other = made<nn::MultiHeadAttention>(dense, kF64);
    Variable x = small_sentences(7);
    auto of_words = [&](const nn::MultiHeadAttention& m) {
      return nn::words_only(m(x, {.words = words}).output, words).value();
    };
    CHECK(max_abs_difference(of_words(one), of_words(other)) < kClose);
  }
}

// The mean over many draws is the sum over all keys, and the keys of the query's own part are read without chance.
PROPERTY(estimated_sums_are_unbiased) {
  constexpr int64_t T = 12, draws = 2000;
  const Tensor q = random({1, 1, T, 3}, 47, kF64), k = random({1, 1, T, 3}, 48, kF64);
  Tensor total = Tensor::zeros({1, 1, T, T}, kF64);
  const Tensor directions = hyper(3, 0).counts(q, k, {}, {}, false);  // the parts alone
  int64_t read = 0;
  for (int64_t seed = 0; seed < draws; ++seed) {
    nn::HyperAttention one = hyper(3, 4, 0, seed);
    const Tensor c = one.counts(q, k, {}, {}, false);
    total = add(total, c);
    one.settings.samples = 0;
    const Tensor parts = one.counts(q, k, {}, {}, false);
    for (int64_t i = 0; i < T * T; ++i) read += parts.data<double>()[i] == 1 && c.data<double>()[i] == 1;
  }
  CHECK(read == draws * T * 3);
  CHECK(sum(directions).item() == T * 3);
  for (double c : mul(total, 1.0 / draws).to_vector()) CHECK(c == doctest::Approx(1).epsilon(0.2));
}

// The same seed draws the same sample; another seed or another layer draws another.
PROPERTY(draws_are_seeded) {
  const Tensor q = random({2, 2, 9, 3}, 49, kF64);
  auto counts = [&](int64_t seed, int64_t layer) {
    return nn::HyperAttention({.block = 2, .samples = 3, .exact = 0, .seed = seed}, layer).counts(q, q, {}, {}, false);
  };
  CHECK(bit_equal(counts(1, 0), counts(1, 0)));
  CHECK_FALSE(bit_equal(counts(1, 0), counts(2, 0)));
  CHECK_FALSE(bit_equal(counts(1, 0), counts(1, 1)));
}

// In a causal model each half reads itself, and the second half also reads parts of the first.
PROPERTY(halves_read_the_first_half) {
  const Tensor q = random({1, 1, 8, 3}, 50, kF64), k = random({1, 1, 8, 3}, 51, kF64);
  const Tensor c = hyper(2, 0, 4).counts(q, k, {}, {}, true), halved = hyper(1, 0, 0).counts(q, k, {}, {}, true);
  int64_t read = 0, fewer = 0;
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t s = 0; s < 8; ++s) {
      if (t / 4 == s / 4 || s > t) CHECK(c.at({0, 0, t, s}) == (s <= t ? 1 : 0));
      read += c.at({0, 0, t, s}) > 0, fewer += halved.at({0, 0, t, s}) > 0;
      CHECK((s <= t || halved.at({0, 0, t, s}) == 0));
    }
  CHECK(read == 2 * 10 + 4 * 2);          // each query of the second half reads two keys of the first
  CHECK(fewer == 8 + 4 * 1 + 2 * 2 + 4);  // halves of halves, down to one word, in parts of one key
}

}  // namespace
}  // namespace heed::nn_test
