#include "tutorials/app/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>

#include "distributed/join.h"
#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/app/train_ranks.h"
#include "tutorials/app/tune_data.h"
#include "tutorials/app/tune_run.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace published = nn::published;

struct TuneLine : TuneJob {
  std::optional<int64_t> threads;
  std::set<std::string> given = {};
};

// `line.options` are the defaults of what is not given.
void parse_tuning(int argc, char** argv, TuneLine& line) {
  Options options("heed train", "Trains a published model on, or a new one in the layout of published ones.");
  options.add("--from", &line.files.from, "folder of a published model to train on").placeholder("DIR");
  options.add("--new", &line.files.made, "begin a new model instead: an encoder (bert) or a decoder (llama)")
      .one_of({"bert", "llama"});
  options.add("--labels", &line.files.labels, "learn to put texts into classes: a file of lines, label TAB text")
      .placeholder("F");
  options
      .add("--text", &line.files.text,
           "learn from a text: a decoder the next word, an encoder masked words, with a text on each line")
      .placeholder("F");
  options.add("--valid", &line.files.valid, "validation file of the same kind; default: a tenth is held out")
      .placeholder("F");
  options.add("--out", &line.out, "folder for the model; its records are in DIR/training")
      .required()
      .placeholder("DIR");
  options.flag("--resume", &line.resume, "continue the run in DIR from its last saved state");
  options.add("--threads", &line.threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.add_all(nn::fields_of(line.options));
  options.epilogue(
      "The folder opens as the model it came from does. heed classify --model DIR uses one with classes.\n"
      "The learning rate is 5e-5 for a model of width 768 and inversely proportional to the width, with --lora ten\n"
      "times as much, and 1e-3 with --new.");
  options.parse(argc, argv);
  line.options.is_new = !line.files.made.empty();
  line.given = options.given();
  for (const nn::OptionField& field : nn::fields_of(line.options.model))
    if (!line.options.is_new && line.given.contains(option_name(field.name)))
      throw InputError(
          fmt::format("train: {} is a size of a new model; got it without --new", option_name(field.name)));
  if (!line.resume) options.require_effects();
}

void require_task(const TuneFiles& f) {
  if (f.from.empty() == f.made.empty())
    throw InputError(
        fmt::format("train: --from or --new must be given, and one only; got {}", f.from.empty() ? "neither" : "both"));
  if (f.labels.empty() == f.text.empty())
    throw InputError(fmt::format("train: --labels or --text must be given, and one only; got {}",
                                 f.labels.empty() ? "neither" : "both"));
  if (!f.made.empty() && !f.labels.empty())
    throw InputError("train: --new learns from a --text first; got --labels; hint: --from its folder --labels then");
}

// Read from the folder: what is printed is what whoever opens it gets.
void print_tuned(const TuneLine& line, const Tuned& run) {
  const TuneSetup& s = run.setup;
  const std::string report = line.out + "/training/report.html";
  tell("epochs                  {}\nsteps                   {}\nminutes                 {:.1f}\n", run.history.size(),
       run.steps, run.seconds / 60);
  const std::unique_ptr<published::Model> model = published::open(line.out);
  if (s.task == TuneTask::classes) {
    std::vector<std::vector<int64_t>> texts;
    std::vector<int64_t> counts(s.labels.size());
    for (const data::EncodedPair& one : s.valid)
      texts.push_back(one.source), ++counts[static_cast<size_t>(one.target[0])];
    const Tensor p = nn::class_probabilities(*model, texts, s.pad);
    int64_t right = 0, C = p.size(1);
    for (int64_t i = 0; i < p.size(0); ++i) {
      const float* row = p.data<float>() + i * C;
      right += std::max_element(row, row + C) - row == s.valid[static_cast<size_t>(i)].target[0];
    }
    const auto n = static_cast<double>(texts.size());
    const auto most = std::max_element(counts.begin(), counts.end());
    tell("validation accuracy     {:.1f} % of {} texts\n", 100 * static_cast<double>(right) / n, texts.size());
    tell("most frequent class     {:.1f} %: {}\n", 100 * static_cast<double>(*most) / n,
         s.labels[static_cast<size_t>(most - counts.begin())]);
  } else {
    nn::Evaluating evaluating;
    const nn::PublishedFit how{.pad = s.pad};
    const nn::FitModel fit = s.task == TuneTask::masked_words ? nn::fit_masked_words(*model, s.masking, how)
                                                              : nn::fit_next_word(*model, how);
    tell("validation perplexity   {:.2f}, of {} tokens by chance\n", std::exp(nn::mean_loss(fit, s.valid)),
         s.tokenizer->vocabulary_size());
  }
  tell("model                   {}\n", line.out);
  if (io::exists(report)) tell("report                  {}\n", report);
}

}  // namespace

