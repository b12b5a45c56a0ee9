// GPT-2 (Radford et al., 2019): the decoder of 2017 without a source. Norms come first, with one more at the end,
// positions are learned, GELU (its tanh form) replaces ReLU, and the output matrix is the table of words. Its file has
// matrices as [in, out], and those of queries, keys and values in one.
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions gpt2_options(const Config& c, const Has& has) {
  c.only("scale_attn_by_inverse_layer_idx", false), c.ignore("reorder_and_upcast_attn");
  for (const char* unused : {"summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                             "summary_use_proj", "n_special"})
    c.ignore(unused);
  const int64_t D = c.size("n_embd");
  BlockOptions block{.model = D,
                     .heads = c.size("n_head"),
                     .inner = c.size_or("n_inner", 4 * D),
                     .activation = known_activation(c, "activation_function", "gelu_new"),
                     .eps = c.number("layer_norm_epsilon", 1e-5),
                     .norm_first = true,
                     .causal = true,
                     .scaled = c.flag("scale_attn_weights", true),
                     .dropout = c.number("resid_pdrop", 0.1),
                     .attention_dropout = c.number("attn_pdrop", 0.1)};
  TowerOptions t{.vocabulary = c.size("vocab_size"), .positions = c.size_or("n_positions", 1024), .final_norm = true};
  t.blocks.assign(static_cast<size_t>(c.size("n_layer", 1024)), block);
  ModelOptions o{.decoder = t};
  decoder_heads(c, has, o, c.flag("tie_word_embeddings", true));
  return o;
}

inline Family gpt2() {
  return {{"gpt2"},
          "transformer.",
          gpt2_options,
          {{"wte", "decoder.words"},
           {"wpe", "decoder.positions"},
           {"h.#.ln_1", "decoder.blocks.#.self_norm"},
           {"h.#.attn.c_attn", "decoder.blocks.#.self.q_proj decoder.blocks.#.self.k_proj decoder.blocks.#.self.v_proj",
            Layout::transposed},
           {"h.#.attn.c_proj", "decoder.blocks.#.self.out_proj", Layout::transposed},
           {"h.#.ln_2", "decoder.blocks.#.feed_norm"},
           {"h.#.mlp.c_fc", "decoder.blocks.#.up", Layout::transposed},
           {"h.#.mlp.c_proj", "decoder.blocks.#.down", Layout::transposed},
           {"ln_f", "decoder.norm"},
           {"lm_head", "heads.next_word.out"},
           {"score", "heads.classes.out"},
           {"classifier", "heads.word_classes.out"}}};
}

}  // namespace heed::nn::published
