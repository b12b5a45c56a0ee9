// Cases of nn/transformer/. Lengths and segments mark the padding. The id <pad> itself does not occur, because its row
// of the embedding gets no gradient by definition.
#include "nn/cases/examples.h"
#include "nn/transformer/bert.h"
#include "nn/transformer/language_model.h"
#include "nn/transformer/recurrent_memory.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

CaseRow any_norm() {
  auto call = [](nn::AnyNorm& m, In in) { return m(in[0]); };
  std::vector<Case> cases;
  for (const char* name : {"layer", "rms"})
    cases.push_back(module_case<nn::AnyNorm>(name, {.name = name, .width = 4}, {{2, 3, 4}}, call));
  return nn::module_row("AnyNorm", std::move(cases));
}

CaseRow feed_forward() {
  auto call = [](nn::FeedForward& m, In in) { return m(in[0]); };
  std::vector<Case> cases;
  for (const char* name : {"relu", "gelu", "geglu", "swiglu"})
    cases.push_back(
        module_case<nn::FeedForward>(name, {.model = 3, .inner = 4, .activation = name}, {{2, 2, 3}}, call));
  cases.push_back(module_case<nn::FeedForward>(
      "dropout", {.model = 3, .inner = 4, .activation = "gelu", .dropout = 0.4}, {{2, 2, 3}}, call));
  return nn::module_row("FeedForward", std::move(cases));
}

CaseRow layer() {
  using M = nn::TransformerLayer;
  auto self = [](M& m, In in) {
    auto [output, weights] = m(in[0], {.self = {.words = words(), .weights = true}});
    return nn::together({output, weights});
  };
  auto cross = [](M& m, In in) {
    auto [output, weights] = m(in[0], {.memory = in[1], .cross = {.words = words(), .weights = true}});
    return nn::together({output, weights});
  };
  nn::TransformerLayerOptions encodes{.model = 4, .heads = 2, .inner = 3, .activation = "gelu"},
      first = encodes, decodes = encodes, drops = encodes, placed;
  first.norm_first = first.causal = true, first.norm = "rms", first.activation = "swiglu";
  decodes.causal = decodes.cross = true;
  placed = decodes, placed.kv_heads = 1, placed.around = {{"query_key_norm"}};
  placed.position = {.name = "shaw", .settings = {{"max_distance", 1}}};
  drops.dropout = drops.attention_dropout = drops.inner_dropout = 0.3;
  return nn::module_row("TransformerLayer",
                        {module_case<M>("encoder, norm last", encodes, {{2, 3, 4}}, self),
                         module_case<M>("causal, rms norm first, SwiGLU", first, {{2, 3, 4}}, self),
                         module_case<M>("encoder, dropout in every place", drops, {{2, 3, 4}}, self),
                         module_case<M>("decoder, norm last", decodes, {{2, 2, 4}, {2, 3, 4}}, cross),
                         module_case<M>("decoder, Shaw's positions, one head of keys, normed queries and keys", placed,
                                        {{2, 2, 4}, {2, 3, 4}}, cross)});
}

CaseRow stack() {
  auto call = [](nn::TransformerStack& m, In in) { return m(in[0]).output; };
  nn::TransformerLayerOptions layer{.model = 4, .heads = 2, .inner = 3, .activation = "gelu", .norm_first = true};
  nn::TransformerLayerOptions rope = layer, t5 = layer, alibi = layer;
  rope.position.name = "rope", t5.position.name = "t5", alibi.position.name = "alibi", t5.causal = true;
  nn::TransformerLayerOptions values = layer, scores = layer;
  values.around = {{"value_residual"}}, scores.around = {{"score_residual"}}, scores.causal = true;
  return nn::module_row(
      "TransformerStack",
      {module_case<nn::TransformerStack>("2 layers", {.layer = layer, .layers = 2}, {{1, 3, 4}}, call),
       module_case<nn::TransformerStack>("rope", {.layer = rope, .layers = 1}, {{2, 3, 4}}, call),
       module_case<nn::TransformerStack>("T5's table, causal", {.layer = t5, .layers = 2}, {{1, 3, 4}}, call),
       module_case<nn::TransformerStack>("values of the first layer", {.layer = values, .layers = 2}, {{1, 3, 4}},
                                         call),
       module_case<nn::TransformerStack>("scores of the layer before, causal", {.layer = scores, .layers = 2},
                                         {{1, 3, 4}}, call),
       module_case<nn::TransformerStack>("keys of the first layer", {.layer = rope, .layers = 2, .shared_keys = 2},
                                         {{1, 3, 4}}, call),
       module_case<nn::TransformerStack>("ALiBi", {.layer = alibi, .layers = 1}, {{2, 3, 4}}, call),
       module_case<nn::TransformerStack>("2 layers, no final norm", {.layer = layer, .layers = 2, .final_norm = false},
                                         {{1, 3, 4}}, call)});
}

