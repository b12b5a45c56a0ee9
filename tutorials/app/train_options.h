// What `heed train` can be told, by name: a preset sets the values, --NAME and --set NAME=VALUE change them, and
// config.json in the run's folder keeps them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/models/translation_model.h"
#include "nn/train/fit_options.h"
#include "tutorials/common/options.h"

namespace heed::app {

struct TrainOptions {
  std::string preset = "rnn-attention";
  // data
  std::string tokenize = "space";
  int64_t max_length = 100, limit = 0, bpe = 0, bpe_vocabulary = 0, min_frequency = 1;
  // model
  std::string architecture = "seq2seq", cell = "gru", context = "attention", score = "additive";
  int64_t layers = 1, embedding = 256, hidden = 256;
  double dropout = 0.1;
  nn::TransformerOptions transformer;  // layers and dropout are those above
  // training; fit has the rest
  nn::FitOptions fit;
  int64_t seed = 1, max_epochs = 10;
  double max_minutes = 0;
  // the run
  double save_minutes = 5;
  int64_t log_every = 50, samples = 5, beam = 1;
  bool bleu = true;
};

// One value with its name ("learning_rate"), its rule and what it does. The options must outlive it.
struct Knob {
  std::string name;
  OptionTarget target;
  std::string help;
  std::unique_ptr<Option> option;  // assigns a text, or refuses it in a sentence
  bool may_change = false;         // in a run that goes on
};
std::vector<Knob> knobs(TrainOptions& options);

std::vector<std::string> preset_names();
TrainOptions preset(const std::string& name);  // InputError for an unknown one, listing them

io::Json to_json(const TrainOptions& options);
TrainOptions train_options_from(const io::Json& json);  // IoError for a key or a value that cannot be

nn::TranslationModel::Options model_options(const TrainOptions& options);
nn::FitOptions fit_options(const TrainOptions& options);

}  // namespace heed::app
