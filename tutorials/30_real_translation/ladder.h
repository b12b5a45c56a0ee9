// A rung of the ladder: one of the trainer's presets, trained in a folder of its own, and its results.
//
//   rung            preset           what the decoder knows of the source                published, Multi30k de-en
//   initial state   rnn-fixed        its first state                                       13.76
//   every step      rnn-every-step   one vector, the same at each step                     20.61
//   Bahdanau        rnn-attention    a context of its own at each step                     28.30
//   transformer     multi30k-small   attention in every layer                              36.52
//
// The published series is that of B. Trevett: test2016, lower case, tokenised BLEU, greedy decoding (README). The run
// itself is that of `heed train` (tutorials/app/train_run.h): it can be stopped at any moment and continued.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/app/train_run.h"

namespace ladder {

namespace nn = heed::nn;
namespace app = heed::app;
namespace io = heed::io;

struct Rung {
  std::string name, preset;
  double published;
};
inline const std::vector<Rung> kRungs = {{"initial state", "rnn-fixed", 13.76},
                                         {"every step", "rnn-every-step", 20.61},
                                         {"Bahdanau", "rnn-attention", 28.30},
                                         {"transformer", "multi30k-small", 36.52}};

struct Plan {
  app::TrainFiles files;  // empty: the built-in grammar
  int64_t sentences = 10000, hidden = 48, width = 64, epochs = 8, limit = 0, seed = 1, average = 3, patience = 3;
  double minutes = 0;  // of training per rung; 0: no limit
  bool built_in() const { return files.source.empty(); }
};

// The preset; on the built-in grammar a smaller model of the same kind. Only the transformer uses joint BPE pieces, as
// in the presets, because its embeddings serve both languages.
inline app::TrainOptions options_of(const Rung& rung, const Plan& plan) {
  app::TrainOptions o = app::preset(rung.preset);
  o.seed = plan.seed, o.limit = plan.limit, o.max_minutes = plan.minutes;
  auto* transformer = o.model.as<nn::Transformer>();
  // On files the learning rate of the transformer falls along a cosine, and its last epochs are the best.
  if (plan.built_in() || !transformer) o.fit.patience = plan.patience;
  if (!plan.built_in()) return o;
  o.max_epochs = plan.epochs, o.min_frequency = 1, o.samples = 0;
  app::set_dropout(o, 0.1);
  for (const char* width : {"hidden", "embedding"})
    nn::set_called(o.model.fields(), width, fmt::to_string(plan.hidden));
  o.fit.batch_size = 32, o.fit.learning_rate = 5e-3, o.fit.warmup = 100;
  if (transformer) {
    transformer->model = plan.width, transformer->inner = 2 * plan.width, transformer->heads = 4;
    app::set_layers(o, 2);
    transformer->attention_dropout = 0;
    app::set_dropout(o, 0.05);
    o.bpe_vocabulary = 800, o.fit.batch_tokens = 600;
    o.fit.schedule = "warmup_cosine", o.fit.learning_rate = 4e-3, o.fit.warmup = 200, o.fit.label_smoothing = 0;
    o.fit.weights = plan.average > 1 ? "average" : "trained", o.fit.average = plan.average, o.fit.measure = "loss";
  }
  return o;
}

struct Score {
  double greedy = 0, beam = 0;  // BLEU
  std::vector<nn::Translation> written;
};
inline std::vector<std::vector<std::string>> sources_of(const std::vector<heed::text::TokenPair>& pairs) {
  std::vector<std::vector<std::string>> out;
  for (const auto& p : pairs) out.push_back(p.source);
  return out;
}
inline Score score_of(const nn::Translator& t, const std::vector<heed::text::TokenPair>& pairs) {
  Score s{.written = t.translate(sources_of(pairs), {.beam = 5})};
  s.beam = app::bleu_of(s.written, pairs);
  s.greedy = app::bleu_of(t.translate(sources_of(pairs)), pairs);
  return s;
}

struct Climbed {
  Rung rung;
  nn::Translator translator;
  Score score = {};                // of the test sentences
  double perplexity = 0;           // of the validation sentences, per token of the model
  std::vector<double> bleus = {};  // of the validation sentences, greedy, after each epoch
  int64_t best_epoch = 0;
  double minutes = 0;
  std::optional<double> not_averaged = {};  // greedy BLEU of the last step's parameters
};

// A rung has a folder of the kind that `heed train` writes.
inline io::FolderKind rung_folder() {
  io::FolderKind kind = nn::training_run();
  kind.command = "30_real_translation";
  return kind;
}

// On files, a run in the same folder is continued if it has the same files and options, and another run is never
// overwritten. On the built-in grammar, which takes a minute, every run begins anew.
inline void require_own_folder(const std::string& folder, const io::Json& config, const Plan& plan) {
  std::string path = folder + "/config.json";
  io::require_own(folder, rung_folder());
  if (!io::exists(path)) return;
  io::Json theirs = io::parse(io::read_file(path), path);
  if (plan.built_in() && theirs.at("data").text("src") == "" && theirs.at("data").text("pairs", "") == "") return;
  auto fixed = [](const io::Json& j) {  // all options but the time, which may change
    io::Json options = j.at("options");
    return options.set("max_minutes", 0);
  };
  if (!(fixed(theirs) == fixed(config) && theirs.at("data") == config.at("data")))
    throw heed::InputError(fmt::format(
        "30_real_translation: \"{}\" holds a run with other files or options; hint: --out names another folder",
        folder));
}

// The parameters of the last step; used if the model that is kept is the mean of several epochs.
inline nn::Translator last_step(const nn::RunFolder& folder) {
  nn::Translator t = nn::Translator::load(folder.file("model.safetensors"));
  io::SafeTensors all = io::load_safetensors(folder.file("last.safetensors")), model;
  const std::string prefix = "model.";
  for (auto& [name, tensor] : all.tensors)
    if (name.starts_with(prefix)) model.tensors.emplace_back(name.substr(prefix.size()), tensor);
  nn::load_state(t.model, model, folder.file("last.safetensors"));
  return t;
}

// Trains one rung; empty if it was interrupted.
inline std::optional<Climbed> climb(const Rung& rung, const Plan& plan, const app::TranslateData& data,
                                    const std::string& folder_path) {
  app::TrainOptions o = options_of(rung, plan);
  io::Json config = config_of(plan.files, o, data);
  require_own_folder(folder_path, config, plan);
  app::TrainRun run(o, data);
  nn::RunFolder folder(folder_path, rung_folder());
  if (plan.built_in())
    for (const std::string& name : rung_folder().files)
      if (std::error_code error; !std::filesystem::remove(folder.file(name), error) && error)
        io::cannot_write(folder.file(name), error.value());
  io::atomic_write(folder.file("config.json"), config.dump(2) + "\n");
  run.open(&folder, folder.has("last.safetensors"));
  if (run.run() == app::TrainRun::End::interrupted) return {};
  Climbed c{.rung = rung, .translator = nn::Translator::load(folder.file("model.safetensors"))};
  c.minutes = run.seconds() / 60;
  nn::set_training(c.translator.model, false);
  c.score = score_of(c.translator, data.tests.front().pairs);
  c.perplexity = std::exp(nn::mean_loss(nn::fit_model(c.translator.model), c.translator.encode(data.validation)));
  for (const io::Json& line : folder.lines("metrics.jsonl")) {
    if (line.text("kind") != "epoch") continue;
    c.bleus.push_back(line.number("bleu"));
    if (line.boolean("best")) c.best_epoch = line.integer("epoch");
  }
  if (o.fit.weights == "average")
    c.not_averaged =
        app::bleu_of(last_step(folder).translate(sources_of(data.tests.front().pairs)), data.tests.front().pairs);
  return c;
}

}  // namespace ladder
