// What `heed train --from` and `--new` (tune.h) train: a model, its tokenizer and its data, from the files and options
// of the command line. It is the same for a new run and for one that goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/published/new_model.h"
#include "nn/tokenizers/learn.h"
#include "nn/tokenizers/published_tokenizer.h"
#include "nn/train/fit_options.h"
#include "nn/train/published_fit.h"

namespace heed::app {

struct TuneFiles {
  std::string from, made;               // --from DIR or --new KIND
  std::string labels, text, valid;      // --labels F or --text F, --valid F
  std::vector<std::string> lines = {};  // of a text that is no file; `text` is then its name
};
struct TuneOptions {
  nn::FitOptions fit;
  nn::published::NewModelOptions model;
  bool is_new = false;
  int64_t max_length = 128, seed = 1, max_epochs = 10;
  int64_t lora = 0;  // rank; 0: the whole model is trained
  double lora_alpha = 0;
  std::string lora_where = nn::LoraChoice().where;
  double max_minutes = 0, save_minutes = 5;
  int64_t log_every = 50, samples = 5;
  int64_t epoch_steps = 0;  // of a decoder on a text; 0: an epoch reads the whole text
  std::string prompt;

  TuneOptions();
  void fields(nn::OptionFields& f);
};

// With epoch_steps an epoch reads a part of the text, and a validation this many windows of the held-out tenth, evenly
// spread and the same each time: of a long text the whole tenth would take longer than the training.
inline constexpr int64_t kValidWindows = 256;

enum class TuneTask { classes, masked_words, next_word };
struct TuneSetup {
  TuneTask task = TuneTask::next_word;
  std::unique_ptr<nn::published::Model> model;
  std::optional<tokenizers::PublishedTokenizer> tokenizer;
  std::optional<tokenizers::LearnedTokenizer> learned;  // of a new model: still to be saved
  std::vector<std::string> labels;                      // of classes
  // With epoch_steps, `train` only says how many windows an epoch reads: they are the next ones of `windows`.
  std::vector<data::EncodedPair> train, valid, windows;
  std::vector<int64_t> train_tokens, valid_tokens;  // of a decoder's text
  std::vector<std::string> shown;                   // validation texts, as many as samples
  data::MaskingOptions masking = {};
  int64_t pad = 0, tokens = 0;  // tokens: of the text
};
// `out`: of a run that goes on, where a new model's tokenizer is; "": a new run, which learns it. Nothing is written.
// InputError for files and options that do not fit together.
TuneSetup set_up_tuning(const TuneFiles& files, TuneOptions& options, const std::string& out);

}  // namespace heed::app
