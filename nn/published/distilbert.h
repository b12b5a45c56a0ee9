// DistilBERT (Sanh et al., 2019): BERT with half as many layers, trained to give the outputs of BERT itself
// (distillation); it has no segments and no pooler.
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions distilbert_options(const Config& c, const Has& has) {
  c.ignore("sinusoidal_pos_embds"), c.ignore("tie_weights_");  // the file has the table in either case
  BlockOptions block{.model = c.size("dim"),
                     .heads = c.size("n_heads"),
                     .inner = c.size("hidden_dim"),
                     .activation = known_activation(c, "activation", "gelu"),
                     .dropout = c.number("dropout", 0.1),
                     .attention_dropout = c.number("attention_dropout", 0.1)};
  TowerOptions t{.vocabulary = c.size("vocab_size"), .positions = c.size_or("max_position_embeddings", 512)};
  t.embedding_norm = true, t.blocks.assign(static_cast<size_t>(c.size("n_layers", 1024)), block);
  ModelOptions o{.encoder = t};
  if (has("vocab_transform.weight"))
    o.heads.push_back(masked_words(t, block.activation)), tie(o, "masked_words", "encoder");
  if (has("classifier.weight") || has("qa_outputs.weight")) {
    HeadOptions task = task_head(c, t, "first");
    if (has("pre_classifier.weight")) task.inner = block.model, task.activation = "relu";
    o.heads.push_back(task);
  }
  return o;
}

inline Family distilbert() {
  return {{"distilbert"},
          "distilbert.",
          distilbert_options,
          {{"embeddings.word_embeddings", "encoder.words"},
           {"embeddings.position_embeddings", "encoder.positions"},
           {"embeddings.LayerNorm", "encoder.embedding_norm"},
           {"transformer.layer.#.attention.q_lin", "encoder.blocks.#.self.q_proj"},
           {"transformer.layer.#.attention.k_lin", "encoder.blocks.#.self.k_proj"},
           {"transformer.layer.#.attention.v_lin", "encoder.blocks.#.self.v_proj"},
           {"transformer.layer.#.attention.out_lin", "encoder.blocks.#.self.out_proj"},
           {"transformer.layer.#.sa_layer_norm", "encoder.blocks.#.self_norm"},
           {"transformer.layer.#.ffn.lin1", "encoder.blocks.#.up"},
           {"transformer.layer.#.ffn.lin2", "encoder.blocks.#.down"},
           {"transformer.layer.#.output_layer_norm", "encoder.blocks.#.feed_norm"},
           {"vocab_transform", "heads.masked_words.inner"},
           {"vocab_layer_norm", "heads.masked_words.norm"},
           {"vocab_projector.bias", "heads.masked_words.out.bias"},
           {"vocab_projector", "heads.masked_words.out"},
           {"pre_classifier", "heads.classes.inner"},
           {"classifier", "heads.classes.out"},
           {"classifier", "heads.word_classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
