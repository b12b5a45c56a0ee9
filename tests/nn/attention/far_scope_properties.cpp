// What scopes hold that learn how far they reach, or reach everywhere from a few places.
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/adaptive_span.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/penalties.h"
#include "tensor/compare.h"
#include "tensor/profile.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::Places;

// Spans of the given shares of S, one for each head.
nn::AdaptiveSpanScope span_of(const std::vector<double>& shares, double S, double R) {
  nn::ScopeOptions o{.name = "adaptive_span",
                     .settings = {{"window", S}, {"ramp", R}, {"penalty", 0.5}},
                     .heads = static_cast<int64_t>(shares.size())};
  nn::AdaptiveSpanScope scope = make<nn::AdaptiveSpanScope>(o, 1);
  Tensor b = Tensor::empty(scope.span.shape(), kF64);
  for (size_t h = 0; h < shares.size(); ++h) b.set({static_cast<int64_t>(h)}, std::log(shares[h] / (1 - shares[h])));
  nn::convert(scope, kF64);
  scope.span.set_value(b);
  return scope;
}
nn::Restriction answer(const nn::Scope& scope, const Places& places, int64_t heads = 0) {
  nn::StageContext context{.places = places, .heads = heads};
  return scope(Variable(Tensor::zeros({1, places.queries, 1}, kF64)), {}, context);
}

// With a span of the whole sentence nothing is cut off, and it is full attention.
PROPERTY(full_span_is_full_attention) {
  nn::AttentionOptions o = small_options(entry), all = o;
  o.scope.settings["window"] = 4, all.scope = {.name = "global"};
  nn::Attention spanned = make<nn::Attention>(o, 1), whole = make<nn::Attention>(all, 1);
  nn::convert(spanned, kF64), nn::convert(whole, kF64);
  static_cast<nn::AdaptiveSpanScope&>(*spanned.scope).span.set_value(Tensor::full({1}, 60, kF64));
  Ask ask = small_ask();
  for (const Tensor& lengths : {Tensor(), Tensor::from(std::vector<int64_t>{5, 3}, {2})}) {
    Tensor wanted = whole(ask.query, whole.remember(ask.keys, ask.values, lengths)).context.value();
    Tensor seen = spanned(ask.query, spanned.remember(ask.keys, ask.values, lengths)).context.value();
    CHECK(max_abs_difference(seen, wanted) < 1e-14);
  }
}

// A key counts fully within the span, less and less along the ramp, and not at all beyond it.
PROPERTY(ramp_values) {
  nn::Restriction r = answer(span_of({.5}, 8, 4), {.queries = 1, .keys = 19, .first_query = 9});  // z = 4
  const std::vector<double> wanted{1, 1, 1, 1, 1, .75, .5, .25, 0, 0};                            // of x = 0, 1, ..
  for (int64_t s = 0; s < 19; ++s)
    CHECK(r.factor.value().at({0, 0, s}) == doctest::Approx(wanted[size_t(std::abs(s - 9))]).epsilon(1e-14));
  CHECK(r.left == 8);
  CHECK(r.right == 8);
  CHECK(r.renormalise);
  CHECK(span_of({.5}, 8, 4).reach() == 8);
  Tensor rows = Tensor::from(std::vector<int64_t>{0, 1, 2, 0, 0, 1}, {2, 3});  // places of their own for each sentence
  nn::Restriction own = answer(span_of({.5}, 2, 1), {.queries = 3, .keys = 3, .query_at = rows, .key_at = rows});
  CHECK(own.factor.shape() == Shape{2, 3, 3});
  CHECK(own.factor.value().at({0, 0, 2}) == 0);
  CHECK(own.factor.value().at({1, 0, 2}) == 1);
}

