// What softpick, scalable_softmax, learned_sinks, longrope, dynamic_ntk and rope_mixed hold, and what was corrected of
// polar, differential and external.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/evaluators/differential.h"
#include "nn/attention/mixers/external.h"
#include "nn/attention/normalisers/learned_sinks.h"
#include "nn/attention/normalisers/scalable_softmax.h"
#include "nn/attention/positions/dynamic_ntk.h"
#include "nn/attention/positions/longrope.h"
#include "nn/attention/positions/polar.h"
#include "nn/attention/positions/reads_places.h"
#include "nn/attention/positions/rope_mixed.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/mixer_subject.h"
#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

constexpr double kNone = -INFINITY;

// A position of K = 8 by its text, in f64.
template <class M = nn::HeadPosition>
std::unique_ptr<M> position_of(const std::string& text, int64_t heads = 2) {
  nn::HeadPositionOptions o = nn::stage_from(nn::Kind::position, text);
  o.query = o.key = 8, o.heads = heads;
  Generator rng(1);
  auto made = nn::make_head_position(o, rng);
  nn::convert(*made, kF64);
  return std::unique_ptr<M>(&dynamic_cast<M&>(*made.release()));
}

nn::Places from(int64_t first, int64_t count) {
  return {.queries = count, .keys = count, .first_query = first, .first_key = first};
}

// --- softpick ---
// A query without a positive score reads nothing; a key with a negative score has no weight but lowers the others'.
PROPERTY(no_positive_score_reads_nothing) {
  CHECK(all_zero(normalised("softpick", row({-1, 0, -30, kNone}))));
  const double taken = std::exp(2) - 1, lost = 1 - std::exp(-1);
  CHECK(normalised("softpick", row({2, -1, 0, kNone})).at({0}) == doctest::Approx(taken / (taken + lost + 1e-8)));
  CHECK(all_zero(normalised("softpick", row({2, -1, 0, kNone})).slice(0, 1, 4)));
}

// If all scores are positive and not tiny, the weights sum to 1; negative scores lower the sum.
PROPERTY(positive_scores_sum_to_one) {
  CHECK(sum(normalised("softpick", row({.5, 2, 30, .01}))).item() == doctest::Approx(1).epsilon(1e-12));
  CHECK(sum(normalised("softpick", row({2, -1, -1}))).item() < 0.9);
  CHECK(normalised("softpick", row({900, 899, -5})).at({0}) == doctest::Approx(1 / (1 + std::exp(-1))));
  CHECK(normalised("softpick", row({1e-9, 1e-9})).at({0}) ==
        doctest::Approx(1. / 12).epsilon(1e-6));  // eps is 10 of 12
}

// Masked keys do not change the weights of the others.
PROPERTY(absent_keys_count_nothing) {
  Tensor e = random({3, 5}, 1, kF64), apart = Tensor::full({3, 4}, kNone, kF64);
  Tensor w = normalised("softpick", concat({Variable(e), Variable(apart)}, 1).value());
  CHECK(max_abs_difference(w.slice(1, 0, 5), normalised("softpick", e)) < 1e-15);
  CHECK(all_zero(w.slice(1, 5, 9)));
}

// --- scalable softmax ---
// A weight is the number of allowed keys to the power of the scaled score, divided by the sum of all.
PROPERTY(is_a_power_of_the_number_of_keys) {
  const double e[] = {.5, -1, 2};
  double all = 0;
  for (double each : e) all += std::pow(3, 0.5 * each);
  Tensor w = normalised("scalable_softmax:0.5", row({.5, kNone, -1, 2}).view({1, 1, 4}));
  CHECK(w.at({0, 0, 1}) == 0);
  for (int64_t s : {0, 1, 2})
    CHECK(w.at({0, 0, s == 0 ? 0 : s + 1}) == doctest::Approx(std::pow(3, 0.5 * e[s]) / all).epsilon(1e-12));
  CHECK(normalised("scalable_softmax", row({-7, kNone}).view({1, 1, 2})).at({0, 0, 0}) == 1);  // ln 1 = 0
}

