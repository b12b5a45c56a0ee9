// BART (Lewis et al., ACL 2020) and Marian (Junczys-Dowmunt et al., ACL 2018): the transformer of 2017, with GELU or
// Swish, a matrix of words that both sides and the output share, and a bias of the output that is not learned.
//
//   bart      learned positions, whose table is used from its third row on, and a norm after the embedding
//   marian    sinusoids, all sines before all cosines, and words times sqrt(D)
#pragma once

#include "nn/published/family.h"

namespace heed::nn::published {

inline TowerOptions bart_tower(const Config& c, const std::string& side) {
  const bool marian = c.family() == "marian";
  BlockOptions block{.model = c.size("d_model"),
                     .heads = c.size(side + "_attention_heads"),
                     .inner = c.size(side + "_ffn_dim"),
                     .activation = known_activation(c, "activation_function", "gelu"),
                     .eps = 1e-5,
                     .causal = side == "decoder",
                     .cross = side == "decoder",
                     .dropout = c.number("dropout", 0.1),
                     .attention_dropout = c.number("attention_dropout", 0),
                     .inner_dropout = c.number("activation_dropout", 0)};
  const int64_t offset = marian ? 0 : 2;
  TowerOptions t{.vocabulary = c.size("vocab_size"),
                 .scale_embedding = c.flag("scale_embedding", false),
                 .positions = c.size_or("max_position_embeddings", 1024) + offset,
                 .first_place = offset,
                 .sinusoidal = marian,
                 .embedding_norm = !marian};
  if (side == "decoder") t.vocabulary = c.size_or("decoder_vocab_size", t.vocabulary);
  t.blocks.assign(static_cast<size_t>(c.size(side + "_layers", 1024)), block);
  return t;
}

inline ModelOptions bart_options(const Config& c, const Has& has) {
  const bool marian = c.family() == "marian";
  for (const char* key : {"add_bias_logits", "add_final_layer_norm", "normalize_before", "is_decoder"})
    c.only(key, false);
  c.only("is_encoder_decoder", true), c.only("normalize_embedding", !marian);
  c.only("static_position_embeddings", marian);
  for (const char* key : {"num_hidden_layers", "extra_pos_embeddings", "classif_dropout"}) c.ignore(key);
  ModelOptions o{.encoder = bart_tower(c, "encoder"), .decoder = bart_tower(c, "decoder")};
  o.end = c.integer("eos_token_id", -1);
  const bool shared = c.flag("share_encoder_decoder_embeddings", true);
  if (shared) o.ties["decoder.words.weight"] = "encoder.words.weight";
  const int64_t D = o.decoder->block().model;
  if (has("classification_head.dense.weight"))
    o.heads.push_back(
        {.name = "classes", .reads = "end", .in = D, .inner = D, .out = c.labels(), .activation = "tanh"});
  if (has("qa_outputs.weight")) o.heads.push_back({.name = "answer", .in = D, .out = 2});
  if (!o.heads.empty() || (!has("final_logits_bias") && !c.is_for("ConditionalGeneration"))) return o;
  o.heads.push_back({.name = "next_word", .in = D, .out = o.decoder->vocabulary, .out_bias = has("final_logits_bias")});
  if (c.flag("tie_word_embeddings", true)) tie(o, "next_word", shared ? "encoder" : "decoder");
  return o;
}

inline Family bart() {
  return {{"bart", "marian"},
          "model.",
          bart_options,
          {{"shared", "encoder.words"},
           {"encoder.embed_tokens", "encoder.words"},
           {"encoder.embed_positions", "encoder.positions"},
           {"encoder.embed_positions.weight"},  // Marian's sinusoids
           {"encoder.layernorm_embedding", "encoder.embedding_norm"},
           {"encoder.layers.#.self_attn.q_proj", "encoder.blocks.#.self.q_proj"},
           {"encoder.layers.#.self_attn.k_proj", "encoder.blocks.#.self.k_proj"},
           {"encoder.layers.#.self_attn.v_proj", "encoder.blocks.#.self.v_proj"},
           {"encoder.layers.#.self_attn.out_proj", "encoder.blocks.#.self.out_proj"},
           {"encoder.layers.#.self_attn_layer_norm", "encoder.blocks.#.self_norm"},
           {"encoder.layers.#.fc1", "encoder.blocks.#.up"},
           {"encoder.layers.#.fc2", "encoder.blocks.#.down"},
           {"encoder.layers.#.final_layer_norm", "encoder.blocks.#.feed_norm"},
           {"decoder.embed_tokens", "decoder.words"},
           {"decoder.embed_positions", "decoder.positions"},
           {"decoder.embed_positions.weight"},
           {"decoder.layernorm_embedding", "decoder.embedding_norm"},
           {"decoder.layers.#.self_attn.q_proj", "decoder.blocks.#.self.q_proj"},
           {"decoder.layers.#.self_attn.k_proj", "decoder.blocks.#.self.k_proj"},
           {"decoder.layers.#.self_attn.v_proj", "decoder.blocks.#.self.v_proj"},
           {"decoder.layers.#.self_attn.out_proj", "decoder.blocks.#.self.out_proj"},
           {"decoder.layers.#.self_attn_layer_norm", "decoder.blocks.#.self_norm"},
           {"decoder.layers.#.encoder_attn.q_proj", "decoder.blocks.#.cross.q_proj"},
           {"decoder.layers.#.encoder_attn.k_proj", "decoder.blocks.#.cross.k_proj"},
           {"decoder.layers.#.encoder_attn.v_proj", "decoder.blocks.#.cross.v_proj"},
           {"decoder.layers.#.encoder_attn.out_proj", "decoder.blocks.#.cross.out_proj"},
           {"decoder.layers.#.encoder_attn_layer_norm", "decoder.blocks.#.cross_norm"},
           {"decoder.layers.#.fc1", "decoder.blocks.#.up"},
           {"decoder.layers.#.fc2", "decoder.blocks.#.down"},
           {"decoder.layers.#.final_layer_norm", "decoder.blocks.#.feed_norm"},
           {"final_logits_bias", "heads.next_word.out.bias"},
           {"lm_head", "heads.next_word.out"},
           {"classification_head.dense", "heads.classes.inner"},
           {"classification_head.out_proj", "heads.classes.out"},
           {"qa_outputs", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
