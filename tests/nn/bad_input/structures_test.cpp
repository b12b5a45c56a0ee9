// What the structures, positions and poolings refuse.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/fire.h"
#include "nn/attention/positions/kerple.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/rope_mixed.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/skew.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
void heads(const nn::MultiHeadOptions& options) { nn::MultiHeadAttention(options, dice); }
void attend_all(const Shape& query, const Shape& key, const Shape& value, const nn::HeadMasks& masks = {}) {
  nn::MultiHeadAttention m({.model = 4, .heads = 2, .key = 3, .value = 5}, dice);
  m(constant(query), constant(key), constant(value), masks);
}
void parts(const nn::KeyValueOptions& options) { nn::KeyValueAttention(options, dice); }
void document(const Tensor& words, const Tensor& lengths) {
  nn::HierarchicalAttention m({.vocabulary = 5, .embedding = 2, .hidden = 2, .attention = 2}, dice);
  m(words, lengths);
}
}  // namespace

// A width that the heads do not divide is refused with a sentence that says so.
TEST_CASE("bad input: multi-head attention" * holds("heads_must_divide_the_width")) {
  refuses("MultiHeadAttention: model got 3 8", [] { heads({.model = 8, .heads = 3}); });
  refuses("MultiHeadAttention: pruned 2 0 got 2", [] {
    heads({.model = 4, .heads = 2, .around = {{"pruned_heads", "0.0,0.2"}}});
  });
  refuses("MultiHeadAttention: paged reads keys side got disentangled", [] {
    heads({.model = 4, .heads = 2, .position = {.name = "disentangled"}, .evaluator = {.name = "paged"}});
  });
  refuses("around: once got head_scale twice", [] {
    heads({.model = 4, .heads = 2, .around = {{"head_scale"}, {"head_scale"}}});
  });
  refuses("around: head_scale no text got 0.0", [] {
    heads({.model = 4, .heads = 2, .around = {{"head_scale", "0.0"}}});
  });
  refuses("around: nothing name got gates", [] { heads({.model = 4, .heads = 2, .around = {{"gates"}}}); });
  refuses("MultiHeadAttention: scores got linear",
          [] { heads({.model = 4, .heads = 2, .evaluator = {.name = "linear"}, .around = {{"score_residual"}}}); });
  refuses<ShapeError>("MultiHeadAttention: factors [2] [1, 2] got [3]", [] {
    nn::MultiHeadAttention({.model = 4, .heads = 2}, dice)(constant({1, 2, 4}), {.heads = constant({3})});
  });
  refuses("MultiHeadAttention: model got 0 8", [] { heads({.model = 8, .heads = 0}); });
  refuses("MultiHeadAttention: positive got 8 -1", [] { heads({.model = 8, .heads = 2, .value = -1}); });
  refuses("MultiHeadAttention: got local_p argmax",
          [] { heads({.model = 8, .heads = 2, .scope = {.name = "local_p"}, .normaliser = {.name = "argmax"}}); });
  refuses("Dropout: [0, 1] got 2", [] { heads({.model = 8, .heads = 2, .dropout = 2}); });
  refuses<ShapeError>("MultiHeadAttention: query [B, T, 4] got [2, 3, 5]", [] {
    attend_all({2, 3, 5}, {2, 3, 3}, {2, 3, 5});
  });
  refuses<ShapeError>("MultiHeadAttention: key must [B, S, 3] got [3, 3]", [] {
    attend_all({2, 3, 4}, {3, 3}, {2, 3, 5});
  });
  refuses<ShapeError>("MultiHeadAttention: value must [B, S, 5] got [2, 3, 4]", [] {
    attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 4});
  });
  refuses<ShapeError>("MultiHeadAttention: needs got [2, 3, 3] [2, 4, 5]", [] {
    attend_all({2, 3, 4}, {2, 3, 3}, {2, 4, 5});
  });
  refuses<ShapeError>("MultiHeadAttention: queries got 1 2", [] { attend_all({1, 3, 4}, {2, 3, 3}, {2, 3, 5}); });
  refuses<ShapeError>("MultiHeadAttention: [2, 3] got bool [3, 2]", [] {
    attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 5}, {.words = mask({3, 2})});
  });
  refuses<ShapeError>("MultiHeadAttention: [2, 3] got i64 [2, 3]", [] {
    attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 5}, {.words = wholes({2, 3})});
  });
  refuses<ShapeError>("MultiHeadAttention: mask got [1, 2, 2, 2, 3] [2, 2, 2, 3] 3 [B, T, S] [1, H, T, S]", [] {
    attend_all({2, 2, 4}, {2, 3, 3}, {2, 3, 5}, {.allowed = mask({1, 2, 2, 2, 3}), .weights = true});
  });
  refuses<ShapeError>("MultiHeadAttention: bias got [4, 1, 2, 3] [2, 2, 2, 3] 3 [B, T, S] [1, H, T, S]", [] {
    attend_all({2, 2, 4}, {2, 3, 3}, {2, 3, 5}, {.bias = constant({4, 2, 3})});
  });
  refuses("MultiHeadAttention: divide those got 3 4", [] { heads({.model = 8, .heads = 4, .kv_heads = 3}); });
  refuses("attention: evaluator got fast", [] { heads({.model = 8, .heads = 2, .evaluator = {.name = "fast"}}); });
  refuses("MultiHeadAttention: tiled got cosine softmax global none auto",
          [] { heads({.model = 8, .heads = 2, .score = {.name = "cosine"}, .evaluator = {.name = "tiled"}}); });
  refuses("MultiHeadAttention: tiled got scaled_dot argmax global none auto",
          [] { heads({.model = 8, .heads = 2, .normaliser = {.name = "argmax"}, .evaluator = {.name = "tiled"}}); });
  refuses("MultiHeadAttention: tiled got scaled_dot softmax global shaw auto",
          [] { heads({.model = 8, .heads = 2, .position = {.name = "shaw"}, .evaluator = {.name = "tiled"}}); });
  refuses("MultiHeadAttention: shaw_keys got cosine",
          [] { heads({.model = 8, .heads = 2, .score = {.name = "cosine"}, .position = {.name = "shaw_keys"}}); });
}

