// GPT-NeoX (Black et al., 2022) and Pythia: GPT-2 in which attention and feed-forward layer read the same input. A
// quarter of each head is rotated (RoPE) in place of learned positions, and the output matrix is not the table of
// words. In the file, queries, keys and values of one head follow each other.
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions gpt_neox_options(const Config& c, const Has& has) {
  const bool bias = c.flag("attention_bias", true);
  c.ignore("max_position_embeddings");
  BlockOptions block{.model = c.size("hidden_size"),
                     .heads = c.size("num_attention_heads"),
                     .inner = c.size("intermediate_size"),
                     .activation = known_activation(c, "hidden_act", "gelu"),
                     .eps = c.number("layer_norm_eps", 1e-5),
                     .norm_first = true,
                     .parallel = c.flag("use_parallel_residual", true),
                     .causal = true,
                     .query_bias = bias,
                     .output_bias = bias,
                     .position = rotations(c, c.number("rotary_emb_base", 10000), c.number("rotary_pct", 0.25)),
                     .dropout = c.number("hidden_dropout", 0),
                     .attention_dropout = c.number("attention_dropout", 0)};
  TowerOptions t{.vocabulary = c.size("vocab_size"), .final_norm = true};
  t.blocks.assign(static_cast<size_t>(c.size("num_hidden_layers", 1024)), block);
  ModelOptions o{.decoder = t};
  decoder_heads(c, has, o, c.flag("tie_word_embeddings", false));
  return o;
}

inline Family gpt_neox() {
  return {{"gpt_neox"},
          "gpt_neox.",
          gpt_neox_options,
          {{"embed_in", "decoder.words"},
           {"layers.#.input_layernorm", "decoder.blocks.#.self_norm"},
           {"layers.#.attention.query_key_value",
            "decoder.blocks.#.self.q_proj decoder.blocks.#.self.k_proj decoder.blocks.#.self.v_proj", Layout::by_head},
           {"layers.#.attention.dense", "decoder.blocks.#.self.out_proj"},
           {"layers.#.post_attention_layernorm", "decoder.blocks.#.feed_norm"},
           {"layers.#.mlp.dense_h_to_4h", "decoder.blocks.#.up"},
           {"layers.#.mlp.dense_4h_to_h", "decoder.blocks.#.down"},
           {"final_layer_norm", "decoder.norm"},
           {"embed_out", "heads.next_word.out"},
           {"lm_head", "heads.next_word.out"},
           {"score", "heads.classes.out"},
           {"classifier", "heads.word_classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
