// What attention refuses: unknown names, widths that do not fit, masks, combinations that mathematics forbids.
#include "nn/attention/attention.h"
#include "nn/attention/scopes/masks.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
void build(const nn::AttentionOptions& options) { nn::Attention(options, dice); }
nn::ScoreOptions dots(int64_t width) { return {.name = "dot", .query = width, .key = width}; }
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: attention") {
    refuses<ValueError>(
        "attention: no score of this name; got `bilinear`; there are dot, scaled_dot, general, concat, additive, "
        "reduced_rank, cosine, location",
        [] { build({.score = {.name = "bilinear"}}); });
    refuses<ValueError>(
        "attention: no scope of this name; got `local`; there are global, causal, window, dilated, local_m, local_p",
        [] { build({.score = dots(2), .scope = {.name = "local"}}); });
    refuses<ValueError>("attention: no normaliser of this name; got `max`; there are softmax, argmax, gumbel",
                        [] { build({.score = dots(2), .normaliser = {.name = "max"}}); });
    refuses<ValueError>(
        "attention: a scope that scales the weights needs a normaliser that spreads them; got local_p with gumbel; use "
        "local_m",
        [] { build({.score = dots(2), .scope = {.name = "local_p"}, .normaliser = {.name = "gumbel"}}); });
    refuses<ShapeError>(
        "scaled_dot: queries and keys must have one width; got 3 and 4; the score `general` joins unequal ones",
        [] { build({.score = {.name = "scaled_dot", .query = 3, .key = 4}}); });
    refuses<ShapeError>("cosine: queries and keys must have one width; got 3 and 4",
                        [] { build({.score = {.name = "cosine", .query = 3, .key = 4}}); });
    refuses<ValueError>("cosine: beta must be positive; got 0",
                        [] { build({.score = {.name = "cosine", .query = 3, .key = 3, .sharpness = 0}}); });
    refuses<ValueError>("Linear: out must be at least 1; got -2",
                        [] { build({.score = {.name = "additive", .query = 3, .key = 3, .width = -2}}); });
    refuses<ValueError>("location: the longest source must be at least 1; got 0",
                        [] { build({.score = {.name = "location", .query = 3, .key = 3}}); });
    refuses<ShapeError>("location: the table has a row for each of 2 positions; got a source of 3", [] {
      nn::Attention a({.score = {.name = "location", .query = 2, .key = 2, .max_source = 2}}, dice);
      a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
    });
    refuses<ValueError>("local_p: the window must be at least 1; got 0",
                        [] { build({.score = dots(2), .scope = {.name = "local_p", .window = 0}}); });
    refuses<ValueError>("gumbel: the temperature must be positive and finite; got -1",
                        [] { build({.score = dots(2), .normaliser = {.name = "gumbel", .temperature = -1}}); });
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
        "causal_mask: sizes and the first position must not be negative; got 2 queries, 2 keys, first -1",
        [] { nn::causal_mask({.queries = 2, .keys = 2, .first = -1}); });
    refuses<ValueError>("window_mask: the width must not be negative; got -1",
                        [] { nn::window_mask({.queries = 2, .keys = 2}, -1); });
    refuses<ValueError>("dilated_mask: the gap must be at least 1; got 0",
                        [] { nn::dilated_mask({.queries = 2, .keys = 2}, 1, 0); });
  }
}