TEST_CASE("bad input: linear attention") {
  const nn::MultiHeadOptions plain{.model = 8, .heads = 2, .evaluator = {.name = "linear"}};
  refuses("MultiHeadAttention: linear got scaled_dot argmax global none auto", [&] {
    nn::MultiHeadOptions o = plain;
    o.normaliser.name = "argmax";
    heads(o);
  });
  nn::MultiHeadAttention m(plain, dice);
  refuses("linear: nothing got [3, 3]", [&] { m(constant({2, 3, 8}), {.bias = constant({3, 3})}); });
  NoGrad no_grad;
  nn::HeadCache cache;
  refuses("linear: reads got", [&] { m.extend(constant({2, 1, 8}), cache); });
  refuses("linear: single got mask", [&] { m.extend(constant({2, 3, 8}), *m.memory(), {.allowed = mask({3, 3})}); });
  auto state = m.memory();
  state->append({constant({2, 1, 2, 3}), constant({2, 1, 2, 4})});
  refuses<ShapeError>("KernelMemory: [B, G, n, ..] got [3, 1, 1, 3] [3, 1, 1, 4]", [&] {
    state->append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
  });
  CHECK(state->words() == 2);
}

TEST_CASE("bad input: differential attention") {
  auto differential = [](nn::MultiHeadOptions o) {
    if (o.evaluator.settings.empty()) o.position.name = "shaw";
    o.evaluator.name = "differential";
    heads(o);
  };
  refuses("MultiHeadAttention: differential got scaled_dot softmax global shaw auto",
          [&] { differential({.model = 12, .heads = 2}); });
}

