// `heed train`: a translator from parallel files, in a run that can be stopped at any moment and goes on exactly.
//
//   heed train --src F --tgt F --valid-src F --valid-tgt F --preset rnn-attention --out DIR
//   heed train --pairs F --cell lstmn --out DIR
//   heed train --out DIR --resume --max-epochs 20
//   heed train --from DIR --labels F --out DIR        published models: tune.h
//
// What the folder holds: train_run.h. What can be set: train_options.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>

#include "distributed/join.h"
#include "nn/attention/registry.h"
#include "nn/io/file.h"
#include "nn/io/pack.h"
#include "nn/models/fixed_vector.h"
#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/thread_pool.h"
#include "tutorials/app/attention_option.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/train_ranks.h"
#include "tutorials/app/train_run.h"
#include "tutorials/app/tune.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

struct CommandLine {
  TrainFiles files;
  std::string preset, out;
  bool resume = false, quick = false, shard = false;
  std::optional<int64_t> threads;
  std::vector<std::string> settings;                                      // NAME=VALUE
  std::vector<std::string> attention;                                     // entries of the catalogue
  std::vector<std::pair<std::string, std::optional<std::string>>> named;  // options as given: name, text
};

void parse(int argc, char** argv, CommandLine& c) {
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

// Every NAME and text that the user gave, in order.
std::vector<std::pair<std::string, std::string>> given(const CommandLine& c) {
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

// Builds a small model of the kind, so that options that do not fit together are refused before data is read.
void require_possible(const TrainOptions& o) {
  try {
    nn::try_out(o.model);
  } catch (const Error& error) { throw InputError(error.what()); }
}

void apply(const CommandLine& c, TrainOptions& o) {
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
TrainOptions resumed(const CommandLine& c, const io::Json& config, TrainFiles& files) {
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

// According to the checkpoint: the records may contain later epochs.
int64_t finished_epochs(const nn::RunFolder& folder) {
  if (!folder.has("last.safetensors")) return 0;
  io::SafeTensors last = io::load_safetensors(folder.file("last.safetensors"));
  const Tensor* history = last.find("progress.history");
  return history && history->rank() == 2 ? history->size(0) : 0;
}

void print_results(const nn::RunFolder& folder, const TrainRun& run, const TrainOptions& o, const TranslateData& d) {
  nn::Translator best = nn::Translator::load(folder.file("model.safetensors"));
  Figures f = figures_of(best, d, o.beam);
  tell("epochs                  {}\nsteps                   {}\n", run.epochs(), run.steps());
  tell("validation perplexity   {:.3f}\n", f.perplexity);
  tell("validation BLEU         {:.2f} ({})\n", f.bleu,
       o.beam > 1 ? fmt::format("beam {}", o.beam) : std::string("greedy"));
  tell("model                   {}\n", folder.file("model.safetensors"));
  if (folder.has("report.html")) tell("report                  {}\n", folder.file("report.html"));
}

// A run without a model was stopped early, or has diverged: nothing in its folder is worth keeping.
std::string in_the_way(const std::string& folder) {
  bool model = io::exists(folder + "/model.safetensors");
  return fmt::format("train: a new run needs a folder without one; got \"{}\"{}; hint: --resume goes on with its run{}",
                     folder, model ? "" : ", which has no model yet",
                     model ? "" : fmt::format(", rm -r {} makes room for a new one", folder));
}

}  // namespace

namespace {

// What rank 0 finds out before anything is made: the options, the texts, the configuration to write.
struct Start {
  TrainOptions options;
  TranslateData data;
  io::Json described;
};

Start start_of(CommandLine& c) {
  if (c.quick && c.resume) throw InputError("train: --quick begins a run, --resume goes on with one; got both");
  std::string config_path = c.out + "/config.json";
  io::require_own(c.out, nn::training_run());
  bool exists = io::exists(config_path);
  if (c.resume && !exists)
    throw InputError(fmt::format("train: --resume needs the folder of a run; got \"{}\" without config.json", c.out));
  if (!c.resume && exists) throw InputError(in_the_way(c.out));
  if (c.resume && !io::exists(c.out + "/last.safetensors") &&
      io::exists(c.out + "/model.safetensors"))  // training anew would overwrite the model
    throw InputError(fmt::format(
        "train: --resume needs last.safetensors, the state of the run; got \"{}\" with a model and without it; "
        "hint: a new run in another folder, --out",
        c.out));

  io::Json config;
  Start start;
  TrainOptions& o = start.options;
  if (c.resume) {
    config = io::parse(io::read_file(config_path), config_path);
    o = resumed(c, config, c.files);
    require_files(c.files);
  } else {
    o = preset(c.preset.empty() ? TrainOptions().preset : c.preset);
    if (c.quick) o.limit = 1000, o.max_epochs = 2;
    apply(c, o);
    require_files(c.files);
    require_possible(o);
  }
  start.data = read_data(c.files, o);
  start.described = config_of(c.files, o, start.data);
  if (c.resume && config.inner("data").text("fingerprint") != start.described.at("data").text("fingerprint"))
    throw InputError(
        fmt::format("train: --resume needs the data that the run in \"{}\" began with; got other sentences", c.out));
  for (const auto& note : start.data.notes) say(note);
  if (o.fit.precision == "bf16" && !has_bf16_products())
    say("this processor has no AVX512-BF16: products in bf16 are emulated, with the same bits, much slower than f32");
  return start;
}

int train(nn::Ranks& ranks, int argc, char** argv) {
  if (asks_to_tune(argc, argv)) return train_published(ranks, argc, argv);
  CommandLine c;
  parse(argc, argv, c);
  require_one_program(ranks, argc, argv);
  Common common;
  common.threads = c.threads;
  if (ranks.size() > 1 && !c.threads) common.threads = distributed::share_of_processors();
  apply_common(common);
  std::string config_path = c.out + "/config.json";
  Start start;
  const std::string texts = from_root(ranks, [&] {
    start = start_of(c);
    if (ranks.size() == 1) return std::string();
    io::Packer out;
    out.add(to_json(start.options).dump()), out.add(packed(start.data));
    return out.bytes;
  });
  if (!ranks.root()) {
    io::Unpacker in(texts);
    start.options = train_options_from(io::parse(in.text(), "rank 0's options"));
    start.data = unpacked_data(in.text());
  }
  const TrainOptions& o = start.options;

  TrainRun run = [&] {
    try {
      return TrainRun(o, start.data, ranks, c.shard);
    } catch (const ValueError& error) {  // options that do not fit together: the user's error
      throw InputError(error.what());
    }
  }();
  std::optional<nn::RunFolder> folder;
  const bool state = from_root(ranks, [&] {
                       const bool begun = io::exists(c.out + "/last.safetensors");
                       folder.emplace(c.out);
                       if (!c.resume && folder->has("config.json"))  // another process has started a run here meanwhile
                         throw InputError(in_the_way(c.out));
                       if (int64_t finished = finished_epochs(*folder); finished > o.max_epochs)
                         throw InputError(fmt::format("train: the run has finished {} epochs; got --max-epochs {}",
                                                      finished, o.max_epochs));
                       if (c.resume && !begun) say("no saved state: beginning anew");
                       // The first state needs a configuration before it; a state that is refused leaves the
                       // configuration as it was.
                       if (!begun) io::atomic_write(config_path, start.described.dump(2) + "\n");
                       return std::string(begun ? "begun" : "");
                     }) == "begun";
  run.open(folder ? &*folder : nullptr, state);
  if (state && folder) io::atomic_write(config_path, start.described.dump(2) + "\n");
  if (run.steps() > 0 && folder) say(fmt::format("going on at step {}, after {} epochs", run.steps(), run.epochs()));
  const TrainRun::End end = run.run();
  const std::vector<std::string> memory =
      ranks.gather(fmt::format("{:.1f} MB", static_cast<double>(allocator_stats().peak_bytes) / 1e6));
  if (end == TrainRun::End::interrupted) {
    if (folder)
      say(fmt::format("interrupted: saved at step {}; heed train --out {} --resume goes on", run.steps(), c.out));
    return 130;
  }
  if (!folder) return 0;
  print_results(*folder, run, o, start.data);
  if (ranks.size() > 1) tell("most memory by rank     {}\n", fmt::join(memory, ", "));
  return 0;
}

}  // namespace

int train_main(int argc, char** argv) { return with_ranks(argc, argv, train); }

}  // namespace heed::app
