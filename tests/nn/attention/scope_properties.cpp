// What each scope holds beyond the properties of all scopes.
#include <cmath>
#include <cstdlib>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/local_p.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;
using nn::Places;
using nn::ScopeOptions;

Tensor lengths(const std::vector<int64_t>& n) { return Tensor::from(n, {static_cast<int64_t>(n.size())}); }

Tensor mask_of(const ScopeOptions& options, const Places& places) {
  Generator rng(1);
  nn::StageContext context{.places = places};
  Variable query(Tensor::zeros({1, places.queries, 1}));
  return nn::mask_of((*nn::make_scope(options, rng))(query, {}, context), places);
}
nn::Restriction answer(const nn::Scope& scope, const Variable& query, const Places& places) {
  nn::StageContext context{.places = places};
  return scope(query, {}, context);
}
Seen with_scope(const ScopeOptions& scope, const Ask& ask) {
  nn::CatalogueEntry entry = nn::catalogue_entry("C1");
  nn::AttentionOptions o = small_options(entry);
  o.scope = scope;
  Generator rng(1);
  nn::Attention attention(o, rng);
  nn::convert(attention, kF64);
  nn::Attended seen = attention(ask.query, attention.remember(ask.keys, ask.values, ask.lengths));
  return {seen.context, seen.weights};
}

// No key is masked: every query gives each of them a positive weight.
PROPERTY(nothing_is_masked) {
  CHECK_FALSE(mask_of({.name = "global"}, {.queries = 3, .keys = 5}).defined());
  for (double w : subject_of(entry)(small_ask()).weights.value().to_vector()) CHECK(w > 0);
}

// A query reads the keys within the window around its place; all others have the weight 0.
PROPERTY(nothing_outside_the_window) {
  Tensor places = Tensor::arange(6).unsqueeze(0);
  const Places counted{.queries = 6, .keys = 6}, given{.queries = 6, .keys = 6, .query_at = places, .key_at = places};
  for (int64_t D : {0, 1, 3})
    for (const Places& p : {counted, given}) {
      Tensor m = mask_of({.name = "local_m", .settings = {{"window", D}}}, p);
      for (int64_t t = 0; t < 6; ++t)
        for (int64_t s = 0; s < 6; ++s) CHECK(m.at({0, t, s}) == (std::abs(t - s) <= D ? 1 : 0));
    }
  Ask ask = small_ask();
  Tensor w = with_scope({.name = "local_m", .settings = {{"window", 1}}}, ask).weights.value();
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t s = 0; s < 5; ++s) CHECK((w.at({0, t, s}) == 0) == (std::abs(t - s) > 1));
}

// A window that covers the sentence is global attention, bit by bit.
PROPERTY(wide_window_is_global) {
  Ask ask = small_ask();
  ask.lengths = lengths({5, 3});
  Seen all = with_scope({.name = "global"}, ask),
       local = with_scope({.name = "local_m", .settings = {{"window", 5}}}, ask);
  CHECK(bit_equal(all.context.value(), local.context.value()));
  CHECK(bit_equal(all.weights.value(), local.weights.value()));
}

// A query beyond the end of a short source reads the last word instead of none.
PROPERTY(never_empty) {
  Places place{.queries = 9, .keys = 5, .first_query = 3, .lengths = lengths({5, 2})};
  Tensor m = mask_of({.name = "local_m", .settings = {{"window", 0}}}, place);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 9; ++t) {
      int64_t last = b == 0 ? 4 : 1;
      for (int64_t s = 0; s < 5; ++s) CHECK(m.at({b, t, s}) == (s == std::min(3 + t, last) ? 1 : 0));
    }
}

// A scope whose centre is `share` of the source, for every query.
nn::LocalPScope centred(double share, int64_t D) {
  nn::LocalPScope scope = make<nn::LocalPScope>({.name = "local_p", .query = 1, .settings = {{"window", D}}}, 1);
  scope.hidden.weight.set_value(Tensor::full({1, 1}, 1, kF64));
  scope.v.weight.set_value(Tensor::full({1, 1}, std::log(share / (1 - share)) / std::tanh(1.0), kF64));
  return scope;
}

