#include "tutorials/app/train_line.h"

#include <fmt/format.h>

#include <map>

#include "nn/attention/registry.h"
#include "nn/models/fixed_vector.h"
#include "tensor/error.h"
#include "tutorials/app/attention_option.h"
#include "tutorials/common/output.h"

namespace heed::app {

void parse(int argc, char** argv, TrainLine& c) {
  Options options("heed train", "Trains a translator on parallel files, one sentence per line, or on a file of pairs.");
  options.add("--src", &c.files.source, "training data, source language").placeholder("F");
  options.add("--tgt", &c.files.target, "training data, target language: line i translates line i of --src")
      .placeholder("F");
  options.add("--valid-src", &c.files.valid_source, "validation data, source language").placeholder("F");
  options.add("--valid-tgt", &c.files.valid_target, "validation data, target language").placeholder("F");
  options
      .add("--pairs", &c.files.pairs,
           "instead of these four files: one with a pair per line, separated by a tab; a part is held out for "
           "validation")
      .placeholder("F");
  options.add("--out", &c.out, "folder of the run; it keeps the results of one command").required().placeholder("DIR");
  options
      .add("--preset", &c.preset,
           fmt::format("starting values of the options below: {}; default: {}", fmt::join(preset_names(), ", "),
                       TrainOptions().preset))
      .placeholder("P");
  options.flag("--resume", &c.resume, "continue the run in DIR from its last saved state");
  options.flag("--quick", &c.quick,
               "check that files and options work: 1000 pairs and 2 epochs, unless you give --limit or --max-epochs");
  options.flag("--shard", &c.shard,
               "under mpirun: each process keeps its share of the optimiser's state instead of all of it; no curve "
               "changes");
  options
      .add("--threads", &c.threads,
           "number of threads; default: all processors that this process may use, under mpirun its share of them")
      .between(1, 256);
  options.add("--set", &c.settings, "set any of the options below, as NAME=VALUE").whole().placeholder("NAME=VALUE");
  options
      .add(
          "--attention", &c.attention,
          "stages of attention by their names or ids in the catalogue, separated by commas, as in local_m,sparsemax or "
          "A5: sets --score, --scope, --normaliser, --positions, --evaluator, --cell, --pooling, --reader, --memory or "
          "--output")
      .placeholder("NAME");
  // A copy of each option's text: which options there are depends on the paper, which is one of them.
  std::vector<std::pair<std::string, std::string>> help = option_help();
  for (const auto& [name, text] : help) c.named.emplace_back(name, std::nullopt);
  c.named.emplace_back("position", std::nullopt);
  for (size_t i = 0; i < help.size(); ++i)
    options.add(option_name(help[i].first), &c.named[i].second, help[i].second).placeholder("X");
  options.add("--position", &c.named.back().second, "the same as --positions").placeholder("X");
  options.epilogue(settings_help() +
                   "\n\nPublished models (heed train --from DIR --help has all options):\n"
                   "  --from DIR --labels F   an encoder learns to put texts into classes\n"
                   "  --from DIR --text F     a model is trained on with a text\n"
                   "  --new KIND --text F     a new model, bert or llama\n"
                   "  --lora R                by low-rank adapters");
  options.parse(argc, argv);
}

namespace {

// Every NAME and text that the user gave, in order.
std::vector<std::pair<std::string, std::string>> given(const TrainLine& c) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, text] : c.named)
    if (text) out.emplace_back(name == "position" ? "positions" : name, *text);
  for (const std::string& setting : c.settings) {
    size_t equals = setting.find('=');
    if (equals == std::string::npos) throw InputError(fmt::format("--set: must be NAME=VALUE; got \"{}\"", setting));
    out.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return out;
}

