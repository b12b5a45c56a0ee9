// The catalogue's scopes: C1 to C5, C7, C11, C13 and C15, and the patterns of registry_pattern_scopes.cpp. Each draws
// itself by the code that it is made of.
#include <algorithm>
#include <cmath>

#include "nn/attention/growth.h"
#include "nn/attention/registry.h"
#include "nn/attention/registry_pattern_scopes.h"
#include "nn/attention/scopes/adaptive_span.h"
#include "nn/attention/scopes/local_m.h"
#include "nn/attention/scopes/local_p.h"
#include "nn/attention/scopes/longformer.h"
#include "nn/attention/scopes/masks_by_place.h"
#include "nn/recurrent/padding.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Tensor picture_of(const ScopeOptions& options, const Places& m) {
  Generator rng(1);
  StageContext context{.places = m};
  Variable query(Tensor::zeros({1, m.queries, 1}));
  Tensor allowed = mask_of((*make_scope(options, rng))(query, {}, context), m);
  if (!allowed.defined()) return Tensor::ones({m.queries, m.keys}, DType::f64);
  return allowed.reshape({m.queries, m.keys}).to(DType::f64);
}

namespace {

Tensor global(const Places& m) { return picture_of({.name = "global"}, m); }
Tensor window(const Places& m) { return picture_of({.name = "window", .settings = {{"window", 2}}}, m); }
Tensor dilated(const Places& m) { return picture_of({.name = "dilated", .settings = {{"window", 1}, {"gap", 2}}}, m); }
Tensor longformer(const Places& m) {
  return picture_of({.name = "longformer", .settings = {{"window", 2}, {"global", 2}}}, m);
}
Tensor causal(const Places& m) { return picture_of({.name = "causal"}, m); }

// Queries whose centres p_t lie along the diagonal: p_t = S sigmoid(8 tanh q_t) = S (t + 1/10) / T.
Tensor local_p(const Places& m) {
  Generator rng(1);
  LocalPScope scope({.name = "local_p", .query = 1, .settings = {{"window", 3}}}, rng);
  scope.hidden.weight.set_value(Tensor::full({1, 1}, 1, DType::f64));
  scope.v.weight.set_value(Tensor::full({1, 1}, 8, DType::f64));
  Tensor query = Tensor::empty({1, m.queries, 1}, DType::f64);
  for (int64_t t = 0; t < m.queries; ++t) {
    double share = (static_cast<double>(t) + 0.1) / static_cast<double>(m.queries);
    query.set({0, t, 0}, std::atanh(std::log(share / (1 - share)) / 8));
  }
  StageContext context{.places = m};
  Restriction seen = scope(query, {}, context);
  return mul(seen.allowed.to(DType::f64), seen.factor.value()).reshape({m.queries, m.keys});
}

// Spans of 2 words in 4, then a ramp of 3.
Tensor adaptive_span(const Places& m) {
  Generator rng(1);
  AdaptiveSpanScope scope({.settings = {{"window", 4}, {"ramp", 3}, {"penalty", 0}}}, rng);
  StageContext context{.places = m};
  Restriction seen = scope(Variable(Tensor::zeros({1, m.queries, 1})), {}, context);
  Tensor within = mask_of(seen, m).to(DType::f32);
  return mul(within, seen.factor.value()).reshape({m.queries, m.keys}).to(DType::f64);
}

// A source whose last quarter is padding.
Tensor padded(const Places& m) { return Tensor::full({1}, static_cast<double>(m.keys - m.keys / 4), DType::i64); }

Tensor padding(const Places& m) {
  return length_mask(padded(m), m.keys).expand({m.queries, m.keys}).contiguous().to(DType::f64);
}

// With the same source, to show that the windows stay at its last word.
Tensor local_m(const Places& m) {
  Places places = m;
  places.lengths = padded(m);
  return mul(picture_of({.name = "local_m", .settings = {{"window", 2}}}, places), padding(m));
}

}  // namespace

