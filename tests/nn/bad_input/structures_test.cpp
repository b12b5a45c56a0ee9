// What the structures, positions and poolings refuse.
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/memories/ring.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/learned_bias.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/score_bias.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/skew.h"
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

TEST_SUITE("unit") {
  TEST_CASE("bad input: multi-head attention") {
    refuses<ValueError>("MultiHeadAttention: the heads must divide the width of the model; got 3 heads of 8",
                        [] { heads({.model = 8, .heads = 3}); });
    refuses<ValueError>("MultiHeadAttention: a pruned head must be one of the 2 heads, from 0; got 2", [] {
      heads({.model = 4, .heads = 2, .pruned = {0, 2}});
    });
    refuses<ValueError>(
        "MultiHeadAttention: scores that are passed from layer to layer need an evaluator that has them; got linear; "
        "use auto",
        [] { heads({.model = 4, .heads = 2, .evaluator = {.name = "linear"}, .score_residual = true}); });
    refuses<ShapeError>("MultiHeadAttention: factors of the heads must be [2] or [1, 2]; got [3]", [] {
      nn::MultiHeadAttention({.model = 4, .heads = 2}, dice)(constant({1, 2, 4}), {.heads = constant({3})});
    });
    refuses<ValueError>("MultiHeadAttention: the heads must divide the width of the model; got 0 heads of 8",
                        [] { heads({.model = 8, .heads = 0}); });
    refuses<ValueError>("MultiHeadAttention: widths must be positive; got keys 8 and values -1",
                        [] { heads({.model = 8, .heads = 2, .value = -1}); });
    refuses<ValueError>(
        "MultiHeadAttention: a scope that scales the weights needs a normaliser that spreads them; got local_p with "
        "argmax; use a mask",
        [] { heads({.model = 8, .heads = 2, .scope = {.name = "local_p"}, .normaliser = {.name = "argmax"}}); });
    refuses<ValueError>("Dropout: p must lie in [0, 1]; got 2", [] { heads({.model = 8, .heads = 2, .dropout = 2}); });
    refuses<ShapeError>("MultiHeadAttention: query must be [B, T, 4]; got [2, 3, 5]", [] {
      attend_all({2, 3, 5}, {2, 3, 3}, {2, 3, 5});
    });
    refuses<ShapeError>("MultiHeadAttention: key must be [B, S, 3]; got [3, 3]", [] {
      attend_all({2, 3, 4}, {3, 3}, {2, 3, 5});
    });
    refuses<ShapeError>("MultiHeadAttention: value must be [B, S, 5]; got [2, 3, 4]", [] {
      attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 4});
    });
    refuses<ShapeError>("MultiHeadAttention: needs a value for each key; got keys [2, 3, 3] and values [2, 4, 5]", [] {
      attend_all({2, 3, 4}, {2, 3, 3}, {2, 4, 5});
    });
    refuses<ShapeError>("MultiHeadAttention: queries and keys must come from one batch; got 1 and 2", [] {
      attend_all({1, 3, 4}, {2, 3, 3}, {2, 3, 5});
    });
    refuses<ShapeError>("MultiHeadAttention: words must be bool [2, 3]; got bool [3, 2]", [] {
      attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 5}, {.words = mask({3, 2})});
    });
    refuses<ShapeError>("MultiHeadAttention: words must be bool [2, 3]; got i64 [2, 3]", [] {
      attend_all({2, 3, 4}, {2, 3, 3}, {2, 3, 5}, {.words = wholes({2, 3})});
    });
    refuses<ShapeError>(
        "MultiHeadAttention: the mask must broadcast to the scores; got mask [1, 2, 2, 2, 3] and scores [2, 2, 2, 3]; "
        "hint: of rank 3 it is [B, T, S]; one for each head is [1, H, T, S]",
        [] {
          attend_all({2, 2, 4}, {2, 3, 3}, {2, 3, 5}, {.allowed = mask({1, 2, 2, 2, 3}), .weights = true});
        });
    refuses<ShapeError>(
        "MultiHeadAttention: the bias must broadcast to the scores; got bias [4, 1, 2, 3] and scores [2, 2, 2, 3]; "
        "hint: of rank 3 it is [B, T, S]; one for each head is [1, H, T, S]",
        [] {
          attend_all({2, 2, 4}, {2, 3, 3}, {2, 3, 5}, {.bias = constant({4, 2, 3})});
        });
    refuses<ValueError>("MultiHeadAttention: the heads of keys must divide those of queries; got 3 of keys and 4 heads",
                        [] { heads({.model = 8, .heads = 4, .kv_heads = 3}); });
    refuses<ValueError>(
        "attention: no evaluator of this name; got `fast`; there are auto, dense, tiled, chunked, "
        "linear, differential",
        [] { heads({.model = 8, .heads = 2, .evaluator = {.name = "fast"}}); });
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator tiled cannot do this: the score is not a product of query and key; got the "
        "score cosine, the normaliser softmax, the scope global, the position none; use auto",
        [] { heads({.model = 8, .heads = 2, .score = {.name = "cosine"}, .evaluator = {.name = "tiled"}}); });
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator tiled cannot do this: the normaliser is not a softmax; got the score "
        "scaled_dot, the normaliser argmax, the scope global, the position none; use auto",
        [] { heads({.model = 8, .heads = 2, .normaliser = {.name = "argmax"}, .evaluator = {.name = "tiled"}}); });
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator tiled cannot do this: the position adds to values by weights that are never "
        "stored; got the score scaled_dot, the normaliser softmax, the scope global, the position shaw; use auto",
        [] { heads({.model = 8, .heads = 2, .position = {.name = "shaw"}, .evaluator = {.name = "tiled"}}); });
    refuses<ValueError>("chunked: chunk must be an integer in [1, 1000000000]; got 0", [] {
      heads({.model = 8, .heads = 2, .evaluator = {.name = "chunked", .settings = {{"chunk", 0}}}});
    });
    refuses<ValueError>("MultiHeadAttention: shaw_keys adds to products of query and key; got the score cosine", [] {
      heads({.model = 8, .heads = 2, .score = {.name = "cosine"}, .position = {.name = "shaw_keys"}});
    });
  }

  TEST_CASE("bad input: linear attention") {
    const nn::MultiHeadOptions plain{.model = 8, .heads = 2, .evaluator = {.name = "linear"}};
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator linear cannot do this: it takes the place of a softmax, and the normaliser "
        "is not one; got the score scaled_dot, the normaliser argmax, the scope global, the position none; use auto",
        [&] {
          nn::MultiHeadOptions o = plain;
          o.normaliser.name = "argmax";
          heads(o);
        });
    nn::MultiHeadAttention m(plain, dice);
    refuses<ValueError>(
        "linear: scores are never made, so nothing can be added to them; got a bias [3, 3]; hint: a mask, or the "
        "evaluator "
        "auto",
        [&] {
          m(constant({2, 3, 8}), {.bias = constant({3, 3})});
        });
    NoGrad no_grad;
    nn::HeadCache cache;
    refuses<ValueError>("linear: it reads from its own running state; got another memory; hint: memory() makes one",
                        [&] {
                          m.extend(constant({2, 1, 8}), cache);
                        });
    refuses<ValueError>(
        "linear: a running state holds no single words that could be masked; got a mask; hint: a key padding mask is "
        "applied when words are added",
        [&] {
          m.extend(constant({2, 3, 8}), *m.memory(), {.allowed = mask({3, 3})});
        });
    auto state = m.memory();
    state->append({constant({2, 1, 2, 3}), constant({2, 1, 2, 4})});
    refuses<ShapeError>(
        "LinearMemory: words must be [B, G, n, ..] and fit those before; got [3, 1, 1, 3] and [3, 1, 1, 4]", [&] {
          state->append({constant({3, 1, 1, 3}), constant({3, 1, 1, 4})});
        });
    CHECK(state->words() == 2);
  }

  TEST_CASE("bad input: differential attention") {
    auto differential = [](nn::MultiHeadOptions o) {
      if (o.evaluator.settings.empty()) o.position.name = "rope";
      o.evaluator.name = "differential";
      heads(o);
    };
    refuses<ValueError>(
        "MultiHeadAttention: the evaluator differential cannot do this: the position turns pairs of entries, which the "
        "cut into halves would part; got the score scaled_dot, the normaliser softmax, the scope global, the position "
        "rope; use auto",
        [&] { differential({.model = 12, .heads = 2}); });
    refuses<ValueError>("differential: layer must be an integer in [0, 1000000]; got -1", [&] {
      differential({.model = 12, .heads = 2, .evaluator = {.settings = {{"layer", -1}}}});
    });
  }

  TEST_CASE("bad input: positions inside a head, and on the scores") {
    refuses<ValueError>("XLPositions: needs at least one head and its width; got 2 heads of width 0",
                        [] { nn::XLPositions({.key = 0, .heads = 2}, dice); });
    refuses<ValueError>(
        "attention: no position of this name; got `roap`; there are shaw, shaw_keys, skew, xl, t5, alibi, "
        "rope, rope_interleaved, xpos, rope_linear, rope_ntk, rope_yarn, none, kerple, kerple_power, fire, rope_2d, "
        "disentangled",
        [] { heads({.model = 8, .heads = 2, .position = {.name = "roap"}}); });
    refuses<ValueError>("rope: turns pairs, so a head must have an even width; got 3",
                        [] { heads({.model = 6, .heads = 2, .position = {.name = "rope"}}); });
    refuses<ValueError>("rope_interleaved: base must be a number in [1.001, 1000000000000]; got 1", [] {
      heads({.model = 8, .heads = 2, .position = {.name = "rope_interleaved", .settings = {{"base", 1}}}});
    });
    refuses<ValueError>("xpos: turns pairs, so a head must have an even width; got 3",
                        [] { heads({.model = 6, .heads = 2, .position = {.name = "xpos"}}); });
    refuses<ValueError>("rope_2d: turns pairs, so a head must have an even width; got 3",
                        [] { heads({.model = 6, .heads = 2, .position = {.name = "rope_2d"}}); });
    refuses<ValueError>("rotate_pairs: there must be one theta for each pair of entries; got 3 for a width of 4", [] {
      nn::rotate_pairs(constant({1, 2, 1, 4}), {.thetas = {1, 2, 3}});
    });
    refuses<ValueError>("SkewPositions: needs at least one head and its width; got 2 heads of width 0",
                        [] { nn::SkewPositions({.key = 0, .heads = 2}, dice); });
    refuses<ValueError>("KerpleBias: needs at least one head; got 0", [] { nn::KerpleBias({.heads = 0}, dice); });
    refuses<ValueError>("FireBias: needs at least one head; got 0", [] { nn::FireBias({.heads = 0}, dice); });
    refuses<ValueError>("shaw: max_distance must be an integer in [0, 65536]; got -1", [] {
      heads({.model = 8, .heads = 2, .position = {.name = "shaw", .settings = {{"max_distance", -1}}}});
    });
    refuses<ShapeError>("rotate_pairs: needs x [B, T, H, K] of an even width K; got [2, 3, 1, 5]", [] {
      nn::rotate_pairs(constant({2, 3, 1, 5}), {});
    });
    refuses<ShapeError>("rotate_pairs: needs x [B, T, H, K] of an even width K; got [2, 3, 4]", [] {
      nn::rotate_pairs_composed(constant({2, 3, 4}), {});
    });
    refuses<ShapeError>("rotate_pairs: places must be i64 [2, 3]; got i64 [2, 4]", [] {
      nn::rotate_pairs(constant({2, 3, 1, 4}), {.at = ids({0, 1, 2, 3, 0, 1, 2, 3}).view({2, 4})});
    });
    refuses<ValueError>("AlibiBias: needs at least one head; got 0", [] { nn::AlibiBias({.heads = 0}, dice); });
    refuses<ValueError>("AlibiBias: needs at least one head; got -1", [] { nn::alibi_slopes(-1); });
    refuses<ValueError>("T5Bias: needs at least one head; got 0", [] { nn::T5Bias({.heads = 0}, dice); });
    refuses<ValueError>(
        "T5Bias: needs at least two buckets a direction, and a distance beyond those of one; got 4 and 2", [] {
          nn::T5Bias({.settings = {{"buckets", 4}, {"max_distance", 2}}, .heads = 2, .causal = true}, dice);
        });
    refuses<ValueError>(
        "T5Bias: needs at least two buckets a direction, and a distance beyond those of one; got 32 and 8", [] {
          nn::T5Bias({.settings = {{"max_distance", 8}}, .heads = 2}, dice);
        });
  }

  TEST_CASE("bad input: multi-head attention of three widths") {
    refuses<ShapeError>("MultiHeadAttention: key must be [B, S, 3]; got [2, 3, 4]", [] {
      nn::MultiHeadAttention m({.model = 4, .heads = 2, .key = 3, .value = 5}, dice);
      m(constant({2, 3, 4}));
    });
  }

  TEST_CASE("bad input: key-value and hierarchical attention") {
    refuses<ValueError>("KeyValueAttention: parts must be 1, 2 or 3; got 4", [] { parts({.width = 8, .parts = 4}); });
    refuses<ValueError>(
        "KeyValueAttention: the parts must divide the width; got 3 parts of 8; hint: key_value:parts=2, or another "
        "width",
        [] { parts({.width = 8, .parts = 3}); });
    refuses<ValueError>("KeyValueAttention: the window must be at least 1; got 0",
                        [] { parts({.width = 9, .window = 0}); });
    refuses<ShapeError>("KeyValueAttention: needs outputs [B, T, 6]; got [2, 3, 5]", [] {
      nn::KeyValueAttention m({.width = 6}, dice);
      m(constant({2, 3, 5}));
    });
    refuses<ValueError>("previous_mask: the width must not be negative; got -1",
                        [] { nn::previous_mask({.queries = 2, .keys = 2}, -1); });
    refuses<ShapeError>(
        "HierarchicalAttention: needs ids [B, M, L] and lengths [B, M], both i64; got i64 [2, 3] and i64 [2, 3]", [] {
          document(wholes({2, 3}), wholes({2, 3}));
        });
    refuses<ValueError>("HierarchicalAttention: a length must lie in [0, 2]; got 3 in sentence 1 of document 0", [] {
      document(wholes({1, 2, 2}), ids({1, 3}).view({1, 2}));
    });
    refuses<ValueError>("HierarchicalAttention: a document must have words; got none in 1", [] {
      document(wholes({2, 1, 2}), ids({1, 0}).view({2, 1}));
    });
  }

  TEST_CASE("bad input: positions") {
    refuses<ValueError>("SinusoidalPositions: width must be at least 1; got 0",
                        [] { nn::SinusoidalPositions({.width = 0}, dice); });
    refuses<ShapeError>("SinusoidalPositions: needs x [B, T, 4]; got [3, 4]", [] {
      nn::SinusoidalPositions m({.width = 4}, dice);
      m(constant({3, 4}));
    });
    refuses<ValueError>("sinusoidal_positions: needs a width, and no negative position; got width 4, count 3, first -1",
                        [] { nn::sinusoidal_positions(3, {.width = 4}, -1); });
    refuses<ValueError>("LearnedPositions: sizes must be at least 1; got 0 positions of width 4",
                        [] { nn::LearnedPositions({.positions = 0, .width = 4}, dice); });
    refuses<ShapeError>("LearnedPositions: needs x [B, T, 4]; got [1, 2, 3]", [] {
      nn::LearnedPositions m({.positions = 5, .width = 4}, dice);
      m(constant({1, 2, 3}));
    });
    refuses<IndexError>("LearnedPositions: the table has the positions 0 to 4; got 3 to 5", [] {
      nn::LearnedPositions m({.positions = 5, .width = 4}, dice);
      m(constant({1, 3, 4}), 3);
    });
  }

  TEST_CASE("bad input: LSTMN") {
    refuses<ValueError>("LSTMN: the tape's length must not be negative; got -1",
                        [] { nn::LSTMN({.input = 2, .hidden = 2, .tape = -1}, dice); });
    refuses<ShapeError>("LSTMN: needs x [B, T, 2] with T at least 1; got [1, 0, 2]", [] {
      nn::LSTMN m({.input = 2, .hidden = 2}, dice);
      m(constant({1, 0, 2}));
    });
    refuses<ValueError>("LSTMNDecoder: no fusion of this name; got `both`; there are none, shallow, deep",
                        [] { nn::LSTMNDecoder({.input = 2, .hidden = 2, .fusion = "both"}, dice); });
  }

  TEST_CASE("bad input: pooling") {
    refuses<ValueError>(
        "pool: no pooling of this name; got `avg`; there are cls, lasttoken, max, mean, mean_sqrt_len_tokens, "
        "weightedmean, sum, position_encoding",
        [] {
          nn::pool("avg", constant({1, 2, 3}));
        });
    refuses<DTypeError>("pool: position_encoding needs numbers with fractions; got x i64", [] {
      nn::pool("position_encoding", wholes({1, 2, 3}));
    });
    refuses<ShapeError>("pool: needs x [B, S, D]; got [2, 3]", [] { nn::pool("mean", constant({2, 3})); });
    refuses<ShapeError>("pool: words must be bool [1, 2]; got bool [2]", [] {
      nn::pool("max", constant({1, 2, 3}), mask({2}));
    });
    refuses<ValueError>("Pooling: needs at least one mode; got none",
                        [] { nn::Pooling({.modes = {}, .width = 4}, dice); });
    refuses<ValueError>("Pooling: width must be at least 1; got 0", [] { nn::Pooling({}, dice); });
    refuses<ValueError>(
        "attention: no pooling of this name; got `avg`; there are lasttoken, cls, mean, max, mean_sqrt_len_tokens, "
        "weightedmean, attention, multi_head_pooling, sum, position_encoding, hierarchical, structured, feature_wise, "
        "memory_network, set_transformer, slot_attention, hopfield, dynamic_memory, squeeze_excite",
        [] {
          nn::Pooling({.modes = {"max", "avg"}, .width = 4}, dice);
        });
    refuses<ShapeError>("Pooling: needs x [B, S, 4]; got [1, 2, 3]", [] {
      nn::Pooling m({.width = 4}, dice);
      m(constant({1, 2, 3}));
    });
    refuses<ValueError>("AttentionPooling: rows must be at least 1; got 0", [] {
      nn::AttentionPooling({.score = {.name = "dot", .query = 2, .key = 2}, .rows = 0}, dice);
    });
    refuses<ValueError>(
        "AttentionPooling: it was built without a query of its own; got none; hint: ask(query, ..)", [] {
          nn::AttentionPooling m({.score = {.name = "dot", .query = 2, .key = 2}, .learned = false}, dice);
          m(constant({1, 2, 2}), constant({1, 2, 2}));
        });
    refuses<ValueError>("MultiHeadPooling: seeds must be at least 1; got 0",
                        [] { nn::MultiHeadPooling({.model = 4, .heads = 2, .seeds = 0}, dice); });
  }
}
