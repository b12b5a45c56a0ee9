// Bad input of what keeps keys and values during decoding, and of what reads them.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/evaluators/snapkv.h"
#include "nn/attention/memories/forgetting.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/segment_sums.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("bad input: what holds and reads heads") {
  nn::HeadCache cache;
  cache.append({constant({2, 2, 5, 3}), constant({2, 2, 5, 4})});
  refuses<ShapeError>("HeadCache: words [2, 2, 5, 3] [2, 2, 5, 4] got [3, 2, 1, 3] [3, 2, 1, 4]", [&] {
    cache.append({constant({3, 2, 1, 3}), constant({3, 2, 1, 4})});
  });
  nn::MultiHeadAttention state({.model = 4, .heads = 2, .scope = {.name = "causal"}, .evaluator = {.name = "linear"}},
                               dice);
  nn::MultiHeadAttention matrices({.model = 4, .heads = 2, .normaliser = {.name = "sinkhorn"}}, dice);
  refuses("MultiHeadAttention: sinkhorn got", [&] {
    matrices(constant({1, 2, 4}), {.words = Tensor::from_bools({1, 0}, {1, 2})});
  });
  nn::TransformerStack placed(
      {.layer = {.model = 4, .heads = 2, .inner = 3, .score = {.name = "location"}}, .layers = 1}, dice);
  refuses("TransformerStack: packed rows got location global softmax none auto",
          [&] { placed.require_distances("packed rows"); });
  nn::TransformerStack counted(
      {.layer = {.model = 4, .heads = 2, .inner = 3, .position = {.name = "fire"}}, .layers = 1}, dice);
  refuses("TransformerStack: packed rows got scaled_dot global softmax fire auto",
          [&] { counted.require_distances("packed rows"); });
  nn::SegmentMemory segment(3, nullptr);
  refuses("MultiHeadAttention: linear memory got", [&] { state.extend(constant({1, 1, 4}), segment); });
  nn::MultiHeadAttention in_blocks({.model = 4, .heads = 2, .scope = {.name = "block_local"}}, dice);
  refuses("MultiHeadAttention: beginning got", [&] {
    in_blocks.extend(constant({1, 2, 4}), segment, {.words = Tensor::from_bools({0, 1}, {1, 2})});
  });
  nn::MultiHeadAttention mixing({.model = 4, .heads = 2, .around = {{"value_residual"}}, .layer = 1}, dice);
  refuses("MultiHeadAttention: first got inputs", [&] { mixing.extend(constant({1, 1, 4}), segment); });
  nn::MultiHeadAttention aware(
      {.model = 4, .heads = 2, .score = {.name = "location_aware"}, .scope = {.name = "causal"}}, dice);
  auto kept = aware.memory();
  refuses("MultiHeadAttention: extend got", [&] { aware.extend(constant({1, 1, 4}), *kept); });
  nn::RingMemory ring(4);
  ring.append({constant({2, 1, 1, 3}), constant({2, 1, 1, 4})});
  refuses<ShapeError>("RingMemory: [2, 1, 2, 3] [2, 1, 2, 4] got [3, 1, 1, 3] [3, 1, 1, 4]", [&] {
    ring.append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
  });
  refuses<GraphError>("RingMemory: gradient got", [&] { ring.append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})}); });
  refuses<ShapeError>("HeadCache: [B, G, n, K] values [B, G, n, V] got [2, 1, 3] [2, 2, 1, 4]", [&] {
    cache.append({constant({2, 1, 3}), constant({2, 2, 1, 4})});
  });
  refuses<GraphError>("HeadCache: gradient got", [&] { cache.append({leaf({2, 2, 1, 3}), constant({2, 2, 1, 4})}); });
  CHECK(cache.words() == 5);
  refuses("ForgettingMemory: first heavy last got 2 3 0", [] { nn::ForgettingMemory({2, 3, 0}); });
  refuses("snapkv: fit got 3 2 5", [] { nn::SnapKV({.capacity = 2, .window = 3}); });
  refuses("snapkv: odd got 2 3 4", [] { nn::SnapKV({.capacity = 3, .window = 2, .pooled = 4}); });
  refuses<GraphError>("ChosenPrompt: gradient got", [] {
    nn::ChosenPrompt({}).append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})});
  });
  nn::ForgettingMemory forgets({1, 0, 1});
  refuses("ForgettingMemory: word got 2", [&] { forgets.append({constant({2, 1, 2, 3}), constant({2, 1, 2, 4})}); });
  refuses<GraphError>("ForgettingMemory: gradient got", [&] {
    forgets.append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})});
  });
  forgets.append({constant({2, 1, 1, 3}), constant({2, 1, 1, 4})});
  refuses<ShapeError>("ForgettingMemory: [B, G, 1, ..] got [3, 1, 1, 3] [3, 1, 1, 4]", [&] {
    forgets.append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
  });
  refuses("MultiHeadAttention: other keys got 2 mask", [] {
    nn::MultiHeadAttention m({.model = 4, .heads = 2, .evaluator = {.name = "streaming"}}, dice);
    auto memory = m.memory();
    m.extend(constant({1, 2, 4}), *memory, {.weights = true});
  });
  refuses("SegmentMemory: got -1", [] { nn::SegmentMemory(-1, {}); });
  nn::SegmentMemory keeps(4, {});
  refuses<ShapeError>("SegmentMemory: [B, 1, n, D] none got [2, 2, 5, 3] values", [&] {
    keeps.append({constant({2, 2, 5, 3}), constant({2, 2, 5, 4})});
  });
  keeps.append({constant({2, 1, 5, 3}), {}});
  refuses<ShapeError>("SegmentMemory: [B, 1, n, D] [2, 5, 3] got [3, 1, 1, 3]", [&] {
    keeps.append({constant({3, 1, 1, 3}), {}});
  });
  CHECK(keeps.words() == 5);
  refuses<ShapeError>("LatentMemory: matrices [r, G K] [r, G V] got [3, 8] [3, 9] 2", [] {
    nn::LatentMemory(constant({3, 8}), constant({3, 9}), 2);
  });
  nn::LatentMemory latent(constant({3, 8}), constant({3, 10}), 2);
  refuses<ShapeError>("LatentMemory: [B, 1, n, 3] values got [2, 1, 1, 4]", [&] {
    latent.append({constant({2, 1, 1, 4}), {}});
  });
  Variable q = constant({2, 3, 4, 5}), k = constant({2, 4, 2, 5}), v = constant({2, 4, 2, 6});
  refuses<ShapeError>(
      "tiled_attention: [B, T, H, K] [B, S, G, K] [B, S, G, V] multiple got [2, 3, 4, 5] [2, 4, 3, 5] [2, 4, 3, 6]",
      [&] {
        tiled_attention(q, constant({2, 4, 3, 5}), constant({2, 4, 3, 6}));
      });
  refuses<ShapeError>("tiled_attention: mask [2, 4, 3, 4] got [5, 3, 4]", [&] {
    tiled_attention(q, k, v, {.allowed = mask({5, 3, 4})});
  });
  refuses<ShapeError>("tiled_attention: bias [2, 4, 3, 4] got [5, 3, 4]", [&] {
    tiled_attention(q, k, v, {.bias = constant({5, 3, 4}).value()});
  });
  refuses("tiled_attention: positive 0 got 0 -1", [&] { tiled_attention(q, k, v, {.key_block = -1}); });
  refuses("tiled_attention: dropout [0, 1] got 1.5", [&] { tiled_attention(q, k, v, {.dropout = 1.5}); });
  refuses("tiled_attention: window 0 got 2 -1", [&] { tiled_attention(q, k, v, {.left = 2, .right = -1}); });
  refuses("tiled_attention: list 1 got 0", [&] { tiled_attention(q, k, v, {.blocks = {0, mask({2, 2})}}); });
  refuses<ShapeError>("tiled_attention: blocks 2 [2, 2] got [2, 3]", [&] {
    tiled_attention(q, k, v, {.blocks = {2, mask({2, 3})}});
  });
  refuses("tiled_attention: takes got",
          [&] { tiled_attention(q, k, v, constant({4}), {.bias = constant({4}).value()}); });
}