bool asks_to_tune(int argc, char** argv) {
  bool resume = false;
  std::string out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    for (const char* name : {"--from", "--new"})
      if (word == name || word.starts_with(std::string(name) + "=")) return true;
    resume = resume || word == "--resume";
    if (word == "--out" && i + 1 < argc) out = argv[i + 1];
    if (word.starts_with("--out=")) out = word.substr(std::strlen("--out="));
  }
  try {
    return resume && !out.empty() && io::exists(out + "/training/config.json");
  } catch (const IoError&) { return false; }  // of a translator's run: that refuses the folder in its own words
}

int train_published(nn::Ranks& ranks, int argc, char** argv) {
  TuneLine line;
  parse_tuning(argc, argv, line);
  if (line.resume) {
    const io::Json before = begun_run(line.out);
    if (before.is_null())
      throw InputError(
          fmt::format("train: --resume needs the folder of a run; got \"{}\" without training/", line.out));
    TuneLine again;
    const io::Json& data = before.inner("data");
    for (auto [name, place] : {std::pair("from", &again.files.from), std::pair("new", &again.files.made),
                               std::pair("labels", &again.files.labels), std::pair("text", &again.files.text),
                               std::pair("valid", &again.files.valid)})
      *place = data.text(name);
    for (auto [had, other, given] :
         {std::tuple("from", "new", &line.files.made), std::tuple("new", "from", &line.files.from),
          std::tuple("labels", "text", &line.files.text), std::tuple("text", "labels", &line.files.labels)})
      if (const std::string begun = data.text(had); !begun.empty() && !given->empty())
        throw InputError(
            fmt::format("train: --resume goes on with --{} \"{}\"; got --{} \"{}\"", had, begun, other, *given));
    nn::read_option_fields(nn::fields_of(again.options), before.inner("options"));
    line = std::move(again);
    parse_tuning(argc, argv, line);  // what is given now comes over it
    if (const auto other = other_option(before.inner("options"), line.options); !other.empty())
      throw InputError(fmt::format("train: --resume goes on with {} {}; got {}", other[0], other[1], other[2]));
    if (const io::Json* command = before.find("command")) line.command = command->as_string();
  } else {
    // The files of a tokenizer have many names, and none that is there may be replaced.
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(line.out, none))
      throw InputError(
          fmt::format("train: a new run needs an empty folder; got \"{}\" with {}; hint: --resume goes on with a run",
                      line.out, entry.path().filename().string()));
  }
  require_task(line.files);
  Common common;
  common.threads = line.threads;
  require_one_program(ranks, argc, argv);
  if (ranks.size() > 1 && !line.threads) common.threads = distributed::share_of_processors();
  apply_common(common);
  line.ranks = &ranks;
  const Tuned run = tune(line);
  if (run.interrupted) {
    if (ranks.root())
      say(fmt::format("interrupted: saved at step {}; heed train --out {} --resume goes on", run.steps, line.out));
    return 130;
  }
  if (ranks.root()) print_tuned(line, run);
  return 0;
}

}  // namespace heed::app