// Each head learns a factor of its own; with a factor of 0 all keys are read alike.
PROPERTY(heads_learn_their_power) {
  auto made = normaliser_of("scalable_softmax", 3);
  Variable& scale = dynamic_cast<nn::ScalableSoftmaxNormaliser&>(*made).scale;
  REQUIRE(scale.shape() == Shape{3, 1, 1});
  CHECK(max_abs_difference(scale.value(), Tensor::full({3, 1, 1}, 0.43, kF64)) < 1e-7);
  scale.set_value(Tensor::from(std::vector<double>{0, 0.5, 2}, {3, 1, 1}));
  Variable e(random({2, 3, 4, 5}, 1, kF64)), w = (*made)(e);
  CHECK(max_abs_difference(w.value().select(1, 0), Tensor::full({2, 4, 5}, 0.2, kF64)) < 1e-15);
  for (int64_t h : {1, 2})
    CHECK(max_abs_difference(w.value().select(1, h),
                             softmax(select(e, 1, h) * (h == 1 ? 0.5 : 2) * std::log(5.0), -1).value()) < 1e-14);
  backward(weighted_sum(w));
  for (int64_t h : {0, 1, 2}) CHECK(scale.grad().at({h, 0, 0}) != 0);
}

// --- learned sinks ---
// A learned sink is a sigmoid gate on softmax attention: a very low sink is no gate, and one of 0 is the fixed sink.
PROPERTY(is_attention_through_a_gate) {
  auto made = normaliser_of("learned_sinks", 3);
  Variable& sinks = dynamic_cast<nn::LearnedSinksNormaliser&>(*made).sinks;
  sinks.set_value(Tensor::from(std::vector<double>{-1e4, 0, 1.5}, {3, 1, 1}));
  Variable e = leaf({2, 3, 4, 5}, 1, kF64);
  Variable w = (*made)(e), plain = softmax(e, -1), found = logsumexp(e, {-1}, true);
  CHECK(max_abs_difference(w.value(), (plain * sigmoid(found - sinks)).value()) < 1e-15);
  CHECK(max_abs_difference(w.value().select(1, 0), plain.value().select(1, 0)) < 1e-15);
  CHECK(max_abs_difference(w.value().select(1, 1), normalised("sink", e.value()).select(1, 1)) < 1e-15);
}

// The sinks begin as small random numbers, as published.
PROPERTY(sinks_begin_small) {
  std::vector<double> z =
      dynamic_cast<nn::LearnedSinksNormaliser&>(*normaliser_of("learned_sinks", 200)).sinks.value().to_vector();
  double squares = 0;
  for (double each : z) squares += each * each;
  CHECK(std::abs(std::sqrt(squares / 200) / 0.02 - 1) < 0.2);
}

// --- LongRoPE ---
// With a factor of one it is RoPE; a larger factor also makes the scores larger, by the published rule.
PROPERTY(divisors_of_one_are_rope) {
  Variable x(random({2, 5, 2, 8}, 4, kF64));
  auto rope = position_of("rope"), one = position_of("longrope:factor=1"),
       four = position_of("longrope:factor=4,trained=16");
  CHECK(max_abs_difference(one->turn_key(x, from(70, 5)).value(), rope->turn_key(x, from(70, 5)).value()) < 1e-12);
  // The factor is on queries and keys: m^2 = 1 + ln 4 / ln 16.
  Variable q = four->turn_query(x, from(70, 5)), k = four->turn_key(x, from(70, 5));
  CHECK(sum(q * k).item() == doctest::Approx(1.5 * sum(square(x)).item()).epsilon(1e-12));
}

