#include "tutorials/app/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/app/train_loop.h"
#include "tutorials/app/train_report.h"
#include "tutorials/app/tune_data.h"
#include "tutorials/app/tune_setup.h"
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

double usual_rate(const TuneSetup& s, const TuneOptions& o) {
  if (o.is_new) return 1e-3;
  const auto& tower = s.model->decoder ? s.model->decoder : s.model->encoder;
  return 5e-5 * 768 / static_cast<double>(tower->options.block().model) * (o.lora > 0 ? 10 : 1);
}

io::Json described(const TuneJob& job, const TuneSetup& s) {  // before the first step
  const TuneFiles& f = job.files;
  TuneOptions o = job.options;
  const std::string what = !f.labels.empty() ? f.labels : f.text;
  return io::Json::object(
      {{"program", "heed " HEED_VERSION},
       {"title", fmt::format("{} {}, seed {}", o.is_new ? "a new" : "from", o.is_new ? f.made : f.from, o.seed)},
       {"unit", s.task == TuneTask::classes ? "nats a text" : "nats a token"},
       {"columns", s.task == TuneTask::classes ? io::Json::array({"text", "label", "predicted"})
                                               : io::Json::array({"written after", "", "text"})},
       {"command", job.command},
       {"data", io::Json::object({{"from", f.from},
                                  {"new", f.made},
                                  {"labels", f.labels},
                                  {"text", f.text},
                                  {"valid", f.valid},
                                  {"lines", f.lines.empty() ? "" : fingerprint_of(f.lines)},
                                  {"pairs", what},
                                  {"training_pairs", s.train.size()},
                                  {"validation_pairs", s.valid.size()},
                                  {"base", fingerprint_of(*s.model)},
                                  {"fingerprint", fingerprint_of(s.train) + fingerprint_of(s.valid)}})},
       {"options", nn::json_of(nn::fields_of(o))}});
}

nn::FitOptions fit_of(const TuneOptions& o) {
  nn::FitOptions fit = o.fit;
  fit.seed = static_cast<uint64_t>(o.seed), fit.epochs = o.max_epochs;
  return fit;
}

class TuneRun {
 public:
  TuneRun(const TuneJob& job, TuneSetup& setup)
      : job_(job),
        options_(job.options),
        s_(setup),
        loop_({.max_epochs = options_.max_epochs,
               .log_every = options_.log_every,
               .max_minutes = options_.max_minutes,
               .save_minutes = options_.save_minutes},
              lasting()),
        run_(fit_model(), setup.train, setup.valid, fit_of(options_)) {}
  nn::FitRun& run() { return run_; }
  size_t trained() const { return trained_; }
  void open(nn::RunFolder& folder) {
    folder_ = &folder;
    const bool begun = folder.has("last.safetensors");
    loop_.open(&folder, run_, begun);
    if (!begun) loop_.save();
  }
  TrainLoop::End train() {
    nn::FitWatcher watcher;
    watcher.on_epoch = [this](const nn::EpochRecord& r) { log_epoch(r); };
    watcher.on_best = [this](const nn::EpochRecord&) { save(); };
    return loop_.run(std::move(watcher), [this] { write_train_report(*folder_); });
  }

 private:
  io::Json lasting() const {
    TuneOptions copy = options_;
    io::Json kept = io::Json::object();
    const io::Json all = nn::json_of(nn::fields_of(copy));
    for (const nn::OptionField& f : nn::fields_of(copy))
      if (!f.may_change) kept.set(f.name, all.at(f.name));
    return kept;
  }

  nn::FitModel fit_model() {
    published::Model& model = *s_.model;
    if (options_.lora > 0) {
      Generator rng(static_cast<uint64_t>(options_.seed));
      try {
        lora_.emplace(model,
                      nn::LoraChoice{.rank = options_.lora,
                                     .alpha = options_.lora_alpha,
                                     .where = options_.lora_where,
                                     .train = s_.task == TuneTask::classes ? "heads.*" : ""},
                      rng);
      } catch (const ValueError& error) { throw InputError(error.what()); }
    }
    const nn::PublishedFit how{.pad = s_.pad, .lora = lora_ ? &*lora_ : nullptr};
    nn::FitModel fit = s_.task == TuneTask::classes        ? nn::fit_classes(model, how)
                       : s_.task == TuneTask::masked_words ? nn::fit_masked_words(model, s_.masking, how)
                                                           : nn::fit_next_word(model, how);
    for (const NamedVariable& p : fit.parameters) trained_ += static_cast<size_t>(p.variable.count());
    fit.parts.push_back(loop_.part());
    if (!s_.windows.empty()) {
      fit.batch = [of = fit.batch, &s = s_](const std::vector<data::EncodedPair>& read, std::vector<int64_t> members,
                                            int64_t epoch) {
        if (epoch == 0) return of(read, members, epoch);  // of validation
        const auto epochs = epoch - 1, n = std::ssize(s.train), all = std::ssize(s.windows);
        for (int64_t& one : members) one = (epochs * n + one) % all;
        return of(s.windows, members, epoch);
      };
    }
    if (s_.task == TuneTask::classes)
      fit.bleu = [this] { return 100 * accuracy(); };  // beside the loss, which decides what is best
    return fit;
  }

