// What `heed train` can be told, by name: a preset sets the values, --NAME and --set NAME=VALUE change them, and
// config.json in the run's folder keeps them.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/models/translation_model.h"
#include "nn/options.h"
#include "nn/train/fit_options.h"
#include "tutorials/common/options.h"

namespace heed::app {

struct TrainOptions {
  std::string preset = "rnn-attention";
  // data
  std::string tokenize = "space";
  int64_t max_length = 100, limit = 0, bpe = 0, bpe_vocabulary = 0, min_frequency = 1;
  // model: that of the architecture counts
  std::string architecture = "seq2seq";
  nn::Seq2SeqOptions seq2seq{.source_vocabulary = 0, .target_vocabulary = 0, .embedding = 256, .hidden = 256};
  nn::TransformerOptions transformer;
  // training; fit has the rest
  nn::FitOptions fit;
  int64_t seed = 1, max_epochs = 10;
  double max_minutes = 0;
  // the run
  double save_minutes = 5;
  int64_t log_every = 50, samples = 5, beam = 1;
  bool bleu = true;

  // Those of the chosen architecture alone, under the names of heed train.
  void fields(nn::OptionFields& f);
};

// The number of layers of the encoder and of the decoder, and the dropout, of whichever architecture.
void set_layers(TrainOptions& options, int64_t layers);
void set_dropout(TrainOptions& options, double p);

// Assigns a text to a field of TrainOptions, or refuses it in a sentence (InputError). To assign `layers` does not set
// the decoder's: see set_layers.
void assign(const nn::OptionField& field, const std::string& text);
// All options with what --help says of them: those of both architectures, and which has what default.
std::vector<std::pair<std::string, std::string>> option_help();

// The settings of all stages of attention but mixers, with ranges and defaults: what follows a stage's name, as in
// dilated:4,gap=3.
std::string settings_help();

std::vector<std::string> preset_names();
TrainOptions preset(const std::string& name);  // InputError for an unknown one, listing them

io::Json to_json(const TrainOptions& options);
TrainOptions train_options_from(const io::Json& json);  // IoError for a key or a value that cannot be

nn::TranslationModel::Options model_options(const TrainOptions& options);
nn::FitOptions fit_options(const TrainOptions& options);

}  // namespace heed::app
