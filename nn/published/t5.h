// T5 (Raffel et al., JMLR 2020): encoder and decoder of 2017 with RMSNorm before each part, without biases and without
// positions; a bias by distance, one table in each stack, is added to scores that are not divided by sqrt(K). K, the
// width of a head, is an option of its own. Version 1.1 has a gated feed-forward layer, and an output matrix of its
// own; where that matrix is the table of words, the decoder's output is divided by sqrt(D).
#pragma once

#include <cmath>

#include "nn/published/family.h"

namespace heed::nn::published {

inline ModelOptions t5_options(const Config& c, const Has& has) {
  c.only("is_decoder", false);
  for (const char* derived : {"is_encoder_decoder", "is_gated_act", "dense_act_fn", "n_positions"}) c.ignore(derived);
  const std::string form = c.text("feed_forward_proj", "relu");
  const bool gated = form.starts_with("gated-"), tied = c.flag("tie_word_embeddings", true);
  const std::string name = gated ? form.substr(6) : form;
  if (!is_activation(name)) c.refuse("feed_forward_proj", "must be an activation that heed has");
  BlockOptions block{.model = c.size("d_model"),
                     .heads = c.size("num_heads"),
                     .head = c.size("d_kv"),
                     .inner = c.size("d_ff"),
                     .norm = "rms",
                     .activation = form == "gated-gelu" ? "gelu_new" : name,
                     .eps = c.number("layer_norm_epsilon", 1e-6),
                     .norm_first = true,
                     .gated = gated,
                     .scaled = false,
                     .query_bias = false,
                     .output_bias = false,
                     .feed_bias = false,
                     .dropout = c.number("dropout_rate", 0.1)};
  block.inner_dropout = block.attention_dropout = block.dropout;
  TowerOptions t{.vocabulary = c.size("vocab_size"), .final_norm = true};
  t.buckets = c.size_or("relative_attention_num_buckets", 32);
  t.max_distance = c.size_or("relative_attention_max_distance", 128);
  const int64_t layers = c.size("num_layers", 1024);
  t.blocks.assign(static_cast<size_t>(layers), block);
  ModelOptions o{.encoder = t};
  const bool scaled = c.flag("scale_decoder_outputs", tied);
  const int64_t deep = c.size_or("num_decoder_layers", layers);
  if (c.architecture() == "T5EncoderModel" || !has("decoder.final_layer_norm.weight")) return o;
  block.causal = block.cross = true;
  t.blocks.assign(static_cast<size_t>(deep), block);
  o.decoder = t;
  o.ties["decoder.words.weight"] = "encoder.words.weight";
  if (c.architecture() == "T5Model") return o;
  o.heads.push_back({.name = "next_word",
                     .in = block.model,
                     .out = t.vocabulary,
                     .scale = scaled ? 1 / std::sqrt(static_cast<double>(block.model)) : 1,
                     .out_bias = false});
  if (tied) tie(o, "next_word", "encoder");
  return o;
}

inline Family t5() {
  Family f{{"t5"}, "", t5_options, {{"shared", "encoder.words"}, {"lm_head", "heads.next_word.out"}}};
  const std::vector<Name> stacks[] = {
      {{"encoder.embed_tokens", "encoder.words"},
       {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "encoder.distances.weight"},
       {"encoder.block.#.layer.0.SelfAttention.q", "encoder.blocks.#.self.q_proj"},
       {"encoder.block.#.layer.0.SelfAttention.k", "encoder.blocks.#.self.k_proj"},
       {"encoder.block.#.layer.0.SelfAttention.v", "encoder.blocks.#.self.v_proj"},
       {"encoder.block.#.layer.0.SelfAttention.o", "encoder.blocks.#.self.out_proj"},
       {"encoder.block.#.layer.0.layer_norm", "encoder.blocks.#.self_norm"},
       {"encoder.block.#.layer.1.DenseReluDense.wi", "encoder.blocks.#.up"},
       {"encoder.block.#.layer.1.DenseReluDense.wi_0", "encoder.blocks.#.gate"},
       {"encoder.block.#.layer.1.DenseReluDense.wi_1", "encoder.blocks.#.up"},
       {"encoder.block.#.layer.1.DenseReluDense.wo", "encoder.blocks.#.down"},
       {"encoder.block.#.layer.1.layer_norm", "encoder.blocks.#.feed_norm"},
       {"encoder.final_layer_norm", "encoder.norm"}},
      {{"decoder.embed_tokens", "decoder.words"},
       {"decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", "decoder.distances.weight"},
       {"decoder.block.#.layer.0.SelfAttention.q", "decoder.blocks.#.self.q_proj"},
       {"decoder.block.#.layer.0.SelfAttention.k", "decoder.blocks.#.self.k_proj"},
       {"decoder.block.#.layer.0.SelfAttention.v", "decoder.blocks.#.self.v_proj"},
       {"decoder.block.#.layer.0.SelfAttention.o", "decoder.blocks.#.self.out_proj"},
       {"decoder.block.#.layer.0.layer_norm", "decoder.blocks.#.self_norm"},
       {"decoder.block.#.layer.1.EncDecAttention.q", "decoder.blocks.#.cross.q_proj"},
       {"decoder.block.#.layer.1.EncDecAttention.k", "decoder.blocks.#.cross.k_proj"},
       {"decoder.block.#.layer.1.EncDecAttention.v", "decoder.blocks.#.cross.v_proj"},
       {"decoder.block.#.layer.1.EncDecAttention.o", "decoder.blocks.#.cross.out_proj"},
       {"decoder.block.#.layer.1.layer_norm", "decoder.blocks.#.cross_norm"},
       {"decoder.block.#.layer.2.DenseReluDense.wi", "decoder.blocks.#.up"},
       {"decoder.block.#.layer.2.DenseReluDense.wi_0", "decoder.blocks.#.gate"},
       {"decoder.block.#.layer.2.DenseReluDense.wi_1", "decoder.blocks.#.up"},
       {"decoder.block.#.layer.2.DenseReluDense.wo", "decoder.blocks.#.down"},
       {"decoder.block.#.layer.2.layer_norm", "decoder.blocks.#.feed_norm"},
       {"decoder.final_layer_norm", "decoder.norm"}}};
  for (const auto& stack : stacks) f.names.insert(f.names.end(), stack.begin(), stack.end());
  // An old file has a table for cross-attention, which no version reads.
  f.names.push_back({"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"});
  return f;
}

}  // namespace heed::nn::published