TEST_CASE("bad input: positions that read the keys, or are as wide as they are") {
  refuses("MultiHeadAttention: disentangled got reduced_rank", [] {
    nn::MultiHeadAttention(
        {.model = 4, .heads = 2, .score = {.name = "reduced_rank"}, .position = {.name = "disentangled"}}, dice);
  });
  refuses("attention: shaw one width got 4 6 t5", [] {
    nn::Attention({.score = {.name = "general", .query = 4, .key = 6}, .position = {.name = "shaw"}}, dice);
  });
}

TEST_CASE("bad input: positions that read the words of self-attention") {
  nn::MultiHeadOptions o{.model = 4, .heads = 2, .position = {.name = "forgetting"}};
  auto with = [&](auto change) {
    nn::MultiHeadOptions other = o;
    change(other);
    return nn::MultiHeadAttention(other, dice);
  };
  refuses("attention: forgetting words of self-attention got without words", [] {
    nn::Attention({.score = {.name = "dot", .query = 4, .key = 4}, .position = {.name = "forgetting"}}, dice);
  });
  refuses("MultiHeadAttention: forgetting words of self-attention got cross-attention",
          [&] { with([](auto& m) { m.cross = true; }); });
  refuses("MultiHeadAttention: forgetting words of self-attention got another layer",
          [&] { with([](auto& m) { m.shared_keys = true; }); });
  const Variable x = constant({1, 2, 4});
  refuses("MultiHeadAttention: forgetting words of self-attention got other words", [&] {
    with([](auto&) {})(x, constant({1, 2, 4}), constant({1, 2, 4}));
  });
  nn::ForgettingMemory forgets({1, 0, 1});
  refuses("MultiHeadAttention: forgetting words of self-attention got memory forgets",
          [&] { with([](auto&) {}).extend(x, forgets); });
  refuses("MultiHeadAttention: streaming sums forgotten got forgetting",
          [&] { with([](auto& m) { m.evaluator.name = "streaming"; }); });
  refuses("MultiHeadAttention: heavy_hitters sums forgotten got forgetting",
          [&] { with([](auto& m) { m.evaluator.name = "heavy_hitters"; }); });
  refuses("MultiHeadAttention: paged marks side got forgetting",
          [&] { with([](auto& m) { m.evaluator.name = "paged"; }); });
  refuses("attention: forgetting marks got none", [&] {
    nn::StageContext context;
    with([](auto&) {
    }).attend_to(constant({1, 2, 2, 2}), {.keys = constant({1, 2, 2, 2}), .values = constant({1, 2, 2, 2})}, context);
  });
  refuses("segment_sums: last rows got 3 2", [] { nn::segment_sums(constant({2}), 0, 3); });
}

TEST_CASE("bad input: memory networks") {
  refuses("MemoryNetwork: negative got 0 50", [] { nn::MemoryNetwork({.vocabulary = 5, .hops = 0}, dice); });
  refuses("MemoryNetwork: negative got 3 -1", [] { nn::MemoryNetwork({.vocabulary = 5, .sentences = -1}, dice); });
  refuses("MemoryNetwork: story 2 got 3", [] {
    Tensor story = Tensor::ones({1, 3, 2}, DType::i64), question = Tensor::ones({1, 2}, DType::i64);
    nn::MemoryNetwork({.vocabulary = 5, .sentences = 2}, dice)(story, question);
  });
}
