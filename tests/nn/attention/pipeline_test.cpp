// The pipeline itself: settings as text, joined scopes, places one by one, and stages that go one query at a time.
#include "nn/attention/pipeline.h"

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/evaluators/chunked.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/scopes/adaptive_span.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/scopes/masks_by_place.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Tensor mask_by(const std::string& text, const nn::Places& places) {
  Generator rng(1);
  nn::StageContext context{.places = places};
  Variable query(Tensor::zeros({1, places.queries, 1}));
  return nn::mask_of((*nn::make_scope(nn::stage_from(nn::Kind::scope, text), rng))(query, {}, context), places);
}

// Two rows of 6 words; the second has two words of padding before its own four.
Tensor left_padded_places() { return Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 4, 5, -2, -1, 0, 1, 2, 3}, {2, 6}); }

}  // namespace

TEST_CASE("stages as text: the first setting without its name, others with; back again without the defaults") {
  auto there_and_back = [](nn::Kind kind, const std::string& text) {
    return nn::text_of(kind, nn::stage_from(kind, text));
  };
  CHECK(nn::stage_from(nn::Kind::scope, "dilated:4,gap=3").settings == nn::SettingValues{{"window", 4}, {"gap", 3}});
  CHECK(there_and_back(nn::Kind::scope, "dilated:4,gap=3") == "dilated:window=4,gap=3");
  CHECK(there_and_back(nn::Kind::scope, "window:10") == "window");
  CHECK(there_and_back(nn::Kind::scope, "causal&window:64") == "causal&window:64");
  CHECK(there_and_back(nn::Kind::normaliser, "gumbel:temperature=0.5") == "gumbel:temperature=0.5");
  CHECK(there_and_back(nn::Kind::position, "rope_interleaved") == "rope_interleaved");
  CHECK(there_and_back(nn::Kind::evaluator, "auto") == "auto");
  CHECK(nn::stage_from(nn::Kind::score, "").name == "additive");
}

TEST_CASE("chosen: what C++ chooses by its type is what text chooses by its name") {
  auto alike = [](nn::Kind kind, const nn::StageOptions& chosen, const std::string& text) {
    const nn::StageOptions named = nn::stage_from(kind, text);
    CHECK(chosen.name == named.name);
    CHECK(nn::completed_stage(kind, chosen).settings == named.settings);
  };
  alike(nn::Kind::scope, nn::chosen<nn::WindowScope>({.window = 64}), "window:64");
  alike(nn::Kind::scope, nn::chosen<nn::AdaptiveSpanScope>({.ramp = 8, .penalty = 0.5}),
        "adaptive_span:ramp=8,penalty=0.5");
  alike(nn::Kind::score, nn::chosen<nn::AdditiveScore>({.width = 3}), "additive:3");
  alike(nn::Kind::score, nn::chosen<nn::ScaledDotScore>(), "scaled_dot");
  alike(nn::Kind::normaliser, nn::chosen<nn::EntmaxNormaliser>({.alpha = 1.25}), "entmax:1.25");
  alike(nn::Kind::position, nn::chosen<nn::T5Bias>({.buckets = 6}), "t5:buckets=6");
  alike(nn::Kind::evaluator, nn::chosen<nn::ChunkedEvaluator>({.chunk = 2}), "chunked:2");
  alike(nn::Kind::mixer, nn::chosen<nn::ReformerMixer>({.directions = 0, .rounds = 1}),
        "reformer:directions=0,rounds=1");
  CHECK(nn::chosen<nn::WindowScope>({.window = 64}).settings == nn::SettingValues{{"window", 64}});
  using Entmax = nn::EntmaxNormaliser::Settings;  // and back; what is not given has its default
  CHECK(nn::stage_from(nn::Kind::normaliser, "entmax:1.25").settings.as<Entmax>().alpha == 1.25);
  CHECK(nn::SettingValues{{"learned", 1}}.as<Entmax>().alpha == 1.5);
  CHECK(nn::SettingValues{{"learned", 1}}.as<Entmax>().learned == 1);
}