  Tensor probabilities() {
    if (lora_) lora_->merge();
    std::vector<std::vector<int64_t>> texts;
    for (const data::EncodedPair& one : s_.valid) texts.push_back(one.source);
    return nn::class_probabilities(*s_.model, texts, s_.pad);
  }
  double accuracy() {
    predicted_.clear();
    const Tensor p = probabilities();  // [texts, C]
    int64_t right = 0;
    for (int64_t i = 0, C = p.size(1); i < p.size(0); ++i) {
      const float* row = p.data<float>() + i * C;
      predicted_.push_back(std::max_element(row, row + C) - row);
      right += predicted_.back() == s_.valid[static_cast<size_t>(i)].target[0];
    }
    return static_cast<double>(right) / static_cast<double>(p.size(0));
  }

  io::Json samples() {
    io::Json list = io::Json::array();
    auto add = [&](const std::string& source, const std::string& reference, const std::string& said) {
      list.push(io::Json::object({{"source", source}, {"reference", reference}, {"translation", said}}));
    };
    const auto n = static_cast<size_t>(options_.samples);
    if (s_.task == TuneTask::classes)
      for (size_t i = 0; i < std::min(n, predicted_.size()); ++i)
        add(s_.shown[i], s_.labels[static_cast<size_t>(s_.valid[i].target[0])],
            s_.labels[static_cast<size_t>(predicted_[i])]);
    if (s_.task != TuneTask::next_word) return list;
    if (lora_) lora_->merge();
    const int64_t end = s_.tokenizer->special("eos_token").value_or(-1);
    for (size_t i = 0; i < n; ++i) {
      Generator rng(static_cast<uint64_t>(options_.seed) + i);
      const std::vector<int64_t>& window = s_.valid[i % s_.valid.size()].source;
      std::vector<int64_t> given(window.begin(), window.begin() + std::min<int64_t>(4, std::ssize(window)));
      if (!options_.prompt.empty())
        given = s_.tokenizer->encode(options_.prompt, {.max_length = options_.max_length / 2}).ids();
      const int64_t most = std::min<int64_t>(40, options_.max_length - std::ssize(given));
      add(s_.tokenizer->decode(given), "",
          s_.tokenizer->decode(nn::continued(*s_.model, given, most, i == 0 ? 0 : 0.8, end, rng)));
    }
    return list;
  }

  void log_epoch(const nn::EpochRecord& r) {
    io::Json line = loop_.epoch_line(r);
    std::string note = fmt::format("validation perplexity {:.2f}", r.valid_perplexity());
    if (r.bleu) {
      line.set("bleu", nullptr).set("accuracy", *r.bleu);
      note = fmt::format("validation accuracy {:.1f} %", *r.bleu);
    }
    folder_->append("metrics.jsonl", line);
    const io::Json written = samples();
    folder_->append("samples.jsonl",
                    io::Json::object({{"step", run_.steps()}, {"epoch", r.epoch}, {"samples", written}}));
    if (const std::string text = job_.on_epoch ? job_.on_epoch(r, s_, written) : ""; !text.empty())
      loop_.print(text);
    else
      loop_.note(note);
  }

  void save() {
    if (lora_) {
      lora_->merge();
      io::SafeTensors adapters = save_state(*lora_);
      adapters.metadata["heed.kind"] = "lora adapters 1";
      adapters.metadata["rank"] = std::to_string(options_.lora);
      adapters.metadata["alpha"] =
          fmt::format("{}", options_.lora_alpha > 0 ? options_.lora_alpha : 2.0 * static_cast<double>(options_.lora));
      io::save_safetensors(job_.out + "/adapter.safetensors", adapters);
    }
    published::save(*s_.model, job_.out);
  }