// If all divisors are the factor, it is linear interpolation; at first they are those of NTK-aware scaling.
PROPERTY(divisors_of_s_are_interpolation) {
  Variable x(random({2, 5, 2, 8}, 4, kF64));
  auto long_rope = position_of<nn::LongRope>("longrope:factor=4,trained=16");
  const double m = std::sqrt(1.5);
  // At first they are those of rope_ntk.
  Tensor ntk = position_of("rope_ntk:4")->turn_query(x, from(70, 5)).value();
  CHECK(max_abs_difference(long_rope->turn_query(x, from(70, 5)).value(), mul(ntk, m)) < 1e-12);
  long_rope->rescale = Tensor::full({4}, 4, kF64);
  Tensor linear = position_of("rope_linear:4")->turn_query(x, from(70, 5)).value();
  CHECK(max_abs_difference(long_rope->turn_query(x, from(70, 5)).value(), mul(linear, m)) < 1e-12);
}

// The first words keep the angles of RoPE, bit by bit, and only the later ones are slowed.
PROPERTY(first_words_keep_their_angles) {
  Variable x(random({1, 6, 2, 8}, 4, kF64));
  auto kept = position_of("longrope:factor=4,trained=16,kept=3"), none = position_of("longrope:factor=4,trained=16"),
       rope = position_of("rope");
  nn::Places given = from(0, 6);
  given.query_at = given.key_at = Tensor::from(std::vector<int64_t>{1, 2, 3, 4, 5, 6}, {1, 6});
  for (const nn::Places& places : {from(1, 6), given}) {
    Tensor y = kept->turn_key(x, places).value();
    CHECK(same_bits({y.slice(1, 0, 2).contiguous()}, {rope->turn_key(x, places).value().slice(1, 0, 2).contiguous()}));
    CHECK(same_bits({y.slice(1, 2, 6).contiguous()}, {none->turn_key(x, places).value().slice(1, 2, 6).contiguous()}));
  }
  CHECK(nn::reads_places_of(*kept));
  CHECK_FALSE(nn::reads_places_of(*none));
}

// --- dynamic NTK ---
// Up to the trained length it is RoPE; beyond it each sentence is slowed by its own number of words.
PROPERTY(up_to_the_trained_length_it_is_rope) {
  Variable x(random({2, 6, 2, 8}, 4, kF64)), longer(random({2, 9, 2, 8}, 4, kF64));
  auto dynamic = position_of("dynamic_ntk:4,trained=6"), rope = position_of("rope");
  for (int64_t n : {5, 6}) {
    Variable some = slice(x, 1, 0, n);
    CHECK(max_abs_difference(dynamic->turn_key(some, from(0, n)).value(), rope->turn_key(some, from(0, n)).value()) <
          1e-15);
  }
  Tensor as_rope = rope->turn_key(longer, from(0, 9)).value();
  CHECK(max_abs_difference(dynamic->turn_key(longer, from(0, 9)).value(), as_rope) > 1e-2);
  nn::Places padded = from(0, 9);  // each sentence has its own number of words, and padding is none
  padded.lengths = Tensor::from(std::vector<int64_t>{6, 9}, {2});
  Tensor y = dynamic->turn_key(longer, padded).value(), all = dynamic->turn_key(longer, from(0, 9)).value();
  CHECK(max_abs_difference(y.select(0, 0), as_rope.select(0, 0)) < 1e-15);
  CHECK(max_abs_difference(y.select(0, 1), all.select(0, 1)) < 1e-15);
}

// The fastest pair turns as in RoPE, and the slowest is slowed by exactly the factor of the length.
PROPERTY(slowest_pair_is_slowed_by_the_factor) {
  // f = 4 * 9/6 - 3 = 3 for nine words; halves: pair i is (x_i, x_(i + 4)).
  Variable x(random({1, 1, 2, 8}, 4, kF64));
  auto dynamic = position_of<nn::DynamicNtk>("dynamic_ntk:4,trained=6");
  auto rope = position_of("rope");
  CHECK(dynamic->slowing(9) == doctest::Approx(3).epsilon(1e-15));
  Tensor y = dynamic->turn_query(x, {.queries = 1, .keys = 9, .first_query = 6}).value(),
         here = rope->turn_query(x, from(6, 1)).value(), there = rope->turn_query(x, from(2, 1)).value();
  for (int64_t i : {0, 4}) {
    CHECK(y.at({0, 0, 1, i}) == doctest::Approx(here.at({0, 0, 1, i})).epsilon(1e-12));
    CHECK(y.at({0, 0, 1, i + 3}) == doctest::Approx(there.at({0, 0, 1, i + 3})).epsilon(1e-12));
  }
}

