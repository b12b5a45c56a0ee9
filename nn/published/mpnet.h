// MPNet (Song et al., NeurIPS 2020): RoBERTa without segments, but with T5's bias by distance. All layers share one
// table of it, and the scores to which it is added are still divided by sqrt(K).
#pragma once

#include "nn/published/roberta.h"

namespace heed::nn::published {

inline ModelOptions mpnet_options(const Config& c, const Has& has) {
  TowerOptions t = bert_tower(c, 1e-12);
  t.buckets = c.size_or("relative_attention_num_buckets", 32);
  count_words(c, t);
  return roberta_heads(c, has, t);
}

inline Family mpnet() {
  Family f{{"mpnet"},
           "mpnet.",
           mpnet_options,
           {{"embeddings.word_embeddings", "encoder.words"},
            {"embeddings.position_embeddings", "encoder.positions"},
            {"embeddings.LayerNorm", "encoder.embedding_norm"},
            {"encoder.relative_attention_bias.weight", "encoder.distances.weight"},
            {"encoder.layer.#.attention.attn.q", "encoder.blocks.#.self.q_proj"},
            {"encoder.layer.#.attention.attn.k", "encoder.blocks.#.self.k_proj"},
            {"encoder.layer.#.attention.attn.v", "encoder.blocks.#.self.v_proj"},
            {"encoder.layer.#.attention.attn.o", "encoder.blocks.#.self.out_proj"},
            {"encoder.layer.#.attention.LayerNorm", "encoder.blocks.#.self_norm"},
            {"encoder.layer.#.intermediate.dense", "encoder.blocks.#.up"},
            {"encoder.layer.#.output.dense", "encoder.blocks.#.down"},
            {"encoder.layer.#.output.LayerNorm", "encoder.blocks.#.feed_norm"}}};
  f.names.insert(f.names.end(), roberta_head_names().begin(), roberta_head_names().end());
  return f;
}

}  // namespace heed::nn::published
