// Bad input of the later evaluators and memories: pages, landmarks, features that read places, latent attention.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/paged.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/pooling/pooling.h"
#include "nn/zoo/qk_clip.h"
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

TEST_CASE("bad input: paged memory") {
  refuses("PagedMemory: block got 0", [] { nn::PagedMemory(0); });
  nn::PagedMemory pages(4);
  pages.append({constant({2, 1, 5, 3}), constant({2, 1, 5, 4})});
  refuses<ShapeError>("PagedMemory: [B, G, n, ..] got [3, 1, 1, 3] [3, 1, 1, 4]", [&] {
    pages.append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
  });
  refuses<GraphError>("PagedMemory: gradient got", [&] { pages.append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})}); });
  refuses("PagedMemory: keep 2 0 got 2", [&] { pages.keep(Tensor::from(std::vector<int64_t>{0, 2}, {2})); });
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
  refuses("xpos: 49 f32 scaled_dot got 50", [&] { reads("general", "causal", "softmax", 50); });
  refuses("xpos: 63 f32 overflows got 65", [&] { reads("scaled_dot", "global", "softmax", 65); });
  refuses("xpos: normaliser 49 f32 got 70", [&] { reads("scaled_dot", "window:4", "sinkhorn", 70); });
}

TEST_CASE("bad input: landmarks, and features that read places") {
  refuses("MultiHeadAttention: nystrom got scaled_dot softmax causal none auto", [] { heads("nystrom", "causal"); });
  refuses("MultiHeadAttention: nystrom got scaled_dot softmax window none auto", [] { heads("nystrom", "window"); });
  auto landmarks = heads("nystrom:2");
  refuses("nystrom: nothing got [3, 3]", [&] { landmarks(constant({2, 3, 8}), {.bias = constant({3, 3})}); });
  refuses("nystrom: landmarks mask got [3, 3]", [&] { landmarks(constant({2, 3, 8}), {.allowed = mask({3, 3})}); });
  auto cosines = heads("cosformer:4");
  refuses("cosformer: places longest 4 got 4", [&] { cosines(constant({2, 5, 8})); });
  refuses("MultiHeadAttention: dpfp got scaled_dot softmax global none auto", [] { heads("dpfp:8"); });
  refuses("MultiHeadAttention: hedgehog one width got reduced_rank softmax global none auto", [] {
    nn::MultiHeadAttention({.model = 8,
                            .heads = 2,
                            .score = {.name = "reduced_rank", .settings = {{"width", 2}}},
                            .scope = {.name = "global"},
                            .evaluator = {.name = "hedgehog"}},
                           dice);
  });
}

TEST_CASE("bad input: what any mixer is given") {
  NoGrad no_grad;
  auto m = nn::make_mixer(latent("retention", 2), dice);
  refuses<ShapeError>("mixer: x must [B, T, 8] got [1, 2, 7]", [&] { (*m)(constant({1, 2, 7}), {}); });
  refuses<ShapeError>("mixer: [1, 2] got bool [1, 1]", [&] {
    (*m)(constant({1, 2, 8}), {.words = Tensor::full({1, 1}, 1, DType::boolean)});
  });
  nn::Pooling pooling({.modes = {"mean"}, .width = 8}, dice);
  refuses<ShapeError>("Pooling: [1, 2] got bool [1, 1]", [&] {
    pooling(constant({1, 2, 8}), Tensor::full({1, 1}, 1, DType::boolean));
  });
}

TEST_CASE("bad input: latent attention") {
  refuses("latent: divide got 3 8", [] { nn::make_mixer(latent("latent", 3), dice); });
  refuses("latent: shared 0 got 3", [] { nn::make_mixer(latent("latent:4,rope=3", 2), dice); });
  NoGrad no_grad;
  auto m = nn::make_mixer(latent("latent", 2), dice);
  nn::HeadCache cache;
  refuses("latent: narrow got", [&] { m->extend(constant({1, 1, 8}), cache, {}); });
  auto rows = nn::make_mixer(latent("factorised", 2), dice);
  refuses("factorised: row each word got another", [&] { rows->extend(constant({1, 1, 8}), cache, {}); });
  refuses("tensor_product: rotated even got 1", [] { nn::make_mixer(latent("tensor_product", 8), dice); });
  refuses("interleaved_nope: rotated even got 1", [] { nn::make_mixer(latent("interleaved_nope", 8), dice); });
}

TEST_CASE("bad input: scores that are clipped after a step") {
  nn::MultiHeadAttention m({.model = 4, .heads = 2}, dice);
  refuses("qk_clip: limit positive got 0", [&] { nn::qk_clip(m, Tensor::ones({2}, DType::f64), 0); });
  refuses<ShapeError>("qk_clip: largest 2 heads got [3]", [&] { nn::qk_clip(m, Tensor::ones({3}, DType::f64)); });
}
