// What `heed train` can be told, by name: a preset sets the values, --NAME and --set NAME=VALUE change them, and
// config.json in the run's folder keeps them.
#pragma once

#include <memory>
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

// One value with its name ("learning_rate"), its place, its rule and what it does. The options must outlive it. Those
// of the model are made of their own description.
struct Knob {
  nn::OptionField field;           // its name is the knob's
  std::unique_ptr<Option> option;  // assigns a text, or refuses it in a sentence; none for a text that a stage reads
  const std::string& name() const { return field.name; }
  void assign(const std::string& text) const;
  std::string notes(bool with_default = true) const;  // its range or names, and its value: for --help
};
std::string option_name(std::string knob);  // as it is typed: --label-smoothing
// Of the chosen architecture. To assign `layers` of a model sets the decoder's too: see set_layers.
std::vector<Knob> knobs(TrainOptions& options);
// All options with what --help says of them: those of both architectures, and which has what default.
std::vector<std::pair<std::string, std::string>> knob_help();

// The settings of all stages of attention, with ranges and defaults: what follows a stage's name, as in
// dilated:4,gap=3.
std::string settings_help();

std::vector<std::string> preset_names();
TrainOptions preset(const std::string& name);  // InputError for an unknown one, listing them

io::Json to_json(const TrainOptions& options);
TrainOptions train_options_from(const io::Json& json);  // IoError for a key or a value that cannot be

nn::TranslationModel::Options model_options(const TrainOptions& options);
nn::FitOptions fit_options(const TrainOptions& options);

}  // namespace heed::app
