// What the transformers and their searches refuse.
#include "nn/decode/transformer_search.h"
#include "nn/models/translation_model.h"
#include "tests/nn/bad_input/refuses.h"
#include "tests/nn/bad_input/stage_names.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
nn::TransformerOptions small() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 9,
          .model = 4,
          .heads = 2,
          .inner = 3,
          .encoder_layers = 1,
          .decoder_layers = 1,
          .positions = "learned",
          .max_positions = 3};
}
template <class Change>
void build(const Change& change) {
  nn::TransformerOptions options = small();
  change(options);
  nn::Transformer(options, dice);
}
void run(const Tensor& source, const Tensor& lengths, const Tensor& target) {
  nn::Transformer(small(), dice)(source, lengths, target);
}
void layer(bool cross, bool source) {
  nn::TransformerLayer m({.model = 4, .heads = 2, .inner = 3, .cross = cross}, dice);
  m(constant({1, 2, 4}), {.memory = source ? constant({1, 2, 4}) : Variable()});
}
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: options of a transformer") {
    refuses<ValueError>(
        "TranslationModel: checkpointing computes layers of a transformer again; got a Seq2Seq and checkpoint 2", [] {
          const nn::Seq2SeqOptions tiny{.source_vocabulary = 8, .target_vocabulary = 8, .embedding = 2, .hidden = 3};
          nn::TranslationModel(tiny, dice).set_checkpoint(2);
        });
    refuses<ValueError>("Transformer: no activation of this name; got `tanh`; there are relu, gelu, geglu, swiglu",
                        [] { build([](auto& o) { o.activation = "tanh"; }); });
    refuses<ValueError>("Transformer: no norm of this name; got `batch`; there are layer, rms",
                        [] { build([](auto& o) { o.norm = "batch"; }); });
    refuses<ValueError>(
        "Transformer: no positions of this name; got `circular`; there are sinusoidal, learned, all positions",
        [] { without_names({nn::Kind::position}, [] { build([](auto& o) { o.positions = "circular"; }); }); });
    refuses<ValueError>("rope: turns pairs, so a head must have an even width; got 1",
                        [] { build([](auto& o) { o.positions = "rope", o.heads = 4; }); });
    refuses<ValueError>("Transformer: max_distance must lie in [-1, 65534]; got -2",
                        [] { build([](auto& o) { o.max_distance = -2; }); });
    refuses<ValueError>("Transformer: the heads of keys must divide those of queries; got 3 of keys and 2 heads",
                        [] { build([](auto& o) { o.kv_heads = 3; }); });
    refuses<ValueError>("Transformer: the heads of keys must divide those of queries; got -1 of keys and 2 heads",
                        [] { build([](auto& o) { o.kv_heads = -1; }); });
    refuses<IoError>("Transformer: the heads of keys must divide those of queries; got 3 of keys and 2 heads", [] {
      io::Json json = nn::to_json(small());
      json.set("kv_heads", 3);
      nn::transformer_options_from(json);
    });
    refuses<ValueError>("Transformer: no tie of this name; got `both`; there are none, target, all",
                        [] { build([](auto& o) { o.tie = "both"; }); });
    refuses<ValueError>("Transformer: the heads must divide the width of the model; got 3 heads of 4",
                        [] { build([](auto& o) { o.heads = 3; }); });
    refuses<ValueError>("Transformer: encoder_layers must lie in [1, 1024]; got 0",
                        [] { build([](auto& o) { o.encoder_layers = 0; }); });
    refuses<ValueError>("Transformer: embeddings that are one need one vocabulary; got 8 and 9 words; use tie target",
                        [] { build([](auto& o) { o.tie = "all", o.source_vocabulary = 8; }); });
    refuses<ValueError>(
        "Transformer: the output pointer copies words, so both sides need one vocabulary; got 8 and 9 words",
        [] { build([](auto& o) { o.output = "pointer", o.source_vocabulary = 8; }); });
    refuses<ValueError>(
        "Transformer: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, "
        "whose rows do not",
        [] { build([](auto& o) { o.output = "pointer_generator", o.evaluator = "differential"; }); });
    refuses<ValueError>(
        "Transformer: the output pointer_generator copies by weights that sum to 1; got the normaliser sigmoid, whose "
        "rows do not",
        [] { build([](auto& o) { o.output = "pointer_generator", o.normaliser = "sigmoid"; }); });
    refuses<ValueError>(
        "Transformer: no output of this name; got `copy`; there are softmax, pointer_generator, pointer, copynet",
        [] { build([](auto& o) { o.output = "copy"; }); });
    refuses<ValueError>(
        "TransformerLanguageModel: an output that copies needs a decoder with a source; got the output pointer; use "
        "softmax",
        [] {
          nn::TransformerOptions o = small();
          o.output = "pointer";
          nn::TransformerLanguageModel(o, dice);
        });
    refuses<ValueError>(
        "TransformerReader: an output that copies needs a decoder with a source; got the output pointer_generator; use "
        "softmax",
        [] {
          nn::TransformerOptions o = small();
          o.output = "pointer_generator";
          nn::TransformerReader(o, dice);
        });
    refuses<ValueError>(
        "Transformer: scores that are passed on need layers of one scope; got score residuals with the mixers window:1",
        [] { build([](auto& o) { o.score_residual = true, o.mixers = "window:1"; }); });
    refuses<ValueError>("Transformer: a pruned head must be one of 1 layers of 2 heads; got 1.0",
                        [] { build([](auto& o) { o.pruned_heads = "0.1,1.0"; }); });
    refuses<ValueError>("Transformer: pruned heads must be layer.head, separated by commas; got `0`; hint: 0.3,2.1",
                        [] { build([](auto& o) { o.pruned_heads = "0"; }); });
    for (const char* text : {"1", "0.", ".1", "0.1.2", "0.x"}) {
      std::string sentence = fmt::format(
          "Transformer: pruned heads must be layer.head, separated by commas; got `{}`; hint: 0.3,2.1", text);
      refuses<ValueError>(sentence.c_str(), [&] { build([&](auto& o) { o.pruned_heads = text; }); });
    }
    refuses<ValueError>(
        "Transformer: the output pointer_generator copies by weights that sum to 1; got the normaliser monotonic, "
        "whose rows do not",
        [] { build([](auto& o) { o.output = "pointer_generator", o.normaliser = "monotonic"; }); });
    refuses<ValueError>("Transformer: dropout must lie in [0, 1); got 1",
                        [] { build([](auto& o) { o.dropout = 1; }); });
    refuses<ValueError>("Transformer: attention_dropout must lie in [0, 1); got -0.5",
                        [] { build([](auto& o) { o.attention_dropout = -0.5; }); });
    refuses<ValueError>("Transformer: inner_dropout must lie in [0, 1); got 2",
                        [] { build([](auto& o) { o.inner_dropout = 2; }); });
    refuses<ValueError>("Embedding: vocabulary must be at least 1; got 0",
                        [] { build([](auto& o) { o.source_vocabulary = 0; }); });
    refuses<ValueError>(
        "Transformer: no mixer of this name; got `attentoin`; there are attention, all scopes, all evaluators, all "
        "mixers",
        [] {
          without_names({nn::Kind::scope, nn::Kind::evaluator, nn::Kind::mixer},
                        [] { build([](auto& o) { o.mixers = "attention,attentoin"; }); });
        });
    refuses<ValueError>("window: window must be an integer in [0, 1000000000]; got -1",
                        [] { build([](auto& o) { o.mixers = "window:-1"; }); });
    refuses<IoError>("Transformer: max_positions must lie in [1, 65536]; got 0", [] {
      io::Json json = nn::to_json(small());
      json.set("max_positions", 0);
      nn::transformer_options_from(json);
    });
    refuses<IoError>("Transformer: no tie of this name; got ``; there are none, target, all", [] {
      io::Json json = nn::to_json(small());
      json.set("tie", "");
      nn::transformer_options_from(json);
    });
    refuses<IoError>("json: key \"heads\" is missing", [] {
      nn::transformer_options_from(io::Json::object({{"model", 4}}));
    });
  }

  TEST_CASE("bad input: parts of a transformer") {
    refuses<ValueError>("norm: no norm of this name; got `batch`; there are layer, rms",
                        [] { nn::AnyNorm({.name = "batch", .width = 4}, dice); });
    refuses<ValueError>("FeedForward: no activation of this name; got `glu`; there are relu, gelu, geglu, swiglu",
                        [] { nn::FeedForward({.model = 4, .inner = 3, .activation = "glu"}, dice); });
    refuses<ValueError>("TransformerStack: needs at least one layer; got 0", [] {
      nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 0}, dice);
    });
    refuses<ValueError>("TransformerLayer: a source is what cross-attention reads; got none",
                        [] { layer(true, false); });
    refuses<ValueError>(
        "TransformerLayer: a source is what cross-attention reads; got one for a layer without cross-attention",
        [] { layer(false, true); });
    refuses<ShapeError>("TokenEmbedding: needs one position and one kind a word; got [3] for words [1, 2]", [] {
      nn::TokenEmbedding({.vocabulary = 5, .width = 3}, dice)(wholes({1, 2}), {.places = wholes({3})});
    });
    refuses<ValueError>("TokenEmbedding: this model knows no kinds of words; got some; set token_types", [] {
      nn::TransformerReader(small(), dice)(wholes({1, 2}), ids({2}), wholes({1, 2}));
    });
  }

  TEST_CASE("bad input: what a transformer reads") {
    refuses<IndexError>("LearnedPositions: the table has the positions 0 to 2; got 0 to 3", [] {
      run(wholes({1, 4}), ids({4}), wholes({1, 2}));
    });
    refuses<IndexError>("LearnedPositions: the table has the positions 0 to 2; got 0 to 4", [] {
      run(wholes({1, 2}), ids({2}), wholes({1, 5}));
    });
    refuses<IndexError>("LearnedPositions: the table has the positions 0 to 2; got 3 at a word", [] {
      nn::TransformerReader(small(), dice)(nn::Packed{wholes({1, 4}), wholes({1, 4})});
    });
    refuses<ShapeError>(
        "Transformer: needs a source [B, S] i64 of at least one word, and lengths [B]; got i64 [2, 0] and [2]", [] {
          run(wholes({2, 0}), ids({0, 0}), wholes({2, 2}));
        });
    refuses<ShapeError>(
        "Transformer: needs a source [B, S] i64 of at least one word, and lengths [B]; got i64 [2, 2] and [1]", [] {
          run(wholes({2, 2}), ids({2}), wholes({2, 2}));
        });
    refuses<ShapeError>(
        "Transformer: needs a source [B, S] i64 of at least one word, and lengths [B]; got f32 [2, 2] and [2]", [] {
          run(ones({2, 2}), ids({2, 2}), wholes({2, 2}));
        });
    refuses<ValueError>("length_mask: a length must lie in [1, 2]; got 3 in row 1", [] {
      run(wholes({2, 2}), ids({2, 3}), wholes({2, 2}));
    });
    refuses<ShapeError>("Transformer: needs a target [2, T], a row for each of the source; got [1, 2]", [] {
      run(wholes({2, 2}), ids({2, 2}), wholes({1, 2}));
    });
    refuses<ShapeError>("TokenEmbedding: needs ids [B, T] i64, at least one word; got i64 [2, 0]", [] {
      run(wholes({2, 2}), ids({2, 2}), wholes({2, 0}));
    });
    refuses<IndexError>("index_select: an index must lie in [0, 9); got 9 at position 0", [] {
      run(Tensor::full({1, 2}, 9, DType::i64), ids({2}), wholes({1, 2}));
    });
  }

  TEST_CASE("bad input: packed rows and prompts") {
    refuses<IndexError>("pack: no such sentence; got 1 of 1", [] { nn::pack({{4}}, {{1}}); });
    refuses<ShapeError>("segment_places: segments must be [R, T] i64; got i64 [3]",
                        [] { nn::segment_places(wholes({3})); });
    refuses<ShapeError>("same_segment: segments must be [R, T] i64; got f32 [2, 3]", [] {
      nn::same_segment(ones({2, 3}), wholes({2, 3}));
    });
    refuses<ShapeError>("same_segment: queries and keys must have as many rows; got [2, 3] and [1, 3]", [] {
      nn::same_segment(wholes({2, 3}), wholes({1, 3}));
    });
    refuses<ShapeError>("TransformerLanguageModel: needs the padding [B] i64 of ids [B, T]; got i64 [3] and [2, 3]",
                        [] {
                          nn::TransformerLanguageModel m(small(), dice);
                          m(wholes({2, 3}), nullptr, wholes({3}));
                        });
    refuses<IndexError>("LearnedPositions: the table has the positions 0 to 2; got 3 to 3", [] {
      nn::TransformerLanguageModel m(small(), dice);
      nn::LanguageModelSearch search(m, {{2, 4, 4}});
      search.next(ids({2}));
      search.next(ids({4}));
    });
  }
}
