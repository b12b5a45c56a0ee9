// What attention refuses: unknown names, widths that do not fit, masks, combinations that mathematics forbids.
#include "nn/attention/attention.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/feature_wise.h"
#include "nn/catalogue/catalogue.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
void build(const nn::AttentionOptions& options) { nn::Attention(options, dice); }
nn::ScoreOptions dots(int64_t width) { return {.name = "dot", .query = width, .key = width}; }

}  // namespace

TEST_CASE("bad input: attention") {
  refuses("attention: score got inner", [] { build({.score = {.name = "inner"}}); });
  refuses("attention: scope got local", [] { build({.score = dots(2), .scope = {.name = "local"}}); });
  refuses("attention: kind got pooling hint poolings", [] { nn::stage_from(nn::Kind::pooling, "mean"); });
  refuses("attention: normaliser got max", [] { build({.score = dots(2), .normaliser = {.name = "max"}}); });
  refuses("attention: got local_p gumbel",
          [] { build({.score = dots(2), .scope = {.name = "local_p"}, .normaliser = {.name = "gumbel"}}); });
  refuses("attention: quest got additive scaled_dot",
          [] { build({.score = {.name = "additive", .query = 2, .key = 2}, .scope = {.name = "quest"}}); });
  refuses<ShapeError>("scaled_dot: got 3 4 general",
                      [] { build({.score = {.name = "scaled_dot", .query = 3, .key = 4}}); });
  refuses<ShapeError>("cosine: got 3 4", [] { build({.score = {.name = "cosine", .query = 3, .key = 4}}); });
  refuses("cosine: sharpness number [1e-06, 1000000] got 0", [] {
    build({.score = {.name = "cosine", .query = 3, .key = 3, .settings = {{"sharpness", 0}}}});
  });
  refuses<ShapeError>("location: 2 got 3", [] {
    nn::Attention a({.score = {.name = "location", .query = 2, .key = 2, .settings = {{"max_source", 2}}}}, dice);
    a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
  });
  auto scope = [](const char* text) { return nn::stage_from(nn::Kind::scope, text); };
  refuses("attention: got wide window:wide", [&] { scope("window:wide"); });
  refuses("window: got gap are window", [&] { scope("window:4,gap=2"); });
  refuses("global: got gap are none", [] {
    build({.score = dots(2), .scope = {.name = "global", .settings = {{"gap", 1}}}});
  });
  refuses("auto: no settings got auto:3", [] { nn::stage_from(nn::Kind::evaluator, "auto:3"); });
  refuses("causal: got causal:3", [&] { scope("causal:3"); });
  refuses("attention: scope got windw", [&] { scope("windw:3"); });
  refuses("scope: got local_p|causal", [&] { build({.score = dots(2), .scope = scope("local_p|causal")}); });
  refuses("attention: sinkhorn got causal",
          [] { build({.score = dots(2), .scope = {.name = "causal"}, .normaliser = {.name = "sinkhorn"}}); });
  refuses("attention: sinkhorn got location_aware", [] {
    build({.score = {.name = "location_aware", .query = 2, .key = 2}, .normaliser = {.name = "sinkhorn"}});
  });
  refuses<ShapeError>("matrix_tree: got [1, 1, 3]", [] {
    nn::Attention a({.score = dots(2), .normaliser = {.name = "matrix_tree"}}, dice);
    a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
  });
  refuses("entmax: begin 1.01 2 got 2", [] {
    build({.score = dots(2), .normaliser = {.name = "entmax", .settings = {{"alpha", 2}, {"learned", 1}}}});
  });
  refuses<ShapeError>("FeatureWiseAttention: values [B, S, 2] got [1, 3, 4]", [] {
    nn::FeatureWiseAttention({.query = 2, .key = 2, .value = 2}, dice)(constant({1, 1, 2}), constant({1, 3, 2}),
                                                                       constant({1, 3, 4}));
  });
  refuses<ShapeError>("FeatureWiseAttention: broadcast got [2, 1, 3] [1, 1, 3]", [] {
    nn::FeatureWiseAttention({.query = 2, .key = 2, .value = 2}, dice)(constant({1, 1, 2}), constant({1, 3, 2}),
                                                                       constant({1, 3, 2}), mask({2, 1, 3}));
  });
  refuses<ShapeError>("gaussian: got 3 4", [] { build({.score = {.name = "gaussian", .query = 3, .key = 4}}); });
  refuses<ShapeError>("trilinear: got 3 4", [] { build({.score = {.name = "trilinear", .query = 3, .key = 4}}); });
  refuses<ShapeError>("gat: got 3 4", [] { build({.score = {.name = "gat", .query = 3, .key = 4}}); });
  refuses<ShapeError>("synthesizer_dense: 2 got 3", [] {
    nn::Attention a({.score = {.name = "synthesizer_dense", .query = 2, .key = 2, .settings = {{"max_source", 2}}}},
                    dice);
    a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
  });
  refuses<ShapeError>("synthesizer_random: 2 got 1 0 3 max_source=3", [] {
    nn::Attention a({.score = {.name = "synthesizer_random", .query = 2, .key = 2, .settings = {{"max_source", 2}}}},
                    dice);
    a(constant({1, 1, 2}), a.remember(constant({1, 3, 2}), constant({1, 3, 2})));
  });
  refuses("attention: causal&local_p", [&] { build({.score = dots(2), .scope = scope("causal&local_p")}); });
  refuses("attention: normaliser registry", [] { nn::default_stage(nn::Kind::normaliser, nn::Role::causal); });
  refuses("scope: missing got causal&", [&] { scope("causal&"); });
  refuses("scope: got &causal", [&] { scope("&causal"); });
  refuses("window: got window window:3,window=4", [&] { scope("window:3,window=4"); });
  refuses("scope: got causal&window", [&] {
    build({.score = dots(2), .scope = {.name = "causal&window", .settings = {{"window", 2}}}});
  });
  nn::Restriction fine{.blocks = {.size = 2, .keep = mask({2, 2})}},
      coarse{.blocks = {.size = 4, .keep = mask({1, 1})}};
  refuses("all_of: got 2 4", [&] { nn::all_of(fine, coarse); });
  nn::Restriction scaled{.factor = constant({1, 2, 2})};
  refuses("any_of: scopes got", [&] { nn::any_of(scaled, coarse, {.queries = 2, .keys = 2}); });
  refuses("length_mask: [1, 3] got 0 1", [] {
    nn::Attention({.score = dots(2)}, dice).remember(constant({2, 3, 2}), constant({2, 3, 2}), ids({2, 0}));
  });
  refuses<ShapeError>("attend: broadcast got [2, 1, 1, 3] [1, 1, 3]", [] {
    nn::Attention a({.score = dots(2)}, dice);
    nn::Memory memory = a.remember(constant({1, 3, 2}), constant({1, 3, 2}));
    memory.allowed = mask({2, 1, 1, 3});
    a(constant({1, 1, 2}), memory);
  });
  refuses("causal_mask: got 2 -1 2 0", [] { nn::causal_mask({.queries = 2, .keys = 2, .first_query = -1}); });
  refuses<ShapeError>("causal_mask: [B, 2] [B, 2] got [1, 3] none", [] {
    nn::causal_mask({.queries = 2, .keys = 2, .query_at = ids({0, 1, 2}).view({1, 3})});
  });
  refuses("window_mask: got -1", [] { nn::window_mask({.queries = 2, .keys = 2}, -1); });
  refuses("dilated_mask: 1 got 0", [] { nn::dilated_mask({.queries = 2, .keys = 2}, 1, 0); });
}