TEST_CASE("joined scopes: & is what all allow, | what any does") {
  nn::Places places{.queries = 5, .keys = 5};
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t s = 0; s < 5; ++s) {
      CHECK(mask_by("causal&window:1", places).at({t, s}) == (s <= t && t - s <= 1 ? 1 : 0));
      CHECK(mask_by("window:0|dilated:1,gap=3", places).at({t, s}) == (t == s || std::abs(t - s) == 3 ? 1 : 0));
    }
  CHECK_FALSE(mask_by("global|window:1", places).defined());
  auto number = [](double x) { return Variable(Tensor::scalar(x, kF64)); };  // biases are added, factors multiplied
  nn::Restriction both = nn::all_of({.bias = number(2), .factor = number(3)}, {.bias = number(5), .factor = number(7)});
  CHECK(both.bias.item() == 7);
  CHECK(both.factor.item() == 21);
}

TEST_CASE("blocks: a list of blocks is the mask of its pairs") {
  nn::Restriction r{.right = 0, .blocks = {.size = 2, .keep = Tensor::from_bools({1, 0, 1, 0, 0, 1}, {2, 3})}};
  Tensor m = nn::mask_of(r, {.queries = 4, .keys = 5, .first_query = 1});
  CHECK(m.to_vector() == std::vector<double>{1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("places one by one: rotations and biases of a left-padded row are those of the row alone") {
  Tensor x = random({2, 6, 8}, 5, kF64), own = x.slice(0, 1, 2).slice(1, 2, 6);
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}, {2, 6});
  for (const char* position : {"none",
                               "rope",
                               "rope_interleaved",
                               "shaw:2",
                               "shaw_keys:2",
                               "xl",
                               "alibi",
                               "t5",
                               "skew:2",
                               "xpos",
                               "rope_linear",
                               "rope_ntk",
                               "rope_yarn",
                               "rope_2d:3",
                               "kerple",
                               "kerple_power",
                               "fire:3",
                               "dynamic_bias:3",
                               "polar",
                               "disentangled:2",
                               "forgetting"})
    for (const char* evaluator : {"auto", "dense", "chunked:2"}) {
      CAPTURE(position);
      nn::MultiHeadOptions o{.model = 8,
                             .heads = 2,
                             .scope = {.name = "causal"},
                             .position = nn::stage_from(nn::Kind::position, position),
                             .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)};
      auto m = make<nn::MultiHeadAttention>(o, 3);
      nn::convert(m, kF64);
      nn::Places places{.query_at = left_padded_places(), .key_at = left_padded_places()};
      Tensor batch = m(Variable(x), {.words = words, .places = places}).output.value();
      Tensor alone = m(Variable(own)).output.value();
      CHECK(max_abs_difference(batch.slice(0, 1, 2).slice(1, 2, 6), alone) < 1e-12);
      Tensor first = m(Variable(x.slice(0, 0, 1))).output.value();
      CHECK(max_abs_difference(batch.slice(0, 0, 1), first) < 1e-12);
    }
}

TEST_CASE("places one by one: the fused rotation is the composed one") {
  Variable a = leaf({2, 6, 2, 4}, 1, kF64), b = leaf(a.value());
  nn::RopeOptions o{.at = left_padded_places()};
  Variable y = nn::rotate_pairs(a, o), z = nn::rotate_pairs_composed(b, o);
  CHECK(max_abs_difference(y.value(), z.value()) < 1e-12);
  backward(weighted_sum(y)), backward(weighted_sum(z));
  CHECK(max_abs_difference(a.grad(), b.grad()) < 1e-12);
}

TEST_CASE("one class for one head and many: a head without projections reads what Attention reads") {
  Tensor x = random({2, 5, 4}, 5, kF64);
  for (const char* scope : {"global", "causal&window:1", "local_p:2"})
    for (const char* score : {"scaled_dot", "additive", "general", "reduced_rank:2", "cosine"}) {
      CAPTURE(score);
      nn::MultiHeadOptions o{.model = 4, .heads = 1, .bias = false, .score = nn::stage_from(nn::Kind::score, score)};
      o.scope = nn::stage_from(nn::Kind::scope, scope);
      auto heads = make<nn::MultiHeadAttention>(o, 3);
      nn::AttentionOptions one{.score = o.score, .scope = o.scope};
      one.score.query = one.score.key = 4;
      auto single = make<nn::Attention>(one, 3);
      nn::convert(heads, kF64), nn::convert(single, kF64);
      Tensor eye = Tensor::zeros({12, 4}, kF64);
      for (int64_t i = 0; i < 12; ++i) eye.set({i, i % 4}, 1);
      heads.in_proj_weight.set_value(eye), heads.out_proj.weight.set_value(Tensor::eye(4, kF64));
      std::map<std::string, Tensor> values;
      for (auto& p : nn::named_parameters(single)) values[p.name] = p.variable.value();
      for (auto& p : nn::named_parameters(heads))
        if (values.contains(p.name)) p.variable.set_value(values[p.name]);
      Variable in(x);
      Tensor by_heads = heads(in).output.value();
      CHECK(max_abs_difference(by_heads, single(in, single.remember(in, in)).context.value()) < 1e-12);
    }
}

