// ModernBERT (Warner et al., 2024): an encoder with the improvements that decoders have brought. Queries and keys are
// rotated, and norms come first; only the first attention has none, since it follows the norm of the embedding. The
// feed-forward layer is gated, and there are no biases. Two of three layers read a window of words, with a rotation of
// their own.
#pragma once

#include "nn/attention/positions/rope.h"
#include "nn/published/family.h"

namespace heed::nn::published {

inline HeadPositionOptions modernbert_rotation(const Config& c, bool window) {
  double base = window ? c.number("local_rope_theta", 10000) : c.number("global_rope_theta", 160000);
  if (const io::Json* all = c.find("rope_parameters")) {
    const io::Json& given = all->inner(window ? "sliding_attention" : "full_attention");
    if (given.text("rope_type", "default") != "default")
      c.refuse("rope_parameters", "must turn queries and keys by the default rule");
    base = given.number("rope_theta", base);
  }
  return chosen<Rope>({.base = base});
}

inline ModelOptions modernbert_options(const Config& c, const Has& has) {
  for (const char* key :
       {"deterministic_flash_attn", "sparse_prediction", "sparse_pred_ignore_index", "reference_compile",
        "repad_logits_with_grad", "initializer_cutoff_factor", "local_rope_theta", "global_rope_theta",
        "layer_norm_eps", "position_embedding_type", "max_position_embeddings", "sliding_window"})
    c.ignore(key);
  const bool bias = c.flag("attention_bias", false), norm_bias = c.flag("norm_bias", false);
  BlockOptions block{.model = c.size("hidden_size"),
                     .heads = c.size("num_attention_heads"),
                     .inner = c.size("intermediate_size"),
                     .activation = known_activation(c, "hidden_activation", "gelu"),
                     .eps = c.number("norm_eps", 1e-5),
                     .norm_first = true,
                     .gated = true,
                     .query_bias = bias,
                     .output_bias = bias,
                     .feed_bias = c.flag("mlp_bias", false),
                     .norm_bias = norm_bias,
                     .attention_dropout = c.number("attention_dropout", 0),
                     .inner_dropout = c.number("mlp_dropout", 0)};
  TowerOptions t{.vocabulary = c.size("vocab_size"), .embedding_norm = true, .final_norm = true};
  t.blocks.assign(static_cast<size_t>(c.size("num_hidden_layers", 1024)), block);
  t.blocks[0].attention_norm = false;
  const int64_t reach = c.size_or("local_attention", 128) / 2, every = c.size_or("global_attn_every_n_layers", 3);
  const io::Json* types = c.find("layer_types");
  if (types && types->size() != t.blocks.size()) c.refuse("layer_types", "must have a text for each layer");
  for (size_t i = 0; i < t.blocks.size(); ++i) {
    const bool window =
        types ? types->elements()[i].as_string() == "sliding_attention" : static_cast<int64_t>(i) % every != 0;
    if (window) t.blocks[i].window = reach;
    t.blocks[i].position = modernbert_rotation(c, window);
  }
  ModelOptions o{.encoder = t};
  HeadOptions head{.name = "masked_words",
                   .in = block.model,
                   .inner = block.model,
                   .activation = known_activation(c, "classifier_activation", "gelu"),
                   .norm = "layer",
                   .eps = block.eps,
                   .inner_bias = c.flag("classifier_bias", false),
                   .norm_bias = norm_bias};
  const bool of_words = c.flag("decoder_bias", true);
  const std::string pooling = c.text("classifier_pooling", "cls");
  if (pooling != "cls" && pooling != "mean") c.refuse("classifier_pooling", "must be cls or mean");
  if (has("classifier.weight")) {
    HeadOptions task = task_head(c, t, pooling == "cls" ? "first" : "mean");
    head.name = task.name, head.reads = task.reads, head.out = task.out;
    o.heads.push_back(head);
  } else if (has("head.dense.weight")) {
    head.out = t.vocabulary, head.out_bias = of_words;
    o.heads.push_back(head);
    if (c.flag("tie_word_embeddings", true)) tie(o, "masked_words", "encoder");
  }
  return o;
}

inline Family modernbert() {
  return {
      {"modernbert"},
      "model.",
      modernbert_options,
      {{"embeddings.tok_embeddings", "encoder.words"},
       {"embeddings.norm", "encoder.embedding_norm"},
       {"layers.#.attn_norm", "encoder.blocks.#.self_norm"},
       {"layers.#.attn.Wqkv", "encoder.blocks.#.self.q_proj encoder.blocks.#.self.k_proj encoder.blocks.#.self.v_proj"},
       {"layers.#.attn.Wo", "encoder.blocks.#.self.out_proj"},
       {"layers.#.mlp_norm", "encoder.blocks.#.feed_norm"},
       {"layers.#.mlp.Wi", "encoder.blocks.#.gate encoder.blocks.#.up"},
       {"layers.#.mlp.Wo", "encoder.blocks.#.down"},
       {"final_norm", "encoder.norm"},
       {"head.dense", "heads.masked_words.inner"},
       {"head.norm", "heads.masked_words.norm"},
       {"decoder", "heads.masked_words.out"},
       {"head.dense", "heads.classes.inner"},
       {"head.norm", "heads.classes.norm"},
       {"classifier", "heads.classes.out"},
       {"head.dense", "heads.word_classes.inner"},
       {"head.norm", "heads.word_classes.norm"},
       {"classifier", "heads.word_classes.out"},
       {"head.dense", "heads.answer.inner"},
       {"head.norm", "heads.answer.norm"},
       {"classifier", "heads.answer.out"}}};
}

}  // namespace heed::nn::published
