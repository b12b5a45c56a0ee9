// The options of `heed train`, by name: a preset sets the values, --NAME and --set NAME=VALUE change them, and
// config.json in the run's folder keeps them.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/models/papers.h"
#include "nn/options.h"
#include "nn/train/fit_options.h"
#include "tutorials/common/options.h"

namespace heed::app {

nn::AnyPaper usual_model();  // Bahdanau et al., of usable size

struct TrainOptions {
  std::string preset = "rnn-attention";
  // data
  std::string tokenize = "space";
  int64_t max_length = 100, limit = 0, bpe = 0, bpe_vocabulary = 0, min_frequency = 1;
  nn::AnyPaper model = usual_model();
  // training; fit has the rest
  nn::FitOptions fit;
  int64_t seed = 1, max_epochs = 10;
  double max_minutes = 0;
  // the run
  double save_minutes = 5;
  int64_t log_every = 50, samples = 5, beam = 1;
  bool bleu = true;

  // The options of the chosen paper only, with the names of heed train: `bidirectional`, but `encoder.hidden`, because
  // there are two called hidden. Assigning another paper invalidates earlier fields.
  void fields(nn::OptionFields& f);
};

// Chooses another paper and keeps the sizes: hidden, embedding, layers and dropout. ValueError for an unknown name.
void set_paper(TrainOptions& options, const std::string& name);
// The number of layers of the encoder and of the decoder, and the dropout, whatever the paper.
void set_layers(TrainOptions& options, int64_t layers);
void set_dropout(TrainOptions& options, double p);

// Assigns a text to a field of TrainOptions, or refuses it in a sentence (InputError). Assigning `layers` does not set
// the decoder's: see set_layers.
void assign(const nn::OptionField& field, const std::string& text);
// The fields that an option means: hidden is encoder.hidden and decoder.hidden.
std::vector<nn::OptionField> fields_called(TrainOptions& options, const std::string& name);
// All options of all papers, each with its text in --help, which lists the default of each paper.
std::vector<std::pair<std::string, std::string>> option_help();

// The settings of all stages of attention but mixers, with ranges and defaults: what follows a stage's name, as in
// dilated:4,gap=3.
std::string settings_help();

std::vector<std::string> preset_names();
TrainOptions preset(const std::string& name);  // InputError for an unknown one, listing them

io::Json to_json(const TrainOptions& options);
TrainOptions train_options_from(const io::Json& json);  // IoError for an invalid key, InputError for an invalid value

nn::FitOptions fit_options(const TrainOptions& options);

}  // namespace heed::app
