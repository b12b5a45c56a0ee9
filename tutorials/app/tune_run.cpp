#include "tutorials/app/tune_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/app/train_loop.h"
#include "tutorials/app/train_ranks.h"
#include "tutorials/app/train_report.h"
#include "tutorials/app/tune_data.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace published = nn::published;

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

nn::FitOptions fit_of(const TuneJob& job) {
  nn::FitOptions fit = job.options.fit;
  fit.seed = static_cast<uint64_t>(job.options.seed), fit.epochs = job.options.max_epochs;
  fit.ranks = job.ranks;
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
        run_(fit_model(), setup.train, setup.valid, fit_of(job)) {}
  nn::FitRun& run() { return run_; }
  size_t trained() const { return trained_; }
  void open(nn::RunFolder* folder, bool begun) {
    folder_ = folder;
    loop_.open(folder, run_, begun);
    if (!begun) loop_.save();
  }
  TrainLoop::End train() {
    nn::FitWatcher watcher;
    if (folder_) {  // rank 0
      watcher.on_epoch = [this](const nn::EpochRecord& r) { log_epoch(r); };
      watcher.on_best = [this](const nn::EpochRecord&) { save(); };
    }
    const TrainLoop::End end = loop_.run(std::move(watcher), [this] { write_train_report(*folder_); });
    if (folder_ && end != TrainLoop::End::interrupted && !io::exists(job_.out + "/model.safetensors")) {
      say(fmt::format("the model in {} was gone; it is made again from the state of its run", job_.out));
      run_.finish();  // gives the parameters that were kept
      save();
    }
    return end;
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
                                            std::vector<int64_t> whole, int64_t epoch) {
        if (epoch == 0) return of(read, members, whole, epoch);  // of validation
        const auto epochs = epoch - 1, n = std::ssize(s.train), all = std::ssize(s.windows);
        for (std::vector<int64_t>* list : {&members, &whole})
          for (int64_t& one : *list) one = (epochs * n + one) % all;
        return of(s.windows, members, whole, epoch);
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
  nn::Ranks& ranks = *job.ranks;
  if (ranks.size() > 1) nn::require_same(ranks, "configuration", config.dump());
  std::optional<nn::RunFolder> folder;
  const bool begun =
      from_root(ranks, [&] {
        folder.emplace(records);
        if (job.replace)
          for (const char* file : {"/model.safetensors", "/training/last.safetensors"}) {
            std::error_code none;
            std::filesystem::remove(job.out + file, none);
          }
        if (setup.learned) tokenizers::save_tokenizer(*setup.learned, job.out);
        if (setup.learned && setup.task == TuneTask::next_word)
          io::atomic_write(job.out + "/generation_config.json", published::llama_generation().dump(2) + "\n");
        io::atomic_write(records + "/config.json", config.dump(2) + "\n");
        return std::string(folder->has("last.safetensors") ? "begun" : "");
      }) == "begun";
  run.open(folder ? &*folder : nullptr, begun);
  if (run.run().done()) {
    if (folder) say(fmt::format("using the model in {}, whose training has ended", job.out));
  } else if (folder) {
    say_what(setup, run, o);
    if (run.run().steps() > 0) say(fmt::format("going on at step {}", run.run().steps()));
  }
  t.interrupted = run.train() == TrainLoop::End::interrupted;
  t.history = run.run().history(), t.steps = run.run().steps(), t.seconds = run.run().seconds();
  return t;
}

}  // namespace heed::app