// A cached key keeps the base of its call, so beyond the trained length word by word differs from all at once.
PROPERTY(cached_keys_keep_the_base_of_their_call) {
  auto m = drawn<nn::MultiHeadAttention>({.model = 8,
                                          .heads = 2,
                                          .scope = {.name = "causal"},
                                          .position = nn::stage_from(nn::Kind::position, "dynamic_ntk:4,trained=4")});
  Variable x(random({1, 7, 8}, 5, kF64));
  NoGrad no_grad;
  Tensor whole = m(x).output.value(), four = m(slice(x, 1, 0, 4)).output.value();
  CHECK(max_abs_difference(whole.slice(1, 0, 4), four) > 1e-4);  // a prefix is not a part of the whole
  auto words = m.memory(), all = m.memory();
  nn::HeadCache cache;
  for (int64_t t = 0; t < 7; ++t) {
    Variable word = slice(x, 1, t, t + 1);
    Tensor step = m.extend(word, *words).output.value();
    if (t < 4) CHECK(max_abs_difference(step, four.slice(1, t, t + 1)) < 1e-12);
    if (t > 4) CHECK(max_abs_difference(step, whole.slice(1, t, t + 1)) > 1e-4);
    // The key of word t keeps the base of t + 1 words.
    cache.append(m.remember(word, word, {.first_key = t}));
    CHECK(max_abs_difference(step, m(word, cache.view(), {.places = {.first_query = t}}).output.value()) < 1e-12);
  }
  CHECK(max_abs_difference(m.extend(x, *all).output.value(), whole) < 1e-12);  // all words in one call
}

// --- RoPE-Mixed ---
// q . k in each head, for one query and one key [1, 1, H, 8] at their places.
Tensor products(const nn::HeadPosition& position, const Tensor& q, const Tensor& k, int64_t t, int64_t s) {
  return sum(position.turn_query(Variable(q), from(t, 1)) * position.turn_key(Variable(k), from(s, 1)), {3}).value();
}

// Products depend on the rows and columns between two cells alone, and each head has directions of its own.
PROPERTY(differences_count_in_each_head) {
  auto mixed = position_of<nn::RopeMixed>("rope_mixed:5", 3);
  Tensor q = random({1, 1, 3, 8}, 1, kF64), k = random({1, 1, 3, 8}, 2, kF64);
  Tensor here = products(*mixed, q, k, 6, 13);  // (1, 1) and (2, 3)
  CHECK(max_abs_difference(products(*mixed, q, k, 11, 18), here) < 1e-12);
  CHECK(max_abs_difference(products(*mixed, q, k, 17, 24), here) < 1e-12);
  CHECK(max_abs_difference(products(*mixed, q, k, 8, 15), here) > 1e-3);  // as far apart in a line: (1, 3) and (3, 0)
  CHECK(max_abs_difference(products(*mixed, q, k, 13, 6), here) > 1e-3);
  Tensor same = random({1, 1, 1, 8}, 3, kF64).expand({1, 1, 3, 8}).contiguous(),
         y = products(*mixed, same, same, 6, 13);
  CHECK(std::abs(y.at({0, 0, 0}) - y.at({0, 0, 1})) > 1e-3);  // heads have directions of their own
  // Two heads of keys for six of queries: those of a group have one set of frequencies.
  auto two = made<nn::RopeMixed>({.name = "rope_mixed", .query = 8, .key = 8, .heads = 6}, kF64);
  two.share(2);
  REQUIRE(two.frequencies.shape() == Shape{2, 2, 4});
  Variable six(same.slice(2, 0, 1).expand({1, 1, 6, 8}).contiguous());
  Tensor of_queries = two.turn_query(six, from(37, 1)).value(),
         of_keys = two.turn_key(slice(six, 2, 0, 2), from(37, 1)).value();
  for (int64_t h = 0; h < 6; ++h) CHECK(max_abs_difference(of_queries.select(2, h), of_keys.select(2, h / 3)) < 1e-15);
}

