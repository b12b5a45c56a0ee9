// Models whose weights are not all in a folder: a new one, and an encoder that is to learn classes.
//
//   auto bert = published::make(published::bert_config({.vocabulary = 2000}), 1);     // all weights drawn
//   auto judge = published::open_for_classes("bert-base-uncased", {.labels = {"bad", "good"}});
//   published::save(*judge, "mine");          // opens as any other folder does, here and in their own libraries
//
// Weights are drawn as BERT's were: N(0, s^2) with s the initializer_range of config.json, which is 0.02 if it has
// none; biases 0, norms 1 (Devlin et al., "BERT", NAACL 2019, and the code published with it).
#pragma once

#include "nn/published/model.h"

namespace heed::nn::published {

struct NewModelOptions {
  int64_t vocabulary = 2000, width = 128, layers = 2, heads = 4;  // V, D
  int64_t inner = 0;                                              // feed-forward width; 0: 4 D of bert, 8/3 D of llama
  int64_t longest = 128;                                          // tokens of a text
  double dropout = 0.1;                                           // of bert

  void fields(OptionFields& f);
};
io::Json bert_config(const NewModelOptions& options);   // masked words; tokens [PAD] 0 .. [MASK] 4
io::Json llama_config(const NewModelOptions& options);  // the next word; tokens <pad> 0, <s> 1, </s> 2
io::Json llama_generation();                            // generation_config.json: how it draws tokens by default

// With the heads of its training: masked words or the next word. IoError or ValueError if there is no model of this
// configuration.
std::unique_ptr<Model> make(const io::Json& config, uint64_t seed, DType dtype = DType::f32);

struct ClassesOptions {
  std::vector<std::string> labels;  // id2label
  uint64_t seed = 1;                // of the weights that are drawn
  DType dtype = DType::f32;
};
// The encoder of the folder with a head of classes. The head's weights are drawn, unless the folder has been tuned for
// the same labels; so is a pooler that the head reads and the folder lacks. Other heads are left out. ValueError for
// fewer than two labels, or a model that is no encoder.
std::unique_ptr<Model> open_for_classes(const std::string& folder, const ClassesOptions& options);

std::vector<std::string> labels_of(const Model& model);  // of id2label, in order; LABEL_0, .. where it has none

}  // namespace heed::nn::published