TEST_CASE("bad input: catalogue and hard attention") {
  refuses("catalogue: got Z9", [] { nn::catalogue_entry("Z9"); });
  refuses<ShapeError>("hard attention: [B, T, S] values [B, S, D] got [1, 2, 3] [1, 4, 2]", [] {
    nn::HardReader({}, dice)(constant({1, 2, 3}), constant({1, 4, 2}));
  });
  refuses<ShapeError>("hard attention: choice [B, T] got [2] [1, 1, 1]", [] {
    nn::read_chosen(constant({1, 1, 1}), constant({1, 1, 2}), wholes({2}));
  });
  refuses("hard attention: needs 1 0 got 3", [] {
    nn::HardReader({}, dice)(constant({1, 2, 3}), constant({1, 3, 2}));
  });
  refuses("hard attention: needs 1 0 got nan", [] {
    nn::HardReader({}, dice)(Variable(Tensor::full({1, 2, 3}, kNan)), constant({1, 3, 2}));
  });
  refuses<IndexError>("one_hot: [0, 1) got 1 0", [] {
    nn::read_chosen(constant({1, 1, 1}), constant({1, 1, 2}), wholes({1, 1}));
  });
  refuses("hard attention: softly [0, 1] got 1.5", [] { nn::HardReader({.soft = 1.5}, dice); });
  refuses("reinforce: [0, 1) got 1", [] { nn::Reinforce({.decay = 1}, dice); });
  refuses<ShapeError>("reinforce: [B] [B, T] got [2] [3, 4] [3, 4]", [] {
    nn::Reinforce({}, dice)(constant({2}), constant({3, 4}), constant({3, 4}));
  });
}