// Only keys on the ramp pass a gradient to the learned span, so without a ramp no span could learn.
PROPERTY(only_the_ramp_has_a_gradient) {
  // dz = 1 / R on the ramp, z < x < z + R, and 0 before and after it.
  nn::AdaptiveSpanScope scope = span_of({10.5 / 20}, 20, 4);
  nn::Restriction r = answer(scope, {.queries = 1, .keys = 20, .first_query = 19});
  double slope = 20 * (10.5 / 20) * (9.5 / 20) / 4;  // dz / db times 1 / R
  for (int64_t s = 0; s < 20; ++s) {
    int64_t x = 19 - s;
    double db = grad({select(select(r.factor, 2, s), 1, 0)}, {scope.span}, {.retain_graph = true})[0].item();
    CHECK(db == doctest::Approx(x > 10 && x < 15 ? slope : 0).epsilon(1e-12));
  }
}

// Each head has a span of its own, and each span gets a gradient.
PROPERTY(a_span_of_each_head) {
  nn::Restriction r = answer(span_of({.25, .75}, 8, 2), {.queries = 5, .keys = 6}, 2);  // z = 2 and 6
  REQUIRE(r.factor.shape() == Shape{1, 2, 5, 6});
  CHECK(r.factor.value().at({0, 0, 0, 3}) == doctest::Approx(.5));
  CHECK(r.factor.value().at({0, 0, 0, 5}) == 0);
  CHECK(r.factor.value().at({0, 1, 0, 5}) == 1);
  nn::MultiHeadOptions o{.model = 4, .heads = 2};
  o.scope = {.name = "adaptive_span", .settings = {{"window", 4}, {"ramp", 2}}};
  auto m = make<nn::MultiHeadAttention>(o, 1);
  nn::convert(m, kF64);
  backward(weighted_sum(m(leaf({2, 6, 4}, 1, kF64)).output));
  int found = 0;
  for (const auto& p : nn::named_parameters(m))
    if (p.name == "scope.span") {
      ++found;
      CHECK(p.variable.shape() == Shape{2});
      for (double g : p.variable.grad().to_vector()) CHECK(g != 0);
    }
  CHECK(found == 1);
}

// The penalty that is added to the loss grows with the mean span of the heads, so training shortens spans that
// do not help.
PROPERTY(penalty_is_the_mean_span) {
  nn::AdaptiveSpanScope scope = span_of({.25, .75}, 8, 2);
  nn::Penalties penalties;
  answer(scope, {.queries = 3, .keys = 3}, 2);
  CHECK(penalties.values().at("adaptive_span") == doctest::Approx(0.5 * (2 + 6) / 2));
  backward(penalties.total());
  for (double g : scope.span.grad().to_vector()) CHECK(g == doctest::Approx(0.5 * 8 * .25 * .75 / 2));
}

nn::ScopeOptions longformer(double window, double tokens) {
  return {.name = "longformer", .settings = {{"window", window}, {"global", tokens}}};
}
Tensor longformer_mask(double window, double tokens, const Places& places) {
  Generator rng(1);
  return nn::mask_of(answer(*nn::make_scope(longformer(window, tokens), rng), places), places);
}

// If all words are global, or the window covers the sentence, it is full attention, bit by bit.
PROPERTY(all_global_is_full_attention) {
  nn::AttentionOptions o = small_options(entry), all = o;
  all.scope = {.name = "global"};
  for (auto [window, tokens] : {std::pair{0.0, 5.0}, {4.0, 0.0}}) {
    o.scope = longformer(window, tokens);
    nn::Attention some = make<nn::Attention>(o, 1), whole = make<nn::Attention>(all, 1);
    Ask ask = small_ask();
    nn::Attended a = some(ask.query, some.remember(ask.keys, ask.values)),
                 b = whole(ask.query, whole.remember(ask.keys, ask.values));
    CHECK(bit_equal(a.context.value(), b.context.value()));
    CHECK(bit_equal(a.weights.value(), b.weights.value()));
  }
}