std::vector<nn::OptionField> fields_named(TrainOptions& o, const std::string& name) {
  std::vector<nn::OptionField> called = fields_called(o, name);
  if (!called.empty()) return called;
  for (const std::string& paper : nn::paper_names()) {
    TrainOptions other = o;
    set_paper(other, paper);
    if (!fields_called(other, name).empty())
      throw InputError(fmt::format("train: {} is an option of other papers; got it with {}; hint: --paper {}",
                                   option_name(name), o.model.name(), paper));
  }
  std::vector<std::string> names;
  for (const auto& [known, text] : option_help()) names.push_back(known);
  std::string near = nearest(name, names);
  throw InputError(fmt::format("--set: must name an option of heed train; got \"{}\"; {}", name,
                               near.empty() ? "--help lists them" : "nearest: " + near));
}

// Options of a transformer that count more layers than there are.
void require_layers(const std::set<std::string>& named, const TrainOptions& o) {
  const auto* model = o.model.as<nn::Transformer>();
  if (!model) return;
  const nn::TransformerOptions& t = *model;
  const int64_t layers = std::max(t.encoder_layers, t.decoder_layers);
  for (auto [name, value] : {std::pair("shared_keys", t.shared_keys), std::pair("checkpoint", o.fit.checkpoint)})
    if (named.count(name) && value > layers)
      throw InputError(fmt::format("train: {} must be at most the number of layers; got {} with {} layers",
                                   option_name(name), value, layers));
}

}  // namespace

// Builds a small model of the kind, so that options that do not fit together are refused before data is read.
void require_possible(const TrainOptions& o) {
  try {
    nn::try_out(o.model);
  } catch (const Error& error) { throw InputError(error.what()); }
}

void apply(const TrainLine& c, TrainOptions& o) {
  std::vector<std::pair<std::string, std::string>> texts = given(c);
  std::set<std::string> named;
  std::map<std::string, std::string> values;
  auto assign = [&](const std::string& name, const std::string& called) {
    const std::string text = stage_text(name, called);  // F8 is rope
    const std::vector<nn::OptionField> fields = fields_named(o, name);
    if (!o.model.as<nn::Transformer>() && name == "positions" && nn::added_to_embedding(text))
      throw InputError(
          fmt::format("train: positions added to the embedding are those of a transformer; got {} with {}; hint: "
                      "--paper transformer",
                      text, o.model.name()));
    for (nn::OptionField field : fields) {
      if (fields.size() > 1) field.name = name;
      app::assign(field, text);
    }
    if (name == "layers") set_layers(o, *std::get<int64_t*>(fields[0].place));
    named.insert(name);
    values[name] = text;
  };
  std::map<std::string, std::string> once;
  for (const auto& [name, text] : texts)
    if (const std::string& before = once.emplace(name, text).first->second; before != text)
      throw InputError(
          fmt::format("train: {0} must be given once; got {1} and {2}; hint: {0} X and --set {3}=X are the same option",
                      option_name(name), before, text, name));
  for (const auto& [name, text] : texts)
    if (name == "paper") assign(name, text);
  for (const auto& [name, text] : texts) assign(name, text);
  for (const ChosenStage& stage : chosen_stages(c.attention)) {
    if (named.count(stage.option))
      throw InputError(fmt::format("--attention: one {} at a time; got {} and {}", option_name(stage.option),
                                   values[stage.option], stage.text));
    assign(stage.option, stage.text);
  }
  require_layers(named, o);
  // Where one option takes the place of another, the one that was given counts, not the preset's.
  auto only = [&](const char* one, const char* other) { return named.count(one) && !named.count(other); };
  if (only("ema", "weights")) o.fit.weights = "ema";
  if (only("average", "weights")) o.fit.weights = "average";
  if (only("bpe", "bpe_vocabulary")) o.bpe_vocabulary = 0;
  if (only("batch_size", "batch_tokens")) o.fit.batch_tokens = 0;
  require_effects("train", nn::fields_of(o), named);
  if (named.count("bpe") && named.count("bpe_vocabulary") && o.bpe > 0 && o.bpe_vocabulary > 0)
    throw InputError(
        "train: --bpe or --bpe-vocabulary; got both; hint: a number of merges or a size of the vocabulary");
  if (named.count("batch_size") && named.count("batch_tokens") && o.fit.batch_tokens > 0)
    throw InputError("train: --batch-size or --batch-tokens; got both; hint: pairs or tokens of a batch");
  if (o.fit.checkpoint > 0 && !o.model.as<nn::Transformer>())
    throw InputError(
        fmt::format("train: --checkpoint computes layers of a transformer again; got the paper {}; hint: --accumulate "
                    "saves memory with any model",
                    o.model.name()));
  if (o.fit.attention.any() && (o.model.as<nn::Sutskever>() || o.model.as<nn::Cho>()))
    throw InputError(fmt::format(
        "train: penalties of attention need attention; got the paper {}; hint: --paper bahdanau", o.model.name()));
  if (o.fit.measure == "bleu" && !o.bleu) throw InputError("train: --measure bleu needs BLEU; got --bleu false");
}

