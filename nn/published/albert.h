// ALBERT (Lan et al., ICLR 2020): BERT whose layers share their weights (all of them, or the layers of a group) and
// whose word vectors are narrower than the model. The second task of its training is to tell the order of two
// sentences.
#pragma once

#include "nn/published/bert.h"

namespace heed::nn::published {

inline ModelOptions albert_options(const Config& c, const Has& has) {
  c.only("inner_group_num", 1), c.only("layers_to_keep", io::Json::array()),
      c.only("position_embedding_type", "absolute");
  for (const char* old : {"down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks"}) c.ignore(old);
  TowerOptions t = bert_tower(c, 1e-12);
  for (BlockOptions& block : t.blocks) {
    block.activation = known_activation(c, "hidden_act", "gelu_new");
    block.dropout = c.number("hidden_dropout_prob", 0),
    block.attention_dropout = c.number("attention_probs_dropout_prob", 0);
  }
  t.kinds = c.size_or("type_vocab_size", 2), t.width = c.size_or("embedding_size", 128);
  const size_t layers = t.blocks.size(), groups = static_cast<size_t>(c.size_or("num_hidden_groups", 1));
  if (groups > layers) c.refuse("num_hidden_groups", "must be at most the number of layers");
  for (size_t i = 0; i < layers; ++i) t.order.push_back(i * groups / layers);
  t.blocks.resize(groups);
  ModelOptions o{.encoder = t};
  const int64_t D = t.block().model;
  if (has("pooler.weight"))
    o.heads.push_back({.name = "pooler", .reads = "first", .in = D, .inner = D, .activation = "tanh"});
  if (has("predictions.dense.weight"))
    o.heads.push_back(masked_words(t, t.block().activation)), tie(o, "masked_words", "encoder");
  if (has("sop_classifier.classifier.weight"))
    o.heads.push_back({.name = "sentence_order", .reads = "pooled", .in = D, .out = c.labels()});
  if (has("classifier.weight") || has("qa_outputs.weight")) o.heads.push_back(task_head(c, t, "pooled"));
  return o;
}

inline Family albert() {
  return {{"albert"},
          "albert.",
          albert_options,
          {{"embeddings.word_embeddings", "encoder.words"},
           {"embeddings.position_embeddings", "encoder.positions"},
           {"embeddings.token_type_embeddings", "encoder.kinds"},
           {"embeddings.LayerNorm", "encoder.embedding_norm"},
           {"encoder.embedding_hidden_mapping_in", "encoder.projection"},
           {"encoder.albert_layer_groups.#.albert_layers.0.attention.query", "encoder.blocks.#.self.q_proj"},
           {"encoder.albert_layer_groups.#.albert_layers.0.attention.key", "encoder.blocks.#.self.k_proj"},
           {"encoder.albert_layer_groups.#.albert_layers.0.attention.value", "encoder.blocks.#.self.v_proj"},
           {"encoder.albert_layer_groups.#.albert_layers.0.attention.dense", "encoder.blocks.#.self.out_proj"},
           {"encoder.albert_layer_groups.#.albert_layers.0.attention.LayerNorm", "encoder.blocks.#.self_norm"},
           {"encoder.albert_layer_groups.#.albert_layers.0.ffn", "encoder.blocks.#.up"},
           {"encoder.albert_layer_groups.#.albert_layers.0.ffn_output", "encoder.blocks.#.down"},
           {"encoder.albert_layer_groups.#.albert_layers.0.full_layer_layer_norm", "encoder.blocks.#.feed_norm"},
           {"pooler", "heads.pooler.inner"},
           {"predictions.dense", "heads.masked_words.inner"},
           {"predictions.LayerNorm", "heads.masked_words.norm"},
           {"predictions.bias", "heads.masked_words.out.bias"},
           {"predictions.decoder", "heads.masked_words.out"},
           {"sop_classifier.classifier", "heads.sentence_order.out"},
           {"classifier", "heads.classes.out"},
           {"classifier", "heads.word_classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