// With half of the pairs on rows and half on columns it is two-dimensional RoPE: mixed directions are all
// that was added.
PROPERTY(axes_apart_are_rope_2d) {
  // fx = 0 in the first half of the pairs, fy = 0 in the second: rows and columns, after a permutation of the layout.
  auto mixed = position_of<nn::RopeMixed>("rope_mixed:5");
  Tensor f = Tensor::zeros({2, 2, 4}, kF64);
  for (int64_t h : {0, 1})
    for (int64_t i : {0, 1}) f.set({1, h, i}, i == 0 ? 1 : 0.01), f.set({0, h, i + 2}, i == 0 ? 1 : 0.01);
  mixed->frequencies.set_value(f);
  Tensor order = Tensor::from(std::vector<int64_t>{0, 2, 1, 3, 4, 6, 5, 7}, {8});
  Variable x(random({2, 9, 2, 8}, 4, kF64)), moved(index_select(x.value(), 3, order));
  Tensor wanted = position_of("rope_2d:5")->turn_key(moved, from(4, 9)).value();
  CHECK(max_abs_difference(index_select(mixed->turn_key(x, from(4, 9)).value(), 3, order), wanted) < 1e-12);
}

// The frequencies of a head begin in pairs at right angles, with the published lengths, and each head
// is turned differently.
PROPERTY(frequencies_begin_at_right_angles) {
  Tensor f = position_of<nn::RopeMixed>("rope_mixed", 3)->frequencies.value();
  REQUIRE(f.shape() == Shape{2, 3, 4});
  for (int64_t h = 0; h < 3; ++h)
    for (int64_t i : {0, 1}) {
      CHECK(std::hypot(f.at({0, h, i}), f.at({1, h, i})) ==
            doctest::Approx(std::pow(10, -0.5 * static_cast<double>(i))));
      CHECK(f.at({0, h, i + 2}) == doctest::Approx(-f.at({1, h, i})));
      CHECK(f.at({1, h, i + 2}) == doctest::Approx(f.at({0, h, i})));
    }
  CHECK(std::abs(f.at({0, 0, 0}) - f.at({0, 1, 0})) > 1e-3);
}

// --- polar ---
// A learned direction begins at zero and stays within one turn: beyond it the end of the range counts.
PROPERTY(directions_stay_within_a_turn) {
  auto polar = position_of<nn::PolarPosition>("polar");
  CHECK(all_zero(polar->delta.value()));
  Variable q(random({1, 1, 2, 8}, 4, kF64));
  auto at = [&](double delta) {
    polar->delta.set_value(Tensor::full({2, 8}, delta, kF64));
    return polar->turn_query(q, from(3, 1)).value();
  };
  CHECK(same_bits({at(1)}, {at(0)}));
  CHECK(max_abs_difference(at(-7), at(-2 * std::numbers::pi)) < 1e-15);
  CHECK(max_abs_difference(at(-1), at(0)) > 1e-2);
  std::vector<double> drawn = position_of<nn::PolarPosition>("polar:uniform=1")->delta.value().to_vector();
  CHECK(*std::min_element(drawn.begin(), drawn.end()) < -3);
  CHECK(*std::max_element(drawn.begin(), drawn.end()) <= 0);
}

