// A family of models: how its config.json is read, and how its tensors are called. Each family has a file in this
// folder and a line in the list of families.cpp.
#pragma once

#include <functional>

#include "nn/published/model.h"

namespace heed::nn::published {

using Has = std::function<bool(const std::string&)>;  // is there a tensor of this name? (with the prefix or without it)

struct Family {
  std::vector<std::string> types;                      // of model_type
  std::string prefix;                                  // of all tensors but those of heads; files may leave it out
  ModelOptions (*options)(const Config&, const Has&);  // nullptr: the model has no config.json (use_lite.h)
  std::vector<Name> names;
};
const Family& family_of(const Config& config);  // IoError, with the nearest names, for an unknown one

struct WeightFiles;
// The model with its weights. IoError if there is no model of these options, or if the weights do not fit it.
std::unique_ptr<Model> built(const Config& config, const Family& family, const ModelOptions& options,
                             const WeightFiles& files, const OpenOptions& how);

// The keys that BERT, RoBERTa, MPNet, ELECTRA and ALBERT share.
BlockOptions bert_block(const Config& c, double eps);
TowerOptions bert_tower(const Config& c, double eps);
// Heads of encoders: f(W x) and a norm, then a score for each token, with the matrix of the words and a bias.
HeadOptions masked_words(const TowerOptions& t, const std::string& activation);
// classes, word_classes or answer, by the task that the file was trained for.
HeadOptions task_head(const Config& c, const TowerOptions& t, const std::string& reads);
std::string known_activation(const Config& c, const std::string& key, const std::string& fallback);
// Rotations as rope_parameters (today) or rope_theta and rope_scaling (before) describe them.
HeadPositionOptions rotations(const Config& c, double theta, double part = 1);
// Heads of decoders: the next word, unless the folder has been tuned for classes or answers. `tied`: its matrix is that
// of the words.
void decoder_heads(const Config& c, const Has& has, ModelOptions& o, bool tied);
// The output matrix of the head is the table of the tower's words.
void tie(ModelOptions& o, const std::string& head, const std::string& tower);

}  // namespace heed::nn::published