// A global word reads every word and is read by every word; all others read their window, also when words are cached.
PROPERTY(global_words_see_and_are_seen) {
  for (int64_t first : {0, 3}) {  // cached words: the places of the queries count, not their rows
    Tensor m = longformer_mask(1, 2, {.queries = 6, .keys = 9, .first_query = first});
    for (int64_t t = 0; t < 6; ++t)
      for (int64_t s = 0; s < 9; ++s) CHECK(m.at({t, s}) == (std::abs(first + t - s) <= 1 || first + t < 2 || s < 2));
  }
  Tensor rows = Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 7, 8, 9, 0}, {2, 4});
  Tensor m = longformer_mask(0, 1, {.queries = 4, .keys = 4, .query_at = rows, .key_at = rows});
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t s = 0; s < 4; ++s) {
        int64_t global = b == 0 ? 0 : 3;
        CHECK(m.at({b, t, s}) == (t == s || t == global || s == global));
      }
}

// The list of blocks leaves out no allowed pair and has no block without one, for sizes that do not divide
// the text too.
PROPERTY(blocks_hold_what_is_allowed) {
  for (auto [T, S, first] : {std::tuple<int64_t, int64_t, int64_t>{300, 300, 0}, {70, 330, 260}, {200, 90, 0}})
    for (int64_t D : {0, 1, 3, 65, 100})
      for (int64_t g : {0, 1, 70}) {
        Places places{.queries = T, .keys = S, .first_query = first};
        Generator rng(1);
        auto scope = nn::make_scope(longformer(static_cast<double>(D), static_cast<double>(g)), rng);
        nn::Restriction r = answer(*scope, places);
        int64_t size = r.blocks.size, columns = (S + size - 1) / size;
        std::vector<int> some(static_cast<size_t>((T + size - 1) / size * columns));
        const bool* allowed = r.allowed.data<bool>();
        for (int64_t t = 0; t < T; ++t)
          for (int64_t s = 0; s < S; ++s)
            if (allowed[t * S + s]) some[static_cast<size_t>(t / size * columns + s / size)] = 1;
        CHECK(r.blocks.keep.to_vector() == std::vector<double>(some.begin(), some.end()));
      }
}

// Twice the words are twice the multiply-adds, forward and back, and the result is that of dense attention
// under the mask.
PROPERTY(work_grows_with_the_length) {
  auto built = [](const char* evaluator) {
    nn::MultiHeadOptions o{.model = 8, .heads = 2, .bias = false, .scope = longformer(20, 2)};
    o.evaluator.name = evaluator;
    auto m = make<nn::MultiHeadAttention>(o, 1);
    nn::convert(m, kF64);
    return m;
  };
  auto tiled = built("tiled"), dense = built("dense");
  auto work = [&](int64_t T) {
    Profile profile;
    backward(weighted_sum(tiled(leaf({1, T, 8}, 1, kF64)).output));
    double total = 0;
    for (const ProfileRow& row : profile.rows())
      if (row.operation.rfind("tiled_attention", 0) == 0) total += row.work;
    return total;
  };
  double one = work(512), two = work(1024), four = work(2048);
  CHECK(one > 0);
  CHECK((four - two) / (two - one) == doctest::Approx(2).epsilon(0.01));
  CHECK(four < 5 * one);  // of all pairs it would be 16
  Variable x = leaf({2, 150, 8}, 2, kF64), y = leaf(x.value());
  Tensor words = Tensor::ones({2, 150}, DType::f64);
  for (int64_t s = 100; s < 150; ++s) words.set({1, s}, 0);
  nn::HeadMasks masks{.words = not_equal(words, 0)};
  Variable a = tiled(x, masks).output, b = dense(y, masks).output;
  CHECK(max_abs_difference(a.value(), b.value()) < 1e-10);
  nn::zero_grad(tiled), nn::zero_grad(dense);
  backward(weighted_sum(a)), backward(weighted_sum(b));
  CHECK(max_abs_difference(x.grad(), y.grad()) < 1e-10);
  std::vector<Tensor> of_tiled = gradients(tiled), of_dense = gradients(dense);
  for (size_t i = 0; i < of_tiled.size(); ++i) CHECK(max_abs_difference(of_tiled[i], of_dense[i]) < 1e-10);
}

}  // namespace
}  // namespace heed::nn_test