TEST_CASE("bad input: positions inside a head, and on the scores") {
  refuses("XLPositions: got 2 0", [] { nn::XLPositions({.key = 0, .heads = 2}, dice); });
  refuses("attention: position got roap", [] { heads({.model = 8, .heads = 2, .position = {.name = "roap"}}); });
  refuses("MultiHeadAttention: polar got general global",
          [] { heads({.model = 8, .heads = 2, .score = {.name = "general"}, .position = {.name = "polar"}}); });
  refuses("rope: widths got 3 3", [] { heads({.model = 6, .heads = 2, .position = {.name = "rope"}}); });
  refuses("xpos: turns got 3 3", [] { heads({.model = 6, .heads = 2, .position = {.name = "xpos"}}); });
  refuses("rope_2d: widths got 3 3", [] { heads({.model = 6, .heads = 2, .position = {.name = "rope_2d"}}); });
  refuses("rotate_pairs: got 3 4", [] { nn::rotate_pairs(constant({1, 2, 1, 4}), {.thetas = {1, 2, 3}}); });
  refuses("longrope: equally wide got 4 6", [] {
    Generator rng(1);
    nn::make_head_position({.name = "longrope", .query = 4, .key = 6}, rng);
  });
  refuses<ShapeError>("rope_mixed: frequencies 4 heads of keys got 2", [] {
    nn::RopeMixed({.query = 4, .key = 4, .heads = 4}, dice).turn_key(constant({1, 3, 2, 4}), {});
  });
  refuses("SkewPositions: got 2 0", [] { nn::SkewPositions({.key = 0, .heads = 2}, dice); });
  refuses("KerpleBias: got 0", [] { nn::KerpleBias({.heads = 0}, dice); });
  refuses("FireBias: got 0", [] { nn::FireBias({.heads = 0}, dice); });
  refuses<ShapeError>("rotate_pairs: needs [B, T, H, K] got [2, 3, 1, 5]", [] {
    nn::rotate_pairs(constant({2, 3, 1, 5}), {});
  });
  refuses<ShapeError>("rotate_pairs: needs [B, T, H, K] got [2, 3, 4]", [] {
    nn::rotate_pairs_composed(constant({2, 3, 4}), {});
  });
  refuses<ShapeError>("rotate_pairs: [2, 3] got i64 [2, 4]", [] {
    nn::rotate_pairs(constant({2, 3, 1, 4}), {.at = ids({0, 1, 2, 3, 0, 1, 2, 3}).view({2, 4})});
  });
  refuses("AlibiBias: got 0", [] { nn::AlibiBias({.heads = 0}, dice); });
  refuses("AlibiBias: got -1", [] { nn::alibi_slopes(-1); });
  refuses("T5Bias: head got 0", [] { nn::T5Bias({.heads = 0}, dice); });
  refuses("T5Bias: direction got 4 2", [] {
    nn::T5Bias({.settings = {{"buckets", 4}, {"max_distance", 2}}, .heads = 2, .causal = true}, dice);
  });
  refuses("T5Bias: direction got 32 8", [] { nn::T5Bias({.settings = {{"max_distance", 8}}, .heads = 2}, dice); });
}

TEST_CASE("bad input: multi-head attention of three widths") {
  refuses<ShapeError>("MultiHeadAttention: key must [B, S, 3] got [2, 3, 4]", [] {
    nn::MultiHeadAttention({.model = 4, .heads = 2, .key = 3, .value = 5}, dice)(constant({2, 3, 4}));
  });
}

TEST_CASE("bad input: key-value and hierarchical attention") {
  refuses("KeyValueAttention: 1 2 or 3 got 4", [] { parts({.width = 8, .parts = 4}); });
  refuses("KeyValueAttention: divide got 3 8", [] { parts({.width = 8, .parts = 3}); });
  refuses("KeyValueAttention: window 1 got 0", [] { parts({.width = 9, .window = 0}); });
  refuses<ShapeError>("KeyValueAttention: [B, T, 6] got [2, 3, 5]", [] {
    nn::KeyValueAttention({.width = 6}, dice)(constant({2, 3, 5}));
  });
  refuses("previous_mask: got -1", [] { nn::previous_mask({.queries = 2, .keys = 2}, -1); });
  refuses<ShapeError>("HierarchicalAttention: [B, M, L] [B, M] got i64 [2, 3] i64 [2, 3]", [] {
    document(wholes({2, 3}), wholes({2, 3}));
  });
  refuses("HierarchicalAttention: length [0, 2] got 3 1 0", [] {
    document(wholes({1, 2, 2}), ids({1, 3}).view({1, 2}));
  });
  refuses("HierarchicalAttention: words got 1", [] { document(wholes({2, 1, 2}), ids({1, 0}).view({2, 1})); });
}