CaseRow embedding() {
  auto call = [](nn::TokenEmbedding& m, In) { return m(ids({4, 3, 4, 1}, {2, 2}), {.first = 1}); };
  auto placed = [](nn::TokenEmbedding& m, In) {
    return m(ids({4, 3, 4, 2}, {2, 2}), {.places = ids({0, 1, 0, 0}, {2, 2}), .kinds = ids({0, 1, 1, 1}, {2, 2})});
  };
  using M = nn::TokenEmbedding;
  return nn::module_row(
      "TokenEmbedding",
      {module_case<M>("sinusoidal", {.vocabulary = 5, .width = 3}, {}, call),
       module_case<M>("learned", {.vocabulary = 5, .width = 3, .positions = "learned", .max_positions = 3}, {}, call),
       module_case<M>("none, dropout", {.vocabulary = 5, .width = 3, .positions = "none", .dropout = 0.4}, {}, call),
       module_case<M>("a position and a kind for each word",
                      {.vocabulary = 5, .width = 3, .positions = "learned", .max_positions = 3, .kinds = 2}, {},
                      placed)});
}

nn::TransformerOptions small() {
  return {.source_vocabulary = 5,
          .target_vocabulary = 5,
          .model = 4,
          .heads = 2,
          .inner = 3,
          .encoder_layers = 1,
          .decoder_layers = 1,
          .activation = "gelu",
          .norm_first = true,
          .dropout = 0};
}
nn::Packed two_in_a_row(const std::vector<int64_t>& values) {
  return {.ids = ids(values, {1, 4}), .segments = ids({1, 1, 2, 0}, {1, 4})};
}

CaseRow transformer() {
  auto call = [](nn::Transformer& m, In) {
    return m(ids({4, 3, 4, 4, 3, 1}, {2, 3}), ids({3, 2}, {2}), ids({2, 4, 2, 3}, {2, 2}));
  };
  auto packed = [](nn::Transformer& m, In) { return m(two_in_a_row({4, 3, 3, 1}), two_in_a_row({2, 4, 2, 1})); };
  using M = nn::Transformer;
  nn::TransformerOptions paper = small();
  paper.norm_first = paper.final_norm = false;
  nn::TransformerOptions copies = small();
  copies.output = "pointer_generator";
  auto copy = [](nn::Transformer& m, In) {
    return m(ids({4, 5, 6, 5, 3, 1}, {2, 3}), ids({3, 2}, {2}), ids({2, 5, 2, 3}, {2, 2}));
  };
  return nn::module_row("Transformer",
                        {module_case<M>("norm first", small(), {}, call), module_case<M>("norm last", paper, {}, call),
                         module_case<M>("packed", small(), {}, packed),
                         module_case<M>("pointer_generator, copies the words 5 and 6", copies, {}, copy),
                         module_case<M>("pointer_generator, packed", copies, {}, packed)});
}

CaseRow halves(bool reads) {
  auto annotate = [](nn::Bert& m, In) { return m(ids({4, 3, 4, 4, 3, 1}, {2, 3}), ids({3, 2}, {2})); };
  auto predict = [](nn::LanguageModel& m, In) { return m(ids({4, 3, 4, 4, 3, 1}, {2, 3})); };
  if (reads) return nn::module_row("Bert", {module_case<nn::Bert>("B 2, S 3", small(), {}, annotate)});
  return nn::module_row("LanguageModel", {module_case<nn::LanguageModel>("B 2, T 3", small(), {}, predict)});
}

// Two segments, the second of one word.
CaseRow recurrent_memory() {
  auto call = [](nn::RecurrentMemory& m, In in) { return m(in[0]); };
  nn::TransformerLayerOptions layer{.model = 4, .heads = 2, .inner = 3, .activation = "gelu", .norm_first = true};
  layer.causal = true;
  return nn::module_row(
      "RecurrentMemory",
      {module_case<nn::RecurrentMemory>(
          "two segments", {.stack = {.layer = layer, .layers = 1}, .memories = 1, .segment = 2}, {{2, 3, 4}}, call)});
}

}  // namespace

std::vector<CaseRow> transformer_cases() {
  return {any_norm(),    feed_forward(), layer(),       stack(),           embedding(),
          transformer(), halves(true),   halves(false), recurrent_memory()};
}

}  // namespace heed
