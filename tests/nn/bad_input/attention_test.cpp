// What attention refuses: unknown names, widths that do not fit, masks, combinations that mathematics forbids.
#include <fmt/ranges.h>

#include <functional>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/feature_wise.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
void build(const nn::AttentionOptions& options) { nn::Attention(options, dice); }
nn::ScoreOptions dots(int64_t width) { return {.name = "dot", .query = width, .key = width}; }

// What f throws, with the names of all stages of a kind written as "all of them": a new row of the registry is one
// more.
void listing(nn::Kind kind, const std::function<void()>& f) {
  try {
    f();
  } catch (const ValueError& error) {
    std::string text = error.what(), names = fmt::format("{}", fmt::join(nn::stage_names(kind), ", "));
    if (size_t at = text.find(names); at != std::string::npos) text.replace(at, names.size(), "all of them");
    throw ValueError(text);
  }
}
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: attention") {
    refuses<ValueError>("attention: no score of this name; got `inner`; there are all of them",
                        [] { listing(nn::Kind::score, [] { build({.score = {.name = "inner"}}); }); });
    refuses<ValueError>("attention: no scope of this name; got `local`; there are all of them", [] {
      listing(nn::Kind::scope, [] { build({.score = dots(2), .scope = {.name = "local"}}); });
    });
    refuses<ValueError>("attention: no normaliser of this name; got `max`; there are all of them", [] {
      listing(nn::Kind::normaliser, [] { build({.score = dots(2), .normaliser = {.name = "max"}}); });
    });
    refuses<ValueError>(
        "attention: a scope that scales the weights needs a normaliser that spreads them; got local_p with gumbel; use "
        "a mask",
        [] { build({.score = dots(2), .scope = {.name = "local_p"}, .normaliser = {.name = "gumbel"}}); });
    refuses<ShapeError>(
        "scaled_dot: queries and keys must have one width; got 3 and 4; the score `general` joins unequal ones",
        [] { build({.score = {.name = "scaled_dot", .query = 3, .key = 4}}); });
    refuses<ShapeError>("cosine: queries and keys must have one width; got 3 and 4",
                        [] { build({.score = {.name = "cosine", .query = 3, .key = 4}}); });
    refuses<ValueError>("cosine: sharpness must be a number in [1e-06, 1000000]; got 0", [] {
      build({.score = {.name = "cosine", .query = 3, .key = 3, .settings = {{"sharpness", 0}}}});
    });
    refuses<ValueError>("additive: width must be an integer in [0, 16384]; got -2", [] {
      build({.score = {.name = "additive", .query = 3, .key = 3, .settings = {{"width", -2}}}});
    });
    refuses<ValueError>("location: max_source must be an integer in [1, 16384]; got 0", [] {
      build({.score = {.name = "location", .query = 3, .key = 3, .settings = {{"max_source", 0}}}});
    });
    refuses<ShapeError>(
        "location: the table has a row for each of 2 positions; got a source of 3; hint: location:max_source=3", [] {
          nn::Attention a({.score = {.name = "location", .query = 2, .key = 2, .settings = {{"max_source", 2}}}}, dice);
          a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
        });
    refuses<ValueError>("local_p: window must be an integer in [1, 1000000000]; got 0", [] {
      build({.score = dots(2), .scope = {.name = "local_p", .settings = {{"window", 0}}}});
    });
    refuses<ValueError>("gumbel: temperature must be a number in [1e-06, 1000000000]; got -1", [] {
      build({.score = dots(2), .normaliser = {.name = "gumbel", .settings = {{"temperature", -1}}}});
    });
    auto scope = [](const char* text) { return nn::stage_from(nn::Kind::scope, text); };
    refuses<ValueError>(
        "attention: a setting must be a number; got `wide` in `window:wide`; hint: as in dilated:4,gap=2",
        [&] { scope("window:wide"); });
    refuses<ValueError>("window: no setting of this name; got `gap`; there are window",
                        [&] { scope("window:4,gap=2"); });
    refuses<ValueError>("global: no setting of this name; got `gap`; there are none", [] {
      build({.score = dots(2), .scope = {.name = "global", .settings = {{"gap", 1}}}});
    });
    refuses<ValueError>("causal: it has no settings; got `causal:3`", [&] { scope("causal:3"); });
    refuses<ValueError>("attention: no scope of this name; got `windw`; there are all of them; nearest: window",
                        [&] { listing(nn::Kind::scope, [&] { scope("windw:3"); }); });
    refuses<ValueError>("scope: | joins masks; got a scope that scales weights in `local_p|causal`; join it by &",
                        [&] { build({.score = dots(2), .scope = scope("local_p|causal")}); });
    refuses<ValueError>(
        "attention: the normaliser sinkhorn needs all queries together, later ones too; got the "
        "scope causal; hint: self-attention without a causal mask, as an encoder has",
        [] { build({.score = dots(2), .scope = {.name = "causal"}, .normaliser = {.name = "sinkhorn"}}); });
    refuses<ValueError>(
        "attention: the normaliser sinkhorn needs all queries together; got the score location_aware, which goes one "
        "query at a time",
        [] { build({.score = {.name = "location_aware", .query = 2, .key = 2}, .normaliser = {.name = "sinkhorn"}}); });
    refuses<ShapeError>(
        "matrix_tree: needs as many queries as keys, the words of one sentence; got scores [1, 1, 3]; hint: "
        "self-attention",
        [] {
          nn::Attention a({.score = dots(2), .normaliser = {.name = "matrix_tree"}}, dice);
          a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
        });
    refuses<ValueError>("entmax: a learned alpha must begin between 1.01 and 2; got 2; hint: 1.5", [] {
      build({.score = dots(2), .normaliser = {.name = "entmax", .settings = {{"alpha", 2}, {"learned", 1}}}});
    });
    refuses<ShapeError>("FeatureWiseAttention: values must be [B, S, 2]; got [1, 3, 4]", [] {
      nn::FeatureWiseAttention a({.query = 2, .key = 2, .value = 2}, dice);
      a(constant({1, 1, 2}), constant({1, 3, 2}), constant({1, 3, 4}));
    });
    refuses<ShapeError>(
        "FeatureWiseAttention: the mask must broadcast to the scores; got mask [2, 1, 3] and scores [1, 1, 3]", [] {
          nn::FeatureWiseAttention a({.query = 2, .key = 2, .value = 2}, dice);
          a(constant({1, 1, 2}), constant({1, 3, 2}), constant({1, 3, 2}), mask({2, 1, 3}));
        });
    refuses<ShapeError>("gaussian: queries and keys must have one width; got 3 and 4",
                        [] { build({.score = {.name = "gaussian", .query = 3, .key = 4}}); });
    refuses<ShapeError>("trilinear: queries and keys must have one width; got 3 and 4",
                        [] { build({.score = {.name = "trilinear", .query = 3, .key = 4}}); });
    refuses<ShapeError>("gat: queries and keys must have one width; got 3 and 4",
                        [] { build({.score = {.name = "gat", .query = 3, .key = 4}}); });
    refuses<ShapeError>(
        "synthesizer_dense: there is a score for each of 2 positions; got a source of 3; hint: "
        "synthesizer_dense:max_source=3",
        [] {
          nn::Attention a(
              {.score = {.name = "synthesizer_dense", .query = 2, .key = 2, .settings = {{"max_source", 2}}}}, dice);
          a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
        });
    refuses<ShapeError>(
        "synthesizer_random: there is a row and a column for each of 2 positions; got 1 queries from 0 and a source of "
        "3; hint: synthesizer_random:max_source=3",
        [] {
          nn::Attention a(
              {.score = {.name = "synthesizer_random", .query = 2, .key = 2, .settings = {{"max_source", 2}}}}, dice);
          a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
        });
    refuses<ValueError>(
        "attention: the scope causal&local_p depends on the length of the whole source, which a causal "
        "one does not know; hint: a scope of fixed width",
        [&] { build({.score = dots(2), .scope = scope("causal&local_p")}); });
    refuses<ValueError>("attention: no normaliser is the default there; hint: mark a row of the registry",
                        [] { nn::default_stage(nn::Kind::normaliser, nn::Role::causal); });
    refuses<ValueError>("scope: a scope is missing beside & or |; got `causal&`", [&] { scope("causal&"); });
    refuses<ValueError>("scope: a scope is missing beside & or |; got `&causal`", [&] { scope("&causal"); });
    refuses<ValueError>("window: a setting must be given once; got window twice in `window:3,window=4`",
                        [&] { scope("window:3,window=4"); });
    refuses<ValueError>(
        "scope: settings of joined scopes stand in their names; got `causal&window` and others beside it; "
        "hint: causal&window:64",
        [&] {
          build({.score = dots(2), .scope = {.name = "causal&window", .settings = {{"window", 2}}}});
        });
    nn::Restriction fine{.blocks = {.size = 2, .keep = mask({2, 2})}},
        coarse{.blocks = {.size = 4, .keep = mask({1, 1})}};
    refuses<ValueError>("all_of: lists of blocks must have one block size; got 2 and 4",
                        [&] { nn::all_of(fine, coarse); });
    nn::Restriction scaled{.factor = constant({1, 2, 2})};
    refuses<ValueError>("any_of: scopes joined by | must be masks; got one that scales weights; hint: join it by &",
                        [&] { nn::any_of(scaled, coarse, {.queries = 2, .keys = 2}); });
    refuses<ValueError>("length_mask: a length must lie in [1, 3]; got 0 in row 1", [] {
      nn::Attention a({.score = dots(2)}, dice);
      a.remember(constant({2, 3, 2}), constant({2, 3, 2}), ids({2, 0}));
    });
    refuses<ShapeError>("attend: the mask must broadcast to the scores; got mask [2, 1, 1, 3] and scores [1, 1, 3]",
                        [] {
                          nn::Attention a({.score = dots(2)}, dice);
                          nn::Memory memory = a.remember(constant({1, 3, 2}), constant({1, 3, 2}));
                          memory.allowed = mask({2, 1, 1, 3});
                          a(constant({1, 1, 2}), memory);
                        });
    refuses<ValueError>(
        "causal_mask: sizes and the first places must not be negative; got 2 queries from -1, 2 keys from 0",
        [] { nn::causal_mask({.queries = 2, .keys = 2, .first_query = -1}); });
    refuses<ShapeError>("causal_mask: places must be query_at [B, 2] and key_at [B, 2] i64; got [1, 3] and none", [] {
      nn::causal_mask({.queries = 2, .keys = 2, .query_at = ids({0, 1, 2}).view({1, 3})});
    });
    refuses<ValueError>("window_mask: the width must not be negative; got -1",
                        [] { nn::window_mask({.queries = 2, .keys = 2}, -1); });
    refuses<ValueError>("dilated_mask: the gap must be at least 1; got 0",
                        [] { nn::dilated_mask({.queries = 2, .keys = 2}, 1, 0); });
  }
}