TEST_CASE(
    "queries and keys of unequal widths: refused when the attention is made, or all queries at once are one by one") {
  Variable queries = leaf({2, 3, 4}, 1), keys = leaf({2, 5, 6}, 2);
  int64_t made = 0;
  for (const std::string& score : nn::stage_names(nn::Kind::score))
    for (const std::string& scope : nn::stage_names(nn::Kind::scope))
      for (const std::string& position : nn::stage_names(nn::Kind::position)) {
        Generator rng(1);
        std::optional<nn::Attention> attention;
        try {
          attention.emplace(nn::AttentionOptions{.score = {.name = score, .query = 4, .key = 6},
                                                 .scope = {.name = scope},
                                                 .position = {.name = position}},
                            rng);
        } catch (const Error&) { continue; }
        const std::string stages = score + " " + scope + " " + position;
        CAPTURE(stages);
        const nn::Memory memory = attention->remember(keys, keys, {});
        nn::set_training(*attention, false);
        std::vector<Variable> one_by_one;
        nn::AlignmentState state;
        for (int64_t t = 0; t < 3; ++t)
          one_by_one.push_back((*attention)(slice(queries, 1, t, t + 1), memory, state).context);
        CHECK(max_abs_difference((*attention)(queries, memory).context.value(), concat(one_by_one, 1).value()) < 1e-5);
        ++made;
      }
  CHECK(made > 1000);
}

TEST_CASE("Observe: scores before and weights after the normaliser, once a call") {
  for (const char* evaluator : {"auto", "dense", "chunked:2", "tiled"}) {
    CAPTURE(evaluator);
    nn::MultiHeadOptions o{.model = 8, .heads = 2, .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)};
    auto m = make<nn::MultiHeadAttention>(o, 3);
    std::vector<nn::AttentionSeen> seen;
    nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a); });
    m(Variable(random({2, 5, 8}, 1)));
    REQUIRE(seen.size() == 1);
    REQUIRE(seen[0].scores.defined());
    CHECK(max_abs_difference(softmax(Variable(seen[0].scores), -1).value(), seen[0].weights) < 1e-6);
  }
}

TEST_CASE("extremes: sparse and hard weights of large and close scores, spans whose softmax is elsewhere") {
  auto weights = [](const char* name, const std::vector<float>& e) {
    Generator rng(1);
    auto n = nn::make_normaliser(nn::stage_from(nn::Kind::normaliser, name), rng);
    return (*n)(Variable(Tensor::from(e, {1, 1, 3}))).value().to_vector();
  };
  for (float top : {1e8f, 1e17f, 1e30f}) CHECK(weights("sparsemax", {top, 0, 1}) == std::vector<double>{1, 0, 0});
  CHECK(weights("argmax:1000000", {0, .01f, -1}) == std::vector<double>{0, 1, 0});
  CHECK(weights("argmax:0.000001", {1e33f, 2e33f, 0}) == std::vector<double>{0, 1, 0});
  // Scores 0 for near keys and 200 for a far one, outside of the span: the mean of the near values.
  nn::AttendOptions o{.factor = Variable(Tensor::from(std::vector<float>{1, 1, 0}, {1, 1, 3})), .renormalise = true};
  Tensor c = nn::attend(Variable(Tensor::from(std::vector<float>{0, 0, 200}, {1, 1, 3})),
                        Variable(Tensor::from(std::vector<float>{1, 3, 50}, {1, 3, 1})), o)
                 .context.value();
  CHECK(c.at({0, 0, 0}) == doctest::Approx(2));
}

TEST_CASE("Observe: one made before the other is gone, as by p = make_unique, is the one that sees") {
  int first = 0, second = 0;
  auto p = std::make_unique<nn::Observe>([&](const nn::AttentionSeen&) { ++first; });
  p = std::make_unique<nn::Observe>([&](const nn::AttentionSeen&) { ++second; });
  nn::Observe::report(Tensor::zeros({1, 1, 1}));
  CHECK(first == 0);
  CHECK(second == 1);
  p.reset();
  CHECK_FALSE(nn::Observe::active());
}
