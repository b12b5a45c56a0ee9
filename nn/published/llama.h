// Llama (Touvron et al., 2023) and its relatives: the decoder of GPT-2 with RMSNorm, rotated queries and keys in the
// place of positions, a gated feed-forward layer (SwiGLU), no biases, and fewer heads of keys and values than of
// queries.
//
//   llama      Llama 3.1 rotates slow pairs even more slowly, for longer texts
//   mistral    each word reads the last `sliding_window` words only                       (Jiang et al., 2023)
//   qwen2      biases of queries, keys and values; a window in the upper layers           (Yang et al., 2024)
//   qwen3      queries and keys are normalised, and those biases are gone                 (2025)
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

// Which layers have a window: newer files list them, and in older ones it is the layers from `max_window_layers` on. A
// window of W words reaches W - 1 words back.
inline void set_windows(const Config& c, std::vector<BlockOptions>& blocks, bool wanted, int64_t from) {
  const int64_t window = c.integer("sliding_window", 0);
  const io::Json* types = c.find("layer_types");
  for (size_t i = 0; i < blocks.size(); ++i) {
    bool here = wanted && window > 0 && static_cast<int64_t>(i) >= from;
    if (types) {
      if (types->size() != blocks.size()) c.refuse("layer_types", "must have a text for each layer");
      const std::string& type = types->elements()[i].as_string();
      here = type == "sliding_attention";
      if (!here && type != "full_attention")
        c.refuse("layer_types", "must say full_attention or sliding_attention of each layer");
    }
    if (here && window < 2) c.refuse("sliding_window", "must be at least 2 words");
    if (here) blocks[i].window = window - 1;
  }
}

inline ModelOptions llama_options(const Config& c, const Has& has) {
  const std::string family = c.family();
  const bool qwen2 = family == "qwen2", qwen3 = family == "qwen3", llama = family == "llama";
  const int64_t D = c.size("hidden_size"), H = c.size("num_attention_heads");
  const bool bias = (llama || qwen3) && c.flag("attention_bias", false);
  // A missing number of heads is not the same as null, which means all.
  const int64_t many = llama || c.json.contains("num_key_value_heads") ? H : family == "mistral" ? 8 : 32;
  c.only("rope_interleaved", false);
  c.ignore("max_position_embeddings"), c.ignore("is_llama_config");
  BlockOptions block{.model = D,
                     .heads = H,
                     .kv_heads = c.size_or("num_key_value_heads", many),
                     .head = c.size_or("head_dim", qwen3 ? 128 : D / H),
                     .inner = c.size("intermediate_size"),
                     .norm = "rms",
                     .activation = known_activation(c, "hidden_act", "silu"),
                     .eps = c.number("rms_norm_eps", 1e-6),
                     .norm_first = true,
                     .gated = true,
                     .causal = true,
                     .query_bias = qwen2 || bias,
                     .output_bias = bias,
                     .feed_bias = llama && c.flag("mlp_bias", false),
                     .query_key_norm = qwen3,
                     .position = rotations(c, 10000),
                     .attention_dropout = c.number("attention_dropout", 0)};
  TowerOptions t{.vocabulary = c.size("vocab_size"), .final_norm = true};
  t.blocks.assign(static_cast<size_t>(c.size("num_hidden_layers", 1024)), block);
  if (family == "mistral") set_windows(c, t.blocks, true, 0);
  if (qwen2 || qwen3) set_windows(c, t.blocks, c.flag("use_sliding_window", false), c.integer("max_window_layers", 28));
  ModelOptions o{.decoder = t};
  decoder_heads(c, has, o, c.flag("tie_word_embeddings", false));
  return o;
}

inline Family llama() {
  return {{"llama", "mistral", "qwen2", "qwen3"},
          "model.",
          llama_options,
          {{"embed_tokens", "decoder.words"},
           {"layers.#.input_layernorm", "decoder.blocks.#.self_norm"},
           {"layers.#.self_attn.q_proj", "decoder.blocks.#.self.q_proj"},
           {"layers.#.self_attn.k_proj", "decoder.blocks.#.self.k_proj"},
           {"layers.#.self_attn.v_proj", "decoder.blocks.#.self.v_proj"},
           {"layers.#.self_attn.o_proj", "decoder.blocks.#.self.out_proj"},
           {"layers.#.self_attn.q_norm", "decoder.blocks.#.self.q_norm"},
           {"layers.#.self_attn.k_norm", "decoder.blocks.#.self.k_norm"},
           {"layers.#.post_attention_layernorm", "decoder.blocks.#.feed_norm"},
           {"layers.#.mlp.gate_proj", "decoder.blocks.#.gate"},
           {"layers.#.mlp.up_proj", "decoder.blocks.#.up"},
           {"layers.#.mlp.down_proj", "decoder.blocks.#.down"},
           {"norm", "decoder.norm"},
           {"lm_head", "heads.next_word.out"},
           {"score", "heads.classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