std::vector<CatalogueEntry> scope_entries() {
  const std::string luong = "Luong, Pham and Manning, EMNLP 2015";
  const std::map<std::string, std::string> places = {
      {"keys_may_be_permuted", "a key's position decides which queries may attend to it"},
      {"queries_may_be_permuted", "a query's position decides which keys it may attend to"}};
  auto dot_with = [](const ScopeOptions& scope) { return AttentionOptions{.score = {.name = "dot"}, .scope = scope}; };
  std::vector<CatalogueEntry> all = {
      {.id = "C1",
       .name = "global",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "every key",
       .paper = luong,
       .year = 2015,
       .tier = 1,
       .shapes = "no mask",
       .cost = "T S scores",
       .own = {"nothing_is_masked"},
       .options = dot_with({.name = "global"}),
       .cases = "Attention dot",
       .default_for = {Role::stage},
       .scope = made_as<Scope, GlobalScope>,
       .picture = global},
      {.id = "C2",
       .also = {"monotonic local attention"},
       .name = "local_m",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "|s - t| <= D; after the source's end the window is centred at its last word",
       .paper = luong,
       .year = 2015,
       .tier = 1,
       .shapes = "mask [B, T, S]",
       .cost = "T (2 D + 1) scores have an effect",
       .own = {"nothing_outside_the_window", "wide_window_is_global", "never_empty"},
       .exempt = places,
       .options = dot_with({.name = "local_m"}),
       .settings = {{"window", 10, "D, keys on each side", 0, 1e9}},
       .scope = made_as<Scope, LocalMScope>,
       .picture = local_m},
      {.id = "C3",
       .also = {"predictive local attention"},
       .name = "local_p",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "p = S sigmoid(v . tanh(W q));  w = softmax(e)_s exp(-(s - p)^2 / (2 sigma^2)), sigma = D / 2",
       .paper = luong,
       .year = 2015,
       .tier = 1,
       .shapes = "q [B, T, Q], W [Q, Q], v [1, Q] -> mask and factor [B, T, S]",
       .cost = "T (2 D + 1) scores have an effect; Q (Q + 1) parameters",
       .own = {"gaussian_values", "centre_is_inside", "gradient_reaches_the_centre", "rows_sum_to_at_most_one"},
       .exempt = {{"rows_sum_to_one", "the rows are not normalised again after the Gaussian"},
                  {"constant_values_are_read", "the rows sum to less than 1"},
                  {"keys_may_be_permuted", "a key's position decides its factor"}},
       .options = dot_with({.name = "local_p"}),
       .settings = {{"window", 10, "D, keys on each side; the Gaussian has sigma = D / 2", 1, 1e9}},
       .scope = made_as<Scope, LocalPScope>,
       .picture = local_p},
      {.id = "C4",
       .also = {"sliding window"},
       .name = "window",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "|i - j| <= D",
       .paper = "Child et al., 2019; Beltagy, Peters and Cohan, 2020",
       .year = 2019,
       .tier = 1,
       .shapes = "mask [T, S]",
       .cost = "T (2 D + 1) scores have an effect",
       .own = {"receptive_field_grows_by_one_window_a_layer", kLinearCost},
       .exempt = places,
       .options = dot_with({.name = "window"}),
       .settings = {{"window", 10, "D, keys on each side", 0, 1e9}},
       .scope = made_as<Scope, WindowScope>,
       .picture = window},
      {.id = "C5",
       .name = "dilated",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "i - j = m g for some |m| <= D",
       .paper = "Beltagy, Peters and Cohan, 2020 (Longformer)",
       .year = 2020,
       .tier = 1,
       .shapes = "mask [T, S]",
       .cost = "T (2 D + 1) scores have an effect; a mask of T S bytes",
       .own = {"gap_one_is_window", "keys_stand_a_gap_apart", kLinearCost},
       .exempt = places,
       .options = dot_with({.name = "dilated"}),
       .settings = {{"window", 10, "D, keys on each side", 0, 1e9},
                    {"gap", 2, "g, the distance between neighbouring keys", 1, 1e9}},
       .scope = made_as<Scope, DilatedScope>,
       .picture = dilated},
      {.id = "C7",
       .also = {"sliding window with global tokens", "BigBird without its random blocks"},
       .name = "longformer",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "|i - j| <= D or i < g or j < g",
       .paper = "Beltagy, Peters and Cohan, 2020 (Longformer)",
       .year = 2020,
       .tier = 2,
       .shapes = "mask [T, S], blocks [T / 64, S / 64]",
       .cost = "T (2 D + 1) + 2 g T scores count; a mask of T S bytes",
       .own = {"all_global_is_full_attention", "global_words_see_and_are_seen", "work_grows_with_the_length",
               "blocks_hold_what_is_allowed", kLinearCost},
       .exempt = places,
       .options = dot_with({.name = "longformer"}),
       .settings = {{"window", 256, "D, keys on each side", 0, 1e9},
                    {"global", 1, "g, the first words: they see all words and are seen by all", 0, 1e9}},
       .scope = made_as<Scope, LongformerScope>,
       .picture = longformer},
      {.id = "C11",
       .also = {"autoregressive", "masked self-attention"},
       .name = "causal",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "j <= i",
       .paper = "Vaswani et al., NeurIPS 2017",
       .year = 2017,
       .tier = 1,
       .shapes = "mask [T, S]",
       .cost = "T (T + 1) / 2 scores have an effect",
       .own = {"itself_and_nothing_later", "a_cache_shifts_the_diagonal"},
       .exempt = places,
       .options = dot_with({.name = "causal"}),
       .default_for = {Role::causal},
       .scope = made_as<Scope, CausalScope>,
       .picture = causal},
      {.id = "C13",
       .also = {"key padding mask"},
       .name = "padding",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "s < length of the source",
       .paper = "no single paper: used in every batch of sentences of different lengths since Bahdanau et al., 2015",
       .year = 2015,
       .tier = 1,
       .shapes = "lengths [B] -> mask [B, 1, S]",
       .cost = "T (length) scores have an effect",
       .own = {"keys_are_masked_not_queries", "a_batch_is_its_sentences_alone"},
       .options = dot_with({.name = "global"}),
       .cases = "Attention dot",
       .picture = padding},
      {.id = "C15",
       .also = {"adaptive attention span"},
       .name = "adaptive_span",
       .kind = Kind::scope,
       .family = "scopes",
       .formula = "w = softmax(e) m(|i - j|) / sum, m(x) = clamp((R + z - x) / R, 0, 1), z = S sigmoid(b) of each head",
       .paper = "Sukhbaatar et al., ACL 2019",
       .year = 2019,
       .tier = 2,
       .shapes = "b [H] -> factor [H, T, S]",
       .cost = "T (2 S + 1) scores count, H T S factors; H parameters",
       .own = {"full_span_is_full_attention", "ramp_values", "only_the_ramp_has_a_gradient", "a_span_of_each_head",
               "penalty_is_the_mean_span"},
       .exempt = places,
       .options = dot_with({.name = "adaptive_span"}),
       .settings = {{"window", 1024, "S, the largest span", 1, 1e9},
                    {"ramp", 32, "R, words from full weight to none", 1, 1e6},
                    {"penalty", 2e-6, "weight of the mean span in the loss", 0, 1e6, false}},
       .scope = made_as<Scope, AdaptiveSpanScope>,
       .picture = adaptive_span},
  };
  for (CatalogueEntry& entry : pattern_scope_entries()) all.push_back(std::move(entry));
  auto number = [](const CatalogueEntry& e) { return std::stoi(e.id.substr(1)); };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return all;
}

}  // namespace heed::nn