  const TuneJob& job_;
  const TuneOptions& options_;
  TuneSetup& s_;
  std::optional<nn::LoraModel> lora_;
  size_t trained_ = 0;
  std::vector<int64_t> predicted_;  // classes of the validation texts
  nn::RunFolder* folder_ = nullptr;
  TrainLoop loop_;
  nn::FitRun run_;
};

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

void say_what(const TuneSetup& s, const TuneRun& run, const TuneOptions& o) {
  const auto all = static_cast<double>(nn::count_parameters(*s.model)), trained = static_cast<double>(run.trained());
  say(fmt::format("{} {} for training, {} for validation", s.train.size(),
                  s.task == TuneTask::next_word ? "windows" : "texts", s.valid.size()));
  if (o.lora > 0)  // gradients and Adam's two averages, 12 bytes a parameter
    say(
        fmt::format("LoRA trains {:.0f} of {:.0f} parameters ({:.2f} %); gradients and optimiser take {:.2f} MB in the "
                    "place of {:.2f} MB",
                    trained, all, 100 * trained / all, 12e-6 * trained, 12e-6 * all));
  else
    say(fmt::format("{:.0f} parameters", all));
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

namespace {

void require_same_data(const io::Json& before, const io::Json& now, const TuneJob& job) {
  if (before.inner("data").text("fingerprint") != now.inner("data").text("fingerprint"))
    throw InputError(
        fmt::format("train: --resume needs the data that the run in \"{}\" began with; got other texts", job.out));
  if (before.inner("data").text("base") != now.inner("data").text("base"))  // what LoRA adds to
    throw InputError(
        fmt::format("train: --resume needs the model that the run in \"{}\" began with; got other weights in \"{}\"",
                    job.out, job.files.from));
}

}  // namespace

// A run that goes on keeps its options; only its length and its output may change.
std::vector<std::string> other_option(const io::Json& before, TuneOptions o) {
  TuneOptions usual;  // of what an older file does not have
  const io::Json now = nn::json_of(nn::fields_of(o)), defaults = nn::json_of(nn::fields_of(usual));
  for (const nn::OptionField& field : nn::fields_of(o)) {
    const io::Json* kept = before.find(field.name);
    const io::Json& then = kept ? *kept : defaults.at(field.name);
    const bool fixed = !field.may_change || (field.name == "max_epochs" && nn::needs_length(o.fit));
    if (fixed && !(then == now.at(field.name)))
      return {option_name(field.name), then.dump(), now.at(field.name).dump()};
  }
  return {};
}

io::Json begun_run(const std::string& out) {
  const std::string path = out + "/training/config.json";
  return io::exists(path) ? io::parse(io::read_file(path), path) : io::Json();
}

Tuned tune(TuneJob& job) {
  const std::string records = job.out + "/training";
  io::require_own(records, nn::training_run());
  TuneOptions& o = job.options;
  Tuned t{.setup = set_up_tuning(job.files, o, job.resume ? job.out : ""), .history = {}};
  TuneSetup& setup = t.setup;
  if (o.fit.learning_rate == 0) o.fit.learning_rate = usual_rate(setup, o);
  const io::Json config = described(job, setup);
  if (job.resume) require_same_data(begun_run(job.out), config, job);
  TuneRun run = [&] {
    try {
      return TuneRun(job, setup);
    } catch (const ValueError& error) { throw InputError(error.what()); }
  }();
  nn::RunFolder folder(records);
  if (job.replace)
    for (const char* file : {"/model.safetensors", "/training/last.safetensors"}) {
      std::error_code none;
      std::filesystem::remove(job.out + file, none);
    }
  if (setup.learned) tokenizers::save_tokenizer(*setup.learned, job.out);
  if (setup.learned && setup.task == TuneTask::next_word)
    io::atomic_write(job.out + "/generation_config.json", published::llama_generation().dump(2) + "\n");
  io::atomic_write(records + "/config.json", config.dump(2) + "\n");
  run.open(folder);
  if (run.run().done()) {
    say(fmt::format("using the model in {}, whose training has ended", job.out));
  } else {
    say_what(setup, run, o);
    if (run.run().steps() > 0) say(fmt::format("going on at step {}", run.run().steps()));
  }
  t.interrupted = run.train() == TrainLoop::End::interrupted;
  t.history = run.run().history(), t.steps = run.run().steps(), t.seconds = run.run().seconds();
  return t;
}

int train_published(int argc, char** argv) {
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
  apply_common(common);
  const Tuned run = tune(line);
  if (run.interrupted) {
    say(fmt::format("interrupted: saved at step {}; heed train --out {} --resume goes on", run.steps, line.out));
    return 130;
  }
  print_tuned(line, run);
  return 0;
}

}  // namespace heed::app
