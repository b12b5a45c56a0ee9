// RoBERTa (Liu et al., 2019) and XLM-RoBERTa (Conneau et al., ACL 2020): BERT with other training. There is one
// segment, and the pooler had no task in training. Positions count the words of a text from 1; the row of a position in
// the table is that number plus the number of the padding token, whose own row belongs to padding.
#pragma once

#include "nn/published/bert.h"

namespace heed::nn::published {

// MPNet counts places in the same way.
inline void count_words(const Config& c, TowerOptions& t) {
  t.places = "words", t.padding = t.first_place = c.integer("pad_token_id", 1);
}

// The head of masked words, the pooler and the heads of tasks, whose `classifier` has a layer before the classes.
inline ModelOptions roberta_heads(const Config& c, const Has& has, const TowerOptions& t) {
  ModelOptions o{.encoder = t};
  const int64_t D = t.block().model;
  if (has("pooler.dense.weight"))
    o.heads.push_back({.name = "pooler", .reads = "first", .in = D, .inner = D, .activation = "tanh"});
  if (has("lm_head.dense.weight")) o.heads.push_back(masked_words(t, "gelu")), tie(o, "masked_words", "encoder");
  if (has("classifier.weight") || has("qa_outputs.weight")) o.heads.push_back(task_head(c, t, "pooled"));
  if (has("classifier.dense.weight")) {
    HeadOptions classes = task_head(c, t, "first");
    classes.inner = D, classes.activation = "tanh";
    o.heads.push_back(classes);
  }
  return o;
}

inline ModelOptions roberta_options(const Config& c, const Has& has) {
  c.only("is_decoder", false), c.only("position_embedding_type", "absolute");
  TowerOptions t = bert_tower(c, 1e-12);
  t.kinds = c.size_or("type_vocab_size", 2);
  count_words(c, t);
  return roberta_heads(c, has, t);
}

inline const std::vector<Name>& roberta_head_names() {
  static const std::vector<Name> names = {{"pooler.dense", "heads.pooler.inner"},
                                          {"lm_head.dense", "heads.masked_words.inner"},
                                          {"lm_head.layer_norm", "heads.masked_words.norm"},
                                          {"lm_head.bias", "heads.masked_words.out.bias"},
                                          {"lm_head.decoder", "heads.masked_words.out"},
                                          {"classifier.dense", "heads.classes.inner"},
                                          {"classifier.out_proj", "heads.classes.out"},
                                          {"classifier", "heads.classes.out"},
                                          {"classifier", "heads.word_classes.out"},
                                          {"qa_outputs", "heads.answer.out"}};
  return names;
}

inline Family roberta() {
  Family f = bert();
  f.types = {"roberta", "xlm-roberta", "camembert"}, f.prefix = "roberta.", f.options = roberta_options;
  std::erase_if(f.names, [](const Name& n) { return std::string_view(n.ours).starts_with("heads."); });
  f.names.insert(f.names.end(), roberta_head_names().begin(), roberta_head_names().end());
  return f;
}

}  // namespace heed::nn::published
