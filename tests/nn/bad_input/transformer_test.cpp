// What the transformers and their searches refuse.
#include "nn/models/translation_model.h"
#include "nn/transformer/bert.h"
#include "nn/transformer/language_model.h"
#include "tests/nn/bad_input/refuses.h"

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
nn::TransformerOptions with_output(const std::string& name) {
  nn::TransformerOptions o = small();
  o.output = name;
  return o;
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
// What the model of the changed options says.
template <class Change>
void refused(const char* row, const Change& change, int line = __builtin_LINE()) {
  refuses(
      row, [&] { build(change); }, __FILE__, line);
}
}  // namespace

TEST_CASE("bad input: options of a transformer") {
  refused("Transformer: activation got tanh relu gelu geglu swiglu", [](auto& o) { o.activation = "tanh"; });
  refused("Transformer: got circular sinusoidal learned", [](auto& o) { o.positions = "circular"; });
  refused("rope: widths got 1 1", [](auto& o) { o.positions = "rope", o.heads = 4; });
  refused("Transformer: queries got 3 2", [](auto& o) { o.kv_heads = 3; });
  refused("Transformer: queries got -1 2", [](auto& o) { o.kv_heads = -1; });
  refuses<IoError>("Transformer: queries got 3 2",
                   [] { nn::transformer_options_from(nn::to_json(small()).set("kv_heads", 3)); });
  refused("Transformer: width got 3 4", [](auto& o) { o.heads = 3; });
  refused("Transformer: embeddings got 8 9", [](auto& o) { o.tie = "all", o.source_vocabulary = 8; });
  refused("Transformer: pointer got 8 9", [](auto& o) { o.output = "pointer", o.source_vocabulary = 8; });
  refused("Transformer: pointer_generator 1 got differential",
          [](auto& o) { o.output = "pointer_generator", o.evaluator = "differential"; });
  refused("Transformer: pointer_generator 1 got sigmoid",
          [](auto& o) { o.output = "pointer_generator", o.normaliser = "sigmoid"; });
  refused("Transformer: output got copy softmax pointer_generator pointer copynet", [](auto& o) { o.output = "copy"; });
  refuses("LanguageModel: got pointer", [] { nn::LanguageModel(with_output("pointer"), dice); });
  refuses("Bert: got pointer_generator", [] { nn::Bert(with_output("pointer_generator"), dice); });
  refused("Transformer: scores one scope got score_residual",
          [](auto& o) { o.around["score_residual"].on = true, o.mixers = "window:1"; });
  refused("Transformer: head 1 2 got 1.0", [](auto& o) { o.around["pruned_heads"].text = "0.1,1.0"; });
  refused("Transformer: separated got 0", [](auto& o) { o.around["pruned_heads"].text = "0"; });
  for (const char* text : {"1", "0.", ".1", "0.1.2", "0.x"})
    refuses(fmt::format("Transformer: separated got {}", text).c_str(),
            [&] { build([&](auto& o) { o.around["pruned_heads"].text = text; }); });
  refused("Transformer: pointer_generator 1 got monotonic",
          [](auto& o) { o.output = "pointer_generator", o.normaliser = "monotonic"; });
  refused("Transformer: dropout [0, 1) got 1", [](auto& o) { o.dropout = 1; });
  refused("Transformer: attention_dropout [0, 1) got -0.5", [](auto& o) { o.attention_dropout = -0.5; });
  refused("Transformer: inner_dropout [0, 1) got 2", [](auto& o) { o.inner_dropout = 2; });
  refused("Embedding: vocabulary 1 got 0", [](auto& o) { o.source_vocabulary = 0; });
  refused("Transformer: got attentoin", [](auto& o) { o.mixers = "attention,attentoin"; });
  refuses<IoError>("json: haeds option nearest heads", [] {
    nn::transformer_options_from(io::Json::object({{"haeds", 4}}));
  });
}

