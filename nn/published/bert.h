// BERT (Devlin et al., NAACL 2019): the encoder of 2017 alone, with learned positions, a vector for each of two
// segments, and a norm after the embedding. The embedding is not scaled, and GELU replaces ReLU. Heads: the pooler
// reads the first word; masked words and the next sentence are the tasks of its training, classes and answers those of
// later fine-tuning.
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions bert_options(const Config& c, const Has& has) {
  c.only("is_decoder", false), c.only("position_embedding_type", "absolute");
  TowerOptions t = bert_tower(c, 1e-12);
  t.kinds = c.size_or("type_vocab_size", 2);
  ModelOptions o{.encoder = t};
  const int64_t D = t.block().model;
  if (has("pooler.dense.weight"))
    o.heads.push_back({.name = "pooler", .reads = "first", .in = D, .inner = D, .activation = "tanh"});
  if (has("cls.predictions.transform.dense.weight"))
    o.heads.push_back(masked_words(t, t.block().activation)), tie(o, "masked_words", "encoder");
  if (has("cls.seq_relationship.weight"))
    o.heads.push_back({.name = "next_sentence", .reads = "pooled", .in = D, .out = 2});
  if (has("classifier.weight") || has("qa_outputs.weight")) o.heads.push_back(task_head(c, t, "pooled"));
  return o;
}

inline Family bert() {
  return {{"bert"},
          "bert.",
          bert_options,
          {{"embeddings.word_embeddings", "encoder.words"},
           {"embeddings.position_embeddings", "encoder.positions"},
           {"embeddings.token_type_embeddings", "encoder.kinds"},
           {"embeddings.LayerNorm", "encoder.embedding_norm"},
           {"encoder.layer.#.attention.self.query", "encoder.blocks.#.self.q_proj"},
           {"encoder.layer.#.attention.self.key", "encoder.blocks.#.self.k_proj"},
           {"encoder.layer.#.attention.self.value", "encoder.blocks.#.self.v_proj"},
           {"encoder.layer.#.attention.output.dense", "encoder.blocks.#.self.out_proj"},
           {"encoder.layer.#.attention.output.LayerNorm", "encoder.blocks.#.self_norm"},
           {"encoder.layer.#.intermediate.dense", "encoder.blocks.#.up"},
           {"encoder.layer.#.output.dense", "encoder.blocks.#.down"},
           {"encoder.layer.#.output.LayerNorm", "encoder.blocks.#.feed_norm"},
           {"pooler.dense", "heads.pooler.inner"},
           {"cls.predictions.transform.dense", "heads.masked_words.inner"},
           {"cls.predictions.transform.LayerNorm", "heads.masked_words.norm"},
           {"cls.predictions.bias", "heads.masked_words.out.bias"},
           {"cls.predictions.decoder", "heads.masked_words.out"},
           {"cls.seq_relationship", "heads.next_sentence.out"},
           {"classifier", "heads.classes.out"},
           {"classifier", "heads.word_classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
