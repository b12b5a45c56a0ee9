// Bad input of what keeps keys and values during decoding, and of what reads them.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pool.h"
#include "nn/pooling/pooling.h"
#include "nn/transformer/transformer_layer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: what holds and reads heads") {
    nn::HeadCache cache;
    cache.append({constant({2, 2, 5, 3}), constant({2, 2, 5, 4})});
    refuses<ShapeError>(
        "HeadCache: words must fit those that are there, [2, 2, 5, 3] and [2, 2, 5, 4]; got [3, 2, 1, 3] and "
        "[3, 2, 1, 4]",
        [&] {
          cache.append({constant({3, 2, 1, 3}), constant({3, 2, 1, 4})});
        });
    nn::MultiHeadAttention state({.model = 4, .heads = 2, .scope = {.name = "causal"}, .evaluator = {.name = "linear"}},
                                 dice);
    nn::MultiHeadAttention matrices({.model = 4, .heads = 2, .normaliser = {.name = "sinkhorn"}}, dice);
    refuses<ValueError>(
        "MultiHeadAttention: the normaliser sinkhorn needs rows without padding; got a key padding mask that hides "
        "words; hint: sentences of one length",
        [&] {
          matrices(constant({1, 2, 4}), {.words = Tensor::from_bools({1, 0}, {1, 2})});
        });
    nn::TransformerStack placed(
        {.layer = {.model = 4, .heads = 2, .inner = 3, .score = {.name = "location"}}, .layers = 1}, dice);
    refuses<ValueError>(
        "TransformerStack: packed rows need stages that read distances only; got the score location, the "
        "scope global, the normaliser softmax, the position none, the evaluator auto; hint: one sentence per row, from "
        "its first place",
        [&] { placed.require_distances("packed rows"); });
    nn::TransformerStack counted(
        {.layer = {.model = 4, .heads = 2, .inner = 3, .position = {.name = "fire"}}, .layers = 1}, dice);
    refuses<ValueError>(
        "TransformerStack: packed rows need stages that read distances only; got the score scaled_dot, the "
        "scope global, the normaliser softmax, the position fire, the evaluator auto; hint: one sentence per row, from "
        "its first place",
        [&] { counted.require_distances("packed rows"); });
    nn::SegmentMemory segment(3, nullptr);
    refuses<ValueError>("MultiHeadAttention: the evaluator linear has a memory of its own; got one of inputs", [&] {
      state.extend(constant({1, 1, 4}), segment);
    });
    nn::MultiHeadAttention in_blocks({.model = 4, .heads = 2, .scope = {.name = "block_local"}}, dice);
    refuses<ValueError>(
        "MultiHeadAttention: a memory of inputs counts places from the beginning of the row, which a stage reads; got "
        "padding before the words; hint: padding after them",
        [&] {
          in_blocks.extend(constant({1, 2, 4}), segment, {.words = Tensor::from_bools({0, 1}, {1, 2})});
        });
    nn::MultiHeadAttention mixing({.model = 4, .heads = 2, .value_residual = true}, dice);
    refuses<ValueError>("MultiHeadAttention: values of the first layer need a memory of values; got one of inputs",
                        [&] {
                          mixing.extend(constant({1, 1, 4}), segment);
                        });
    nn::MultiHeadAttention aware(
        {.model = 4, .heads = 2, .score = {.name = "location_aware"}, .scope = {.name = "causal"}}, dice);
    auto kept = aware.memory();
    refuses<ValueError>(
        "MultiHeadAttention: a stage that reads the weights of the step before needs HeadMasks::state to "
        "extend a memory; got none",
        [&] {
          aware.extend(constant({1, 1, 4}), *kept);
        });
    nn::RingMemory ring(4);
    ring.append({constant({2, 1, 1, 3}), constant({2, 1, 1, 4})});
    refuses<ShapeError>(
        "RingMemory: words must fit those that are kept, [2, 1, 2, 3] and [2, 1, 2, 4]; got [3, 1, 1, 3] and "
        "[3, 1, 1, 4]",
        [&] {
          ring.append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
        });
    refuses<GraphError>("RingMemory: it carries no gradient; got words that need one; decode under NoGrad", [&] {
      ring.append({leaf({2, 1, 1, 3}), leaf({2, 1, 1, 4})});
    });
    refuses<ShapeError>("HeadCache: needs keys [B, G, n, K] and values [B, G, n, V]; got [2, 1, 3] and [2, 2, 1, 4]",
                        [&] {
                          cache.append({constant({2, 1, 3}), constant({2, 2, 1, 4})});
                        });
    refuses<GraphError>(
        "HeadCache: it carries no gradient; got words that need one; decode under NoGrad, or use joined", [&] {
          cache.append({leaf({2, 2, 1, 3}), constant({2, 2, 1, 4})});
        });
    CHECK(cache.words() == 5);
    refuses<ValueError>("SegmentMemory: its length must not be negative; got -1", [] { nn::SegmentMemory(-1, {}); });
    nn::SegmentMemory keeps(4, {});
    refuses<ShapeError>(
        "SegmentMemory: needs inputs of attention [B, 1, n, D] that fit those that are kept, none, and no values; got "
        "[2, 2, 5, 3] with values",
        [&] {
          keeps.append({constant({2, 2, 5, 3}), constant({2, 2, 5, 4})});
        });
    keeps.append({constant({2, 1, 5, 3}), {}});
    refuses<ShapeError>(
        "SegmentMemory: needs inputs of attention [B, 1, n, D] that fit those that are kept, [2, 5, 3], and no values; "
        "got [3, 1, 1, 3]",
        [&] {
          keeps.append({constant({3, 1, 1, 3}), {}});
        });
    CHECK(keeps.words() == 5);
    refuses<ShapeError>("LatentMemory: needs matrices [r, G K] and [r, G V] for G heads; got [3, 8] and [3, 9] for 2",
                        [] {
                          nn::LatentMemory(constant({3, 8}), constant({3, 9}), 2);
                        });
    nn::LatentMemory latent(constant({3, 8}), constant({3, 10}), 2);
    refuses<ShapeError>("LatentMemory: needs rows [B, 1, n, 3] and no values; got [2, 1, 1, 4]", [&] {
      latent.append({constant({2, 1, 1, 4}), {}});
    });
    Variable q = constant({2, 3, 4, 5}), k = constant({2, 4, 2, 5}), v = constant({2, 4, 2, 6});
    refuses<ShapeError>(
        "tiled_attention: needs q [B, T, H, K], k [B, S, G, K] and v [B, S, G, V], H a multiple of G; got [2, 3, 4, "
        "5], "
        "[2, 4, 3, 5] and [2, 4, 3, 6]",
        [&] {
          tiled_attention(q, constant({2, 4, 3, 5}), constant({2, 4, 3, 6}));
        });
    refuses<ShapeError>("tiled_attention: the mask must broadcast to the scores [2, 4, 3, 4]; got [5, 3, 4]", [&] {
      tiled_attention(q, k, v, {.allowed = mask({5, 3, 4})});
    });
    refuses<ShapeError>("tiled_attention: the bias must broadcast to the scores [2, 4, 3, 4]; got [5, 3, 4]", [&] {
      tiled_attention(q, k, v, {.bias = constant({5, 3, 4}).value()});
    });
    refuses<ValueError>("tiled_attention: blocks must be positive, or 0; got 0 queries and -1 keys",
                        [&] { tiled_attention(q, k, v, {.key_block = -1}); });
    refuses<ValueError>("tiled_attention: dropout must lie in [0, 1]; got 1.5",
                        [&] { tiled_attention(q, k, v, {.dropout = 1.5}); });
    refuses<ValueError>("tiled_attention: a window must reach 0 or more keys to each side; got left 2 and right -1",
                        [&] { tiled_attention(q, k, v, {.left = 2, .right = -1}); });
    refuses<ValueError>("tiled_attention: the blocks of a list must have a size of 1 or more; got 0", [&] {
      tiled_attention(q, k, v, {.blocks = {0, mask({2, 2})}});
    });
    refuses<ShapeError>(
        "tiled_attention: a list of blocks of 2 must be [2, 2], one entry per pair of blocks; got [2, 3]", [&] {
          tiled_attention(q, k, v, {.blocks = {2, mask({2, 3})}});
        });
    refuses<ValueError>(
        "tiled_attention: takes one bias; got one as an input and one in the options; hint: add them first",
        [&] { tiled_attention(q, k, v, constant({4}), {.bias = constant({4}).value()}); });
  }
}