// The factor is 1 at the centre and falls as a Gaussian to the edge of the window, beyond which nothing is read.
PROPERTY(gaussian_values) {
  // 1 at the centre, e^-1/2 half-way, e^-2 at the edge, for every D; beyond it nothing.
  for (int64_t D : {2, 4, 10}) {
    CAPTURE(D);
    nn::Restriction seen =
        answer(centred(0.5, D), Tensor::ones({1, 1, 1}, kF64), {.queries = 1, .keys = 40});  // p = 20
    auto factor = [&](int64_t s) { return seen.factor.value().at({0, 0, s}); };
    CHECK(factor(20) == doctest::Approx(1).epsilon(1e-9));
    CHECK(factor(20 + D / 2) == doctest::Approx(.606531).epsilon(1e-6));
    CHECK(factor(20 - D) == doctest::Approx(.135335).epsilon(1e-5));
    for (int64_t s = 0; s < 40; ++s) CHECK(seen.allowed.at({0, 0, s}) == (std::abs(s - 20) <= D ? 1 : 0));
  }
  nn::Restriction odd =
      answer(centred(0.26, 2), Tensor::ones({1, 1, 1}, kF64), {.queries = 1, .keys = 10});  // p = 2.6, window at 3
  CHECK(odd.allowed.to_vector() == std::vector<double>{0, 1, 1, 1, 1, 1, 0, 0, 0, 0});
  CHECK(odd.factor.value().at({0, 0, 3}) == doctest::Approx(std::exp(-0.4 * 0.4 / 2)).epsilon(1e-9));
}

// The predicted centre is always within the sentence, however large the query.
PROPERTY(centre_is_inside) {
  nn::LocalPScope scope = make<nn::LocalPScope>({.name = "local_p", .query = kWidth, .settings = {{"window", 2}}}, 1);
  nn::convert(scope, kF64);
  Variable q(mul(random({2, 50, kWidth}, 3, kF64), 10));
  Tensor p = scope.centre(q, {.queries = 50, .keys = 9, .lengths = lengths({9, 4})}).value();
  for (int64_t b = 0; b < 2; ++b)
    for (double x : p.select(0, b).to_vector()) CHECK((x > 0 && x < (b == 0 ? 9 : 4)));
}

// The parameters that predict the centre get a gradient, so the centre is learned.
PROPERTY(gradient_reaches_the_centre) {
  Seen seen = subject_of(entry)(small_ask());
  backward(weighted_sum(seen.context));
  int found = 0;
  for (const auto& p : seen.parameters)
    if (p.name == "scope.v.weight" || p.name == "scope.hidden.weight") {
      ++found;
      REQUIRE(p.variable.grad().defined());
      CHECK_FALSE(all_zero(p.variable.grad()));
    }
  CHECK(found == 2);
}

// The weights of a query sum to at most 1, since the Gaussian comes after the softmax.
PROPERTY(rows_sum_to_at_most_one) {
  Ask ask = small_ask();
  ask.lengths = lengths({5, 3});
  for (double total : sum(subject_of(entry)(ask).weights.value(), {-1}).to_vector()) {
    CHECK(total > 0);
    CHECK(total < 1);  // only one key exactly at its centre would give 1
  }
}

// Each layer adds a window: a word depends exactly on those within as many windows as there are layers.
PROPERTY(receptive_field_grows_by_one_window_a_layer) {
  // L layers of self-attention with windows of D on each side: position i sees j exactly if |i - j| <= L D.
  constexpr int64_t T = 13;
  for (int64_t D : {1, 2})
    for (int64_t L : {1, 2, 3}) {
      Variable x = leaf({1, T, kWidth}, 5, kF64), h = x;
      for (int64_t layer = 0; layer < L; ++layer)
        h = with_scope({.name = "window", .settings = {{"window", D}}}, {.query = h, .keys = h, .values = h}).context;
      for (int64_t i = 0; i < T; ++i) {
        Tensor dx = grad({weighted_sum(select(h, 1, i))}, {x}, {.retain_graph = true})[0].value();
        for (int64_t j = 0; j < T; ++j) CHECK(all_zero(dx.select(1, j)) == (std::abs(i - j) > L * D));
      }
    }
}