// A resumed run keeps its options; only its length and its output may change.
TrainOptions resumed(const TrainLine& c, const io::Json& config, TrainFiles& files) {
  TrainOptions before = [&] {
    try {
      return train_options_from(config.inner("options"));
    } catch (const IoError&) {
      throw;
    } catch (const InputError& error) {  // a value that the user has not typed, but that is in the file
      throw IoError(fmt::format("{}/config.json: {}", c.out, error.what()));
    }
  }();
  TrainOptions after = before;
  if (!c.preset.empty() && c.preset != before.preset)
    throw InputError(
        fmt::format("train: --resume goes on with the preset {}; got --preset {}", before.preset, c.preset));
  apply(c, after);
  io::Json then = to_json(before), now = to_json(after);
  for (const nn::OptionField& field : nn::fields_of(after)) {
    const std::string& name = field.name;
    bool fixed = !field.may_change || (name == "max_epochs" && nn::needs_length(before.fit));
    if (!fixed || then.at(name) == now.at(name)) continue;
    throw InputError(fmt::format(
        "train: --resume goes on with {} {}; got {}{}", option_name(name), then.at(name).dump(), now.at(name).dump(),
        field.may_change ? "; hint: the schedule warmup_cosine is laid out for its epochs, noam, "
                           "inverse_sqrt, plateau and constant are not"
                         : ""));
  }
  // A file of pairs takes the place of all four others, and any of those that of the pairs.
  const io::Json& data = config.inner("data");
  const bool pairs = !files.pairs.empty();
  bool others = false;
  for (auto [name, path] : {std::pair("src", &files.source), std::pair("tgt", &files.target),
                            std::pair("valid_src", &files.valid_source), std::pair("valid_tgt", &files.valid_target)}) {
    others = others || !path->empty();
    if (path->empty() && !pairs) *path = data.text(name);
  }
  if (!pairs && !others) files.pairs = data.text("pairs", "");
  return after;
}

void require_files(const TrainFiles& f) {
  if (!f.pairs.empty()) {
    for (const std::string* other : {&f.source, &f.target, &f.valid_source, &f.valid_target})
      if (!other->empty())
        throw InputError(
            fmt::format("heed train: give --pairs, or --src and the others; got --pairs and \"{}\"", *other));
    return;
  }
  if (f.source.empty() && f.target.empty() && f.valid_source.empty() && f.valid_target.empty())
    throw InputError("heed train: --pairs is required, or --src, --tgt, --valid-src and --valid-tgt");
  for (auto [name, path] : {std::pair("--src", &f.source), std::pair("--tgt", &f.target),
                            std::pair("--valid-src", &f.valid_source), std::pair("--valid-tgt", &f.valid_target)})
    if (path->empty()) throw InputError(fmt::format("heed train: {} is required", name));
}

}  // namespace heed::app
