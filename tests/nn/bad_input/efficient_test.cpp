// Bad input of the later evaluators and memories: pages, landmarks, features that read places, latent attention.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/paged.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/pooling/pooling.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {

nn::MultiHeadAttention heads(const std::string& evaluator, const std::string& scope = "global") {
  return nn::MultiHeadAttention(
      {.model = 8, .heads = 2, .scope = {.name = scope}, .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)},
      dice);
}
nn::MixerOptions latent(const std::string& text, int64_t count) {
  nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
  o.query = o.key = 8, o.heads = count, o.causal = true;
  return o;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: paged memory") {
    refuses<ValueError>("PagedMemory: a block must hold at least one word; got 0", [] { nn::PagedMemory(0); });
    nn::PagedMemory pages(4);
    pages.append({constant({2, 1, 5, 3}), constant({2, 1, 5, 4})});
    refuses<ShapeError>(
        "PagedMemory: words must be [B, G, n, ..] and fit those that are there; got [3, 1, 1, 3] and [3, 1, 1, 4]",
        [&] {
          pages.append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
        });
    refuses<GraphError>("PagedMemory: it carries no gradient; got words that need one; decode under NoGrad", [&] {
      pages.append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})});
    });
    refuses<ValueError>("PagedMemory: a row to keep must be one of the 2 rows, from 0; got 2", [&] {
      pages.keep(Tensor::from(std::vector<int64_t>{0, 2}, {2}));
    });
    CHECK(pages.words() == 5);
    CHECK(pages.blocks_in_use() == 4);
  }

  TEST_CASE("bad input: factors that leave the range of f32") {
    auto reads = [](const char* score, const char* scope, const char* normaliser, int64_t words) {
      nn::MultiHeadAttention m({.model = 4,
                                .heads = 1,
                                .score = {.name = score},
                                .scope = nn::stage_from(nn::Kind::scope, scope),
                                .normaliser = {.name = normaliser},
                                .position = {.name = "xpos", .settings = {{"decay", 1}}}},
                               dice);
      m(constant({1, words, 4}));
    };
    refuses<ValueError>(
        "xpos: beyond 49 words in f32 it needs the score dot or scaled_dot and an evaluator with the numbers of dense; "
        "got 50 words; hint: a larger decay",
        [&] { reads("general", "causal", "softmax", 50); });
    refuses<ValueError>(
        "xpos: a key may be at most 63 words after its query in f32, or its factor overflows; got 65 words; hint: a "
        "causal scope, or a larger decay",
        [&] { reads("scaled_dot", "global", "softmax", 65); });
    refuses<ValueError>(
        "xpos: a normaliser that needs all queries together needs them within 49 words in f32; got 70 words; hint: a "
        "larger decay",
        [&] { reads("scaled_dot", "window:4", "sinkhorn", 70); });
  }

  TEST_CASE("bad input: landmarks, and features that read places") {
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator nystrom cannot do this: its landmarks are means over the whole sentence, "
        "later words too; got the score scaled_dot, the normaliser softmax, the scope causal, the position none; use "
        "auto",
        [] { heads("nystrom", "causal"); });
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator nystrom cannot do this: its landmarks stand for all words, whatever the "
        "scope; got the score scaled_dot, the normaliser softmax, the scope window, the position none; use auto",
        [] { heads("nystrom", "window"); });
    auto landmarks = heads("nystrom:2");
    refuses<ValueError>(
        "nystrom: scores are never made, so nothing can be added to them; got a bias [3, 3]; hint: a mask, or the "
        "evaluator auto",
        [&] {
          landmarks(constant({2, 3, 8}), {.bias = constant({3, 3})});
        });
    refuses<ValueError>(
        "nystrom: landmarks stand for all queries, so a mask must hide the same keys from each of them; got a mask "
        "[3, 3]; hint: a key padding mask, or the evaluator auto",
        [&] {
          landmarks(constant({2, 3, 8}), {.allowed = mask({3, 3})});
        });
    auto cosines = heads("cosformer:4");
    refuses<ValueError>(
        "cosformer: places must be below the setting longest, 4, or weights would be negative; got the place 4; hint: "
        "cosformer:8",
        [&] {
          cosines(constant({2, 5, 8}));
        });
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator dpfp cannot do this: its setting nu must be less than twice the width of a "
        "head; got the score scaled_dot, the normaliser softmax, the scope global, the position none; use auto",
        [] { heads("dpfp:8"); });
  }

  TEST_CASE("bad input: what any mixer is given") {
    NoGrad no_grad;
    auto m = nn::make_mixer(latent("retention", 2), dice);
    refuses<ShapeError>("mixer: x must be [B, T, 8]; got [1, 2, 7]", [&] { (*m)(constant({1, 2, 7}), {}); });
    refuses<ShapeError>("mixer: words must be bool [1, 2], one for each word of x; got bool [1, 1]", [&] {
      (*m)(constant({1, 2, 8}), {.words = Tensor::full({1, 1}, 1, DType::boolean)});
    });
    nn::Pooling pooling({.modes = {"mean"}, .width = 8}, dice);
    refuses<ShapeError>("Pooling: words must be bool [1, 2], one for each word of x; got bool [1, 1]", [&] {
      pooling(constant({1, 2, 8}), Tensor::full({1, 1}, 1, DType::boolean));
    });
  }

  TEST_CASE("bad input: latent attention") {
    refuses<ValueError>("latent: the heads must divide the width of the model; got 3 heads of 8",
                        [] { nn::make_mixer(latent("latent", 3), dice); });
    refuses<ValueError>("latent: the shared rotary key must have an even width, or 0; got 3",
                        [] { nn::make_mixer(latent("latent:4,rope=3", 2), dice); });
    NoGrad no_grad;
    auto m = nn::make_mixer(latent("latent", 2), dice);
    nn::HeadCache cache;
    refuses<ValueError>("latent: it reads from narrow rows of its own; got another memory; hint: memory() makes one",
                        [&] {
                          m->extend(constant({1, 1, 8}), cache, {});
                        });
  }
}