// With a gap of one it is the plain window: leaving keys out is all that was added.
PROPERTY(gap_one_is_window) {
  for (int64_t first : {0, 4}) {
    Places place{.queries = 5, .keys = 9, .first_query = first};
    for (int64_t D : {0, 1, 3})
      CHECK(mask_of({.name = "dilated", .settings = {{"window", D}, {"gap", 1}}}, place).to_vector() ==
            mask_of({.name = "window", .settings = {{"window", D}}}, place).to_vector());
  }
}

// The keys that are read are whole numbers of gaps away, on both sides, and there are no others.
PROPERTY(keys_stand_a_gap_apart) {
  Tensor m = mask_of({.name = "dilated", .settings = {{"window", 2}, {"gap", 3}}}, {.queries = 20, .keys = 20});
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      bool wanted = i - j == -6 || i - j == -3 || i == j || i - j == 3 || i - j == 6;
      CHECK(m.at({i, j}) == (wanted ? 1 : 0));
    }
}

// A word reads itself and the words before it, and nothing later.
PROPERTY(itself_and_nothing_later) {
  CHECK(mask_of({.name = "causal"}, {.queries = 3, .keys = 3}).to_vector() ==
        std::vector<double>{1, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK(causal_under_causal_scope(subject_of(entry)) == "");
}

// With earlier words cached, the diagonal of the mask is further to the right by their number.
PROPERTY(a_cache_shifts_the_diagonal) {
  CHECK(mask_of({.name = "causal"}, {.queries = 2, .keys = 4, .first_query = 2}).to_vector() ==
        std::vector<double>{1, 1, 1, 0, 1, 1, 1, 1});
  Variable x = leaf({2, 6, kWidth}, 5, kF64);
  Generator rng(1);
  nn::AttentionOptions o = small_options(nn::catalogue_entry("C11"));
  nn::Attention attention(o, rng);
  nn::Memory memory = attention.remember(x, x);
  Tensor whole = attention(x, memory).context.value();
  nn::AlignmentState state{.position = 4};
  Tensor end = attention(slice(x, 1, 4, 6), memory, state).context.value();
  CHECK(max_abs_difference(end, whole.slice(1, 4, 6)) < 1e-12);
}

// Padding is masked among the keys, not among the queries, which a mask along the wrong axis would do.
PROPERTY(keys_are_masked_not_queries) {
  Ask ask = small_ask();
  ask.query = leaf({2, 5, kWidth}, 9, kF64);  // as many queries as keys: a mask of the wrong axis would fit
  ask.lengths = lengths({5, 3});
  Tensor w = subject_of(entry)(ask).weights.value();
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t s = 0; s < 5; ++s) CHECK((w.at({1, t, s}) == 0) == (s >= 3));
}

// A sentence in a padded batch gets the context that it gets alone.
PROPERTY(a_batch_is_its_sentences_alone) {
  Ask ask = small_ask();
  ask.lengths = lengths({5, 3});
  Tensor together = subject_of(entry)(ask).context.value();
  Ask alone{.query = slice(ask.query, 0, 1, 2),
            .keys = slice(slice(ask.keys, 0, 1, 2), 1, 0, 3),
            .values = slice(slice(ask.values, 0, 1, 2), 1, 0, 3)};
  CHECK(max_abs_difference(subject_of(entry)(alone).context.value(), together.slice(0, 1, 2)) < 1e-12);
}

}  // namespace
}  // namespace heed::nn_test