// A place beyond the table is refused with a sentence that says how long the table is.
TEST_CASE("bad input: positions" * holds("beyond_the_table_is_an_error")) {
  refuses("SinusoidalPositions: 1 got 0", [] { nn::SinusoidalPositions({.width = 0}, dice); });
  refuses<ShapeError>("SinusoidalPositions: [B, T, 4] got [3, 4]", [] {
    nn::SinusoidalPositions({.width = 4}, dice)(constant({3, 4}));
  });
  refuses("sinusoidal_positions: got 4 3 -1", [] { nn::sinusoidal_positions(3, {.width = 4}, -1); });
  refuses("LearnedPositions: 1 got 0 4", [] { nn::LearnedPositions({.positions = 0, .width = 4}, dice); });
  refuses<ShapeError>("LearnedPositions: [B, T, 4] got [1, 2, 3]", [] {
    nn::LearnedPositions({.positions = 5, .width = 4}, dice)(constant({1, 2, 3}));
  });
  refuses<IndexError>("LearnedPositions: 0 4 got 3 to 5", [] {
    nn::LearnedPositions({.positions = 5, .width = 4}, dice)(constant({1, 3, 4}), 3);
  });
}

TEST_CASE("bad input: LSTMN") {
  refuses("LSTMN: got -1", [] { nn::LSTMN({.input = 2, .hidden = 2, .tape = -1}, dice); });
  refuses<ShapeError>("LSTMN: [B, T, 2] 1 got [1, 0, 2]", [] {
    nn::LSTMN({.input = 2, .hidden = 2}, dice)(constant({1, 0, 2}));
  });
  refuses("LSTMNDecoder: got both", [] { nn::LSTMNDecoder({.input = 2, .hidden = 2, .fusion = "both"}, dice); });
}

TEST_CASE("bad input: pooling") {
  refuses("pool: got avg", [] { nn::pool("avg", constant({1, 2, 3})); });
  refuses<DTypeError>("pool: got i64", [] { nn::pool("position_encoding", wholes({1, 2, 3})); });
  refuses<ShapeError>("pool: needs [B, S, D] got [2, 3]", [] { nn::pool("mean", constant({2, 3})); });
  refuses<ShapeError>("pool: [1, 2] got bool [2]", [] { nn::pool("max", constant({1, 2, 3}), mask({2})); });
  refuses("Pooling: needs got", [] { nn::Pooling({.modes = {}, .width = 4}, dice); });
  refuses("Pooling: width 1 got 0", [] { nn::Pooling({}, dice); });
  refuses("attention: pooling got avg", [] { nn::Pooling({.modes = {"max", "avg"}, .width = 4}, dice); });
  refuses<ShapeError>("Pooling: needs [B, S, 4] got [1, 2, 3]", [] {
    nn::Pooling({.width = 4}, dice)(constant({1, 2, 3}));
  });
  refuses("AttentionPooling: rows 1 got 0",
          [] { nn::AttentionPooling({.score = {.name = "dot", .query = 2, .key = 2}, .rows = 0}, dice); });
  refuses("AttentionPooling: without got", [] {
    nn::AttentionPooling({.score = {.name = "dot", .query = 2, .key = 2}, .learned = false}, dice)(constant({1, 2, 2}),
                                                                                                   constant({1, 2, 2}));
  });
  refuses("MultiHeadPooling: 1 got 0", [] { nn::MultiHeadPooling({.model = 4, .heads = 2, .seeds = 0}, dice); });
}