// Scores are divided by the root of the head's width, though each entry becomes two.
PROPERTY(root_is_that_of_the_head) {
  nn::MultiHeadOptions o{.model = 8, .heads = 2, .position = {.name = "polar"}};
  CHECK(*made<nn::MultiHeadAttention>(o, kF64).score->product_scale() == doctest::Approx(0.5).epsilon(1e-15));
  o.position.name = "rope";
  CHECK(*made<nn::MultiHeadAttention>(o, kF64).score->product_scale() == doctest::Approx(0.5).epsilon(1e-15));
  Variable q = leaf({1, 3, 8}, 1, kF64), k = leaf({1, 4, 8}, 2, kF64);
  std::vector<Variable> logits;  // up to a number for each row
  for (const char* score : {"scaled_dot", "dot"}) {
    nn::AttentionOptions one{.score = {.name = score, .query = 8, .key = 8}, .position = {.name = "polar"}};
    auto attention = made<nn::Attention>(one, kF64);
    logits.push_back(log(attention(q, attention.remember(k, k)).weights));
  }
  Variable apart = logits[1] / std::sqrt(8.0) - logits[0];
  CHECK(max_abs_difference(apart.value(), select(apart, 2, 0).value().unsqueeze(2).expand({1, 3, 4})) < 1e-12);
}

// --- differential ---
// Each half of queries and keys is rotated by itself, so the weights are the difference of two ordinary attentions.
PROPERTY(halves_are_turned_apart) {
  for (const char* position : {"rope_interleaved", "rope", "rope_mixed:2"}) {
    auto attention = [&](int64_t width, const char* evaluator) {
      nn::AttentionOptions o{.score = {.name = "scaled_dot", .query = width, .key = width},
                             .position = nn::stage_from(nn::Kind::position, position)};
      o.evaluator.name = evaluator;
      return made<nn::Attention>(o, kF64);
    };
    auto whole = attention(8, "differential"), half = attention(4, "dense");
    if (auto* mixed = dynamic_cast<nn::RopeMixed*>(half.position.get()))
      mixed->frequencies.set_value(dynamic_cast<nn::RopeMixed&>(*whole.position).frequencies.value());
    Variable q = leaf({2, 4, 8}, 1, kF64), k = leaf({2, 5, 8}, 2, kF64);
    auto ordinary = [&](int64_t begin) {
      Variable keys = slice(k, -1, begin, begin + 4);
      return half(slice(q, -1, begin, begin + 4), half.remember(keys, keys)).weights;
    };
    Variable share = dynamic_cast<nn::DifferentialEvaluator&>(*whole.evaluator).lambda();
    Variable wanted = ordinary(0) - share * ordinary(4), seen = whole(q, whole.remember(k, k)).weights;
    CHECK(max_abs_difference(seen.value(), wanted.value()) < 1e-12);
  }
}

// --- external ---
// Exchanging two heads, in the projections before and after the memory, changes nothing: all heads share one memory.
PROPERTY(heads_share_one_memory) {
  auto made = small_mixer("external:memories=3,widening=2");
  auto& m = dynamic_cast<nn::ExternalMixer&>(*made);
  CHECK(m.heads == 4);
  REQUIRE(m.memory_values.weight.shape() == Shape{2, 3});
  Variable x = small_sentences(5);
  Tensor before = m(x, {}).output.value(), order = Tensor::from(std::vector<int64_t>{4, 5, 2, 3, 0, 1, 6, 7}, {8});
  m.in_proj.weight.set_value(index_select(m.in_proj.weight.value(), 0, order));
  m.in_proj.bias.set_value(index_select(m.in_proj.bias.value(), 0, order));
  CHECK(max_abs_difference(m(x, {}).output.value(), before) > 1e-6);
  m.out_proj.weight.set_value(index_select(m.out_proj.weight.value(), 1, order));
  CHECK(max_abs_difference(m(x, {}).output.value(), before) < 1e-14);
}

}  // namespace
}  // namespace heed::nn_test
