// ELECTRA (Clark et al., ICLR 2020): BERT whose words may be narrower than the model, with one of two heads: a
// generator predicts masked words, the discriminator says of each word whether it was replaced.
#pragma once

#include "nn/published/bert.h"

namespace heed::nn::published {

inline ModelOptions electra_options(const Config& c, const Has& has) {
  c.only("is_decoder", false), c.only("position_embedding_type", "absolute");
  for (const char* unused : {"summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj"})
    c.ignore(unused);
  TowerOptions t = bert_tower(c, 1e-12);
  t.kinds = c.size_or("type_vocab_size", 2), t.width = c.size_or("embedding_size", 128);
  ModelOptions o{.encoder = t};
  const int64_t D = t.block().model;
  if (has("generator_predictions.dense.weight"))
    o.heads.push_back(masked_words(t, "gelu")), tie(o, "masked_words", "encoder");
  if (has("discriminator_predictions.dense.weight"))
    o.heads.push_back({.name = "replaced", .in = D, .inner = D, .out = 1, .activation = t.block().activation});
  if (has("classifier.weight") || has("qa_outputs.weight")) o.heads.push_back(task_head(c, t, "first"));
  if (has("classifier.dense.weight")) {
    HeadOptions classes = task_head(c, t, "first");
    classes.inner = D, classes.activation = "gelu";
    o.heads.push_back(classes);
  }
  return o;
}

inline Family electra() {
  Family f = bert();
  f.types = {"electra"}, f.prefix = "electra.", f.options = electra_options;
  std::erase_if(f.names, [](const Name& n) { return std::string_view(n.ours).starts_with("heads."); });
  const std::vector<Name> own = {{"embeddings_project", "encoder.projection"},
                                 {"generator_predictions.dense", "heads.masked_words.inner"},
                                 {"generator_predictions.LayerNorm", "heads.masked_words.norm"},
                                 {"generator_lm_head", "heads.masked_words.out"},
                                 {"discriminator_predictions.dense", "heads.replaced.inner"},
                                 {"discriminator_predictions.dense_prediction", "heads.replaced.out"},
                                 {"classifier.dense", "heads.classes.inner"},
                                 {"classifier.out_proj", "heads.classes.out"},
                                 {"classifier", "heads.classes.out"},
                                 {"classifier", "heads.word_classes.out"},
                                 {"qa_outputs", "heads.answer.out"}};
  f.names.insert(f.names.end(), own.begin(), own.end());
  return f;
}

}  // namespace heed::nn::published
