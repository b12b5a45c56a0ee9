// OPT (Zhang et al., 2022): GPT-2 with ReLU. Positions count the words that the mask shows, and their table is used
// from its third row on. In the model of 350 million parameters norms come last, and word vectors are narrower than the
// layers.
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions opt_options(const Config& c, const Has& has) {
  c.only("layer_norm_elementwise_affine", true);
  const bool bias = c.flag("enable_bias", true);
  BlockOptions block{.model = c.size("hidden_size"),
                     .heads = c.size("num_attention_heads"),
                     .inner = c.size("ffn_dim"),
                     .activation = known_activation(c, "activation_function", "relu"),
                     .eps = 1e-5,
                     .norm_first = c.flag("do_layer_norm_before", true),
                     .causal = true,
                     .query_bias = bias,
                     .output_bias = bias,
                     .feed_bias = bias,
                     .dropout = c.number("dropout", 0.1),
                     .attention_dropout = c.number("attention_dropout", 0)};
  TowerOptions t{.vocabulary = c.size("vocab_size"),
                 .width = c.size_or("word_embed_proj_dim", block.model),
                 .positions = c.size_or("max_position_embeddings", 2048) + 2,
                 .first_place = 2,
                 .places = "mask"};
  const bool removed = c.flag("_remove_final_layer_norm", false);
  t.final_norm = block.norm_first && !removed;
  t.projection_bias = false, t.project_words = t.project_output = true;
  t.blocks.assign(static_cast<size_t>(c.size("num_hidden_layers", 1024)), block);
  ModelOptions o{.decoder = t};
  decoder_heads(c, has, o, c.flag("tie_word_embeddings", true));
  return o;
}

inline Family opt() {
  return {{"opt"},
          "model.",
          opt_options,
          {{"decoder.embed_tokens", "decoder.words"},
           {"decoder.embed_positions", "decoder.positions"},
           {"decoder.project_in", "decoder.projection"},
           {"decoder.project_out", "decoder.output_projection"},
           {"decoder.layers.#.self_attn.q_proj", "decoder.blocks.#.self.q_proj"},
           {"decoder.layers.#.self_attn.k_proj", "decoder.blocks.#.self.k_proj"},
           {"decoder.layers.#.self_attn.v_proj", "decoder.blocks.#.self.v_proj"},
           {"decoder.layers.#.self_attn.out_proj", "decoder.blocks.#.self.out_proj"},
           {"decoder.layers.#.self_attn_layer_norm", "decoder.blocks.#.self_norm"},
           {"decoder.layers.#.fc1", "decoder.blocks.#.up"},
           {"decoder.layers.#.fc2", "decoder.blocks.#.down"},
           {"decoder.layers.#.final_layer_norm", "decoder.blocks.#.feed_norm"},
           {"decoder.final_layer_norm", "decoder.norm"},
           {"decoder.layer_norm", "decoder.norm"},
           {"lm_head", "heads.next_word.out"},
           {"score", "heads.classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