TEST_CASE("bad input: parts of a transformer") {
  refuses("norm: got batch", [] { nn::AnyNorm({.name = "batch", .width = 4}, dice); });
  refuses("FeedForward: got glu", [] { nn::FeedForward({.model = 4, .inner = 3, .activation = "glu"}, dice); });
  refuses("TransformerStack: needs got 0",
          [] { nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 0}, dice); });
  refuses("TransformerLayer: got none", [] { layer(true, false); });
  refuses("TransformerLayer: cross-attention got", [] { layer(false, true); });
  for (const char* normaliser : {"", "sinkhorn"})
    refuses(fmt::format("TransformerLayer: later got {}", *normaliser ? "normaliser sinkhorn" : "evaluator nystrom")
                .c_str(),
            [&] {
              nn::TransformerLayerOptions o{.model = 4, .heads = 2, .inner = 3, .causal = true, .cross = true};
              o.mixer.name = "average", o.normaliser.name = normaliser;
              if (!*normaliser) o.evaluator.name = "nystrom";
              nn::TransformerLayer(o, dice);
            });
  refuses<ShapeError>("TokenEmbedding: position got [3] [1, 2]", [] {
    nn::TokenEmbedding({.vocabulary = 5, .width = 3}, dice)(wholes({1, 2}), {.places = wholes({3})});
  });
  refuses("TokenEmbedding: model got", [] { nn::Bert(small(), dice)(wholes({1, 2}), ids({2}), wholes({1, 2})); });
}

TEST_CASE("bad input: what a transformer reads") {
  refuses<IndexError>("LearnedPositions: 0 2 got 0 to 3", [] { run(wholes({1, 4}), ids({4}), wholes({1, 2})); });
  refuses<IndexError>("LearnedPositions: 0 2 got 0 to 4", [] { run(wholes({1, 2}), ids({2}), wholes({1, 5})); });
  refuses<IndexError>("LearnedPositions: 0 2 got 3 word", [] {
    nn::Bert(small(), dice)(nn::Packed{wholes({1, 4}), wholes({1, 4})});
  });
  refuses<ShapeError>("Transformer: [B, S] [B] got i64 [2, 0] [2]", [] {
    run(wholes({2, 0}), ids({0, 0}), wholes({2, 2}));
  });
  refuses<ShapeError>("Transformer: [B, S] [B] got i64 [2, 2] [1]", [] {
    run(wholes({2, 2}), ids({2}), wholes({2, 2}));
  });
  refuses<ShapeError>("Transformer: [B, S] [B] got f32 [2, 2] [2]", [] {
    run(ones({2, 2}), ids({2, 2}), wholes({2, 2}));
  });
  refuses("length_mask: [1, 2] got 3 1", [] { run(wholes({2, 2}), ids({2, 3}), wholes({2, 2})); });
  refuses<ShapeError>("Transformer: target [2, T] got [1, 2]", [] {
    run(wholes({2, 2}), ids({2, 2}), wholes({1, 2}));
  });
  refuses<ShapeError>("TokenEmbedding: [B, T] got i64 [2, 0]", [] {
    run(wholes({2, 2}), ids({2, 2}), wholes({2, 0}));
  });
  refuses<IndexError>("index_select: index [0, 9) got 9 0", [] {
    run(Tensor::full({1, 2}, 9, DType::i64), ids({2}), wholes({1, 2}));
  });
}

TEST_CASE("bad input: packed rows and prompts") {
  refuses<IndexError>("pack: got 1 1", [] { nn::pack({{4}}, {{1}}); });
  refuses<ShapeError>("segment_places: [R, T] got i64 [3]", [] { nn::segment_places(wholes({3})); });
  refuses<ShapeError>("same_segment: [R, T] got f32 [2, 3]", [] { nn::same_segment(ones({2, 3}), wholes({2, 3})); });
  refuses<ShapeError>("same_segment: queries got [2, 3] [1, 3]", [] {
    nn::same_segment(wholes({2, 3}), wholes({1, 3}));
  });
  refuses<ShapeError>("LanguageModel: [B] [B, T] got i64 [3] [2, 3]", [] {
    nn::LanguageModel(small(), dice)(wholes({2, 3}), nullptr, wholes({3}));
  });
  refuses<IndexError>("LearnedPositions: 0 2 got 3 to 3", [] {
    nn::LanguageModel m(small(), dice);
    nn::LanguageModelSearch search(m, {{2, 4, 4}});
    search.next(ids({2}));
    search.next(ids({4}));
  });
}
