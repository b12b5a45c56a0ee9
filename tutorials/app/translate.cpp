// `heed translate`: the main job. Train a small attention translator, show that it attends, translate what the user
// types.
//
//   data -> (a saved model that fits, or training with a heat map that forms) -> figures on held-out sentences
//        -> report.html -> the user's sentences
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "nn/models/bahdanau.h"
#include "nn/published/model.h"
#include "nn/train/progress.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/decoding_options.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/app/translate_published.h"
#include "tutorials/app/translate_report.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

// The model and its training. A saved model is reused if these and the data are the same.
struct Training {
  // 0, or -1: the corpus' own default
  int64_t hidden = 0, embedding = 0, epochs = 0, batch_size = 64, min_frequency = 0;
  double dropout = -1, learning_rate = 0;

  void fields(nn::OptionFields& f) {
    f("hidden", hidden, "size of the recurrent states; 0: 128 for the grammar, 256 for files", {0, 4096});
    f("embedding", embedding, "size of the word vectors; 0: 64 for the grammar, 256 for files", {0, 4096});
    f("dropout", dropout, "dropout probability; -1: 0.1 for the grammar, 0.3 for files", {-1, 0.95});
    f("epochs", epochs, "number of passes over the training data; 0: 8 for the grammar, 6 for files", {0, 10000});
    f("batch_size", batch_size, "sentences per step", {1, 4096});
    f("learning_rate", learning_rate, "peak learning rate; 0: 0.005 for the grammar, 0.002 for files", {0, 10});
    f("min_frequency", min_frequency, "rarer words become <unk>; 0: 1 for the grammar, 2 for files");
  }
};

struct Settings {
  Common common;
  DataOptions data;
  std::string mine;
  bool retrain = false;
  DecodingOptions decoding;
  Training training;
};

void declare(Options& options, Settings& s) {
  options.add_all(nn::fields_of(s.data));
  options.flag("--retrain", &s.retrain, "train again even if a saved model matches");
  declare(options, s.decoding);
  options
      .add("--mine", &s.mine,
           "train a smaller translator in which functions that you wrote in exercises replace the library's: all, or a "
           "list such as softmax,gru; --mine --help lists the parts, those of a transformer, too")
      .placeholder("PARTS");
  options.add_all(nn::fields_of(s.training));
  add_common(options, &s.common);
}

void fill_defaults(Training& t, bool built_in, bool quick) {
  auto choose = [&](int64_t& value, int64_t toy, int64_t real) {
    if (value == 0) value = built_in ? toy : real;
  };
  choose(t.hidden, 128, 256);
  choose(t.embedding, 64, 256);
  choose(t.epochs, quick ? 4 : 8, quick ? 1 : 6);
  choose(t.min_frequency, 1, 2);
  if (t.learning_rate == 0) t.learning_rate = built_in ? 5e-3 : 2e-3;
  if (t.dropout < 0) t.dropout = built_in ? 0.1 : 0.3;
}

// A saved model is reused when it was trained on the same data with the same settings.
std::string signature(const Settings& s, const TranslateData& d) {
  Training t = s.training;
  io::Json j = nn::json_of(nn::fields_of(t));
  return j.set("seed", s.common.seed).set("data", fmt::format("{:016x}", d.fingerprint)).dump();
}

struct Trained {
  nn::Translator translator;
  std::vector<nn::EpochRecord> history;
  std::vector<Moment> moments;
  bool interrupted = false;
};

nn::Translator fresh_translator(const Settings& s, const TranslateData& d) {
  text::WordCounts source, target;
  for (const auto& p : d.train) {
    source.add(p.source);
    target.add(p.target);
  }
  text::VocabularyOptions options{.min_frequency = s.training.min_frequency};
  const Training& t = s.training;
  const nn::Bahdanau::Options model{.source = {.width = t.embedding},
                                    .target = {.width = t.embedding},
                                    .encoder = {.hidden = t.hidden},
                                    .decoder = {.hidden = t.hidden},
                                    .dropout = t.dropout};
  return nn::Translator({d.tokenizers, text::Vocabulary(source, options), text::Vocabulary(target, options)},
                        nn::paper_of<nn::Bahdanau>(model), static_cast<uint64_t>(s.common.seed));
}

// Training as the user sees it: a progress bar, and above it one sentence's attention, drawn again about once a second.
class Spectator {
 public:
  Spectator(const TranslateData& d, nn::Translator& t, int64_t steps, int64_t epochs)
      : data_(d),
        translator_(t),
        console_(io::console(2)),
        area_(stderr, console_),
        progress_(steps, {.label = "training", .unit = "words"}),
        epochs_(epochs) {}

  void step(const nn::FitStep& s) {
    if (s.epoch != epoch_) progress_.epoch(epoch_ = s.epoch, epochs_);
    double t = seconds();
    if (console_.terminal && t - drawn_ > 1) {
      drawn_ = t;
      redraw(fmt::format("attention in epoch {}", s.epoch));
    }
    progress_.step({.loss = s.loss, .items = s.tokens});
  }
  void epoch(const nn::EpochRecord& r) {
    progress_.note(short_translation());
    moments_.push_back({r.epoch, align().weights});
  }
  std::vector<Moment> finish() {
    progress_.finish();
    area_.finish();
    if (moments_.size() <= 8) return moments_;
    std::vector<Moment> chosen;  // eight, evenly spread, the last one included
    for (size_t i = 0; i < 8; ++i) chosen.push_back(moments_[i * (moments_.size() - 1) / 7]);
    return chosen;
  }

 private:
  // "i am a student: je suis étudiant", of the shortest sentence on show.
  std::string short_translation() const {
    const auto shortest = std::min_element(data_.showcase.begin(), data_.showcase.end(),
                                           [](auto& a, auto& b) { return a.source.size() < b.source.size(); });
    const nn::Translation t = translator_.translate({shortest->source}).at(0);
    return fmt::format("{}: {}", data_.tokenizers.source.join(t.source), t.text);
  }
  nn::Translation align() const { return translator_.align({data_.showcase[0].source, data_.showcase[0].target}); }
  void redraw(const std::string& title) {
    progress_.clear();
    area_.draw(draw(align(), title, console_));
  }
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  const TranslateData& data_;
  nn::Translator& translator_;
  io::Console console_;
  report::LiveArea area_;
  nn::Progress progress_;
  int64_t epochs_, epoch_ = 0;
  double drawn_ = 0;
  std::vector<Moment> moments_;
};

Trained train(const Settings& s, const TranslateData& d, const std::string& path) {
  Trained result{fresh_translator(s, d), {}, {}};
  nn::Translator& t = result.translator;
  note_no_words(t.parts.source, t.parts.target, s.training.min_frequency);
  auto train_pairs = t.encode(d.train), valid_pairs = t.encode(d.validation);
  auto steps =
      static_cast<int64_t>(data::epoch_batches(train_pairs, s.training.batch_size, 0, 0).size()) * s.training.epochs;
  Spectator spectator(d, t, steps, s.training.epochs);
  std::vector<nn::EpochRecord> history;
  std::map<std::string, std::string> extra{{"heed.signature", signature(s, d)}, {"heed.complete", "no"}};
  auto save = [&](const std::vector<Moment>& moments) {
    extra["heed.history"] = to_json(history, moments);
    t.save(path, extra);
  };
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& step) { spectator.step(step); };
  watcher.on_epoch = [&](const nn::EpochRecord& r) {
    t.epochs = r.epoch;
    history.push_back(r);
    spectator.epoch(r);
  };
  watcher.on_best = [&](const nn::EpochRecord&) { save({}); };
  nn::FitResult fitted = nn::fit(nn::fit_model(t.model), train_pairs, valid_pairs,
                                 {.epochs = s.training.epochs,
                                  .batch_size = s.training.batch_size,
                                  .learning_rate = s.training.learning_rate,
                                  .patience = 4,
                                  .seed = static_cast<uint64_t>(s.common.seed)},
                                 watcher);
  result.moments = spectator.finish();
  result.history = fitted.history;
  result.interrupted = fitted.interrupted;
  extra["heed.complete"] = fitted.interrupted ? "no" : "yes";
  save(result.moments);
  return result;
}

// The saved model, if it was made from the same data and settings; otherwise nothing.
std::optional<Trained> reuse(const Settings& s, const TranslateData& d, const std::string& path) {
  if (s.retrain || !io::exists(path)) return {};
  nn::Translator t = [&] {
    try {
      return nn::Translator::load(path);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}; hint: --retrain replaces it", error.what()));
    }
  }();
  if (t.extra["heed.signature"] != signature(s, d)) {
    say(fmt::format("{} was trained on other data or with other options: training anew", path));
    return {};
  }
  Trained result{std::move(t), {}, {}};
  from_json(result.translator.extra["heed.history"], path, result.history, result.moments);
  if (result.translator.extra["heed.complete"] == "yes")
    say(fmt::format("using the model in {} (--retrain trains anew)", path));
  else
    say(fmt::format("using the model in {}: its training was interrupted after {} epochs (--retrain trains anew)", path,
                    result.history.size()));
  return result;
}

std::string plain_number(int64_t n) {  // 20000 -> 20,000
  std::string digits = std::to_string(n), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// What the model does, before how well it does it: a sentence, its translation, and where each of its words comes from.
void print_translation(const TranslateData& d, const nn::Translator& translator) {
  const nn::Translation shown = translator.translate({d.showcase[0].source}).at(0);
  tell("sentence     {}\ntranslation  {}\n\n", d.tokenizers.source.join(shown.source), shown.text);
  for (const auto& line : draw(shown, "", io::console(1))) fmt::print("{}\n", line);
  tell("\nAttention weights: one row per word of the translation, one column per source word.\n\n");
  flush_output();
}

void print_summary(const TranslateData& d, Trained& trained, const std::vector<SetFigures>& figures,
                   const std::string& out) {
  const auto& options = trained.translator.model.as<nn::Bahdanau>()->options;
  tell("data                  {}: {} training and {} validation sentences\n", d.description,
       plain_number(static_cast<int64_t>(d.train.size())), plain_number(static_cast<int64_t>(d.validation.size())));
  tell("model                 GRU {} with additive attention, {} + {} words, {} parameters\n", options.decoder.hidden,
       trained.translator.parts.source.size(), trained.translator.parts.target.size(),
       plain_number(nn::count_parameters(trained.translator.model)));
  for (const auto& r : trained.history)
    if (r.best &&
        &r == &*std::find_if(trained.history.rbegin(), trained.history.rend(), [](auto& e) { return e.best; }))
      tell("validation            perplexity {:.3f} after epoch {} (the best of {})\n", r.valid_perplexity(), r.epoch,
           trained.history.size());
  for (const auto& f : figures) {
    tell("{:<21} {} of {} exact ({:.1f} %), BLEU {:.1f}\n", f.name, plain_number(f.exact), plain_number(f.sentences),
         100.0 * static_cast<double>(f.exact) / static_cast<double>(f.sentences), f.bleu);
    if (f.has_gold)
      tell(
          "  alignment error     {:.1f} % over content words, {:.1f} % over all; weight on the gold words {:.2f}\n"
          "  (moved one word)    {:.1f} % if each row is read one source word to the left, {:.1f} % to the right\n",
          100 * f.error, 100 * f.error_all, f.mass, 100 * f.shift_left, 100 * f.shift_right);
  }
  tell("report                {}/report.html\nmodel                 {}/model.safetensors\n", out, out);
}

io::FolderKind results_in(const std::string& out) {
  return {.command = "translate",
          .owner = "heed translate",
          .files = {"model.safetensors", "report.html", "figures.json"},
          .hint = fmt::format("--out names another folder, --model {} translates with the model in this one", out)};
}

// Refuses options of training, which have no effect when a saved model is used.
void require_no_training(Settings s, const std::set<std::string>& given) {
  std::vector<nn::OptionField> fields = nn::fields_of(s.data);
  for (const nn::OptionField& f : nn::fields_of(s.training)) fields.push_back(f);
  std::vector<std::string> names{"--retrain", "--out", "--quick", "--seed"};
  for (const nn::OptionField& f : fields) names.push_back(option_name(f.name));
  for (const std::string& name : names)
    if (given.count(name))
      throw InputError(fmt::format(
          "translate: --model translates without training; got {} as well; hint: without --model it trains", name));
}

int translate_with_models(const Settings& s) {
  std::vector<nn::Translator> models;
  for (const std::string& folder : s.decoding.models)
    models.push_back(nn::Translator::load(folder + "/model.safetensors"));
  nn::TranslateOptions options = decoding_of(s.decoding, models[0]);
  for (size_t i = 1; i < models.size(); ++i) options.ensemble.push_back(&models[i]);
  try {
    translate_lines(models[0], options, {.n_best = s.decoding.n_best});
  } catch (const ValueError& error) { throw InputError(error.what()); }  // models that do not go together
  return 0;
}

}  // namespace

int translate_main(int argc, char** argv) {
  Settings s;
  Options options("heed translate",
                  "Trains a small attention translator, shows how attention forms, and translates what you type.");
  declare(options, s);
  options.epilogue(
      "Without files it trains on a built-in English-French grammar of about 400\n"
      "words, in about a minute. Standard input that is not a terminal is translated\n"
      "line by line. Lines that are ready at the same time are sorted by length and\n"
      "translated together, on all threads; the answers come in the order of the\n"
      "lines. --model also opens published folders of Marian, T5 and BART; the prefix\n"
      "of a task (\"translate English to German: \") and the language to write (>>fra<<)\n"
      "are part of the text. Options that are not given are then as the folder's\n"
      "generation_config.json has them, and a beam is ranked by log p / tokens^A.");
  options.parse(argc, argv);
  apply_common(s.common);
  if (!s.mine.empty())
    throw InputError(
        fmt::format("translate: --mine needs a program that is built with your files; got --mine {} without "
                    "it; hint: the script ./heed builds and runs it",
                    s.mine));
  if (!s.decoding.models.empty()) require_no_training(s, options.given());
  if (!s.decoding.models.empty() && nn::published::is_published(s.decoding.models[0]))
    return translate_published(s.decoding, options.given());
  require_possible(s.decoding);
  options.require_effects();
  if (!s.decoding.models.empty()) return translate_with_models(s);

  s.data.quick = s.common.quick;
  s.data.seed = static_cast<uint64_t>(s.common.seed);
  std::string out = s.common.out.empty() ? "out/translate" : s.common.out;
  io::require_own(out, results_in(out));
  TranslateData data = load_translate_data(s.data);
  fill_defaults(s.training, data.built_in, s.common.quick);
  std::optional<io::OwnedFolder> folder(std::in_place, out, results_in(out));
  for (const auto& note : data.notes) say(note);

  std::string path = out + "/model.safetensors";
  std::optional<Trained> saved = reuse(s, data, path);
  Trained trained = saved ? std::move(*saved) : train(s, data, path);
  if (trained.interrupted) {
    say(fmt::format("interrupted: the best model so far is in {}", path));
    return 130;
  }
  print_translation(data, trained.translator);
  std::vector<SetFigures> figures;
  for (const auto& set : data.tests) figures.push_back(measure(trained.translator, set));
  write_report(folder->file("report.html"), {data, trained.translator, figures, trained.history, trained.moments});
  folder.reset();  // all is written: while one user types sentences, another command may use the folder
  print_summary(data, trained, figures, out);
  fmt::print("\n");
  flush_output();

  const nn::TranslateOptions decoding = decoding_of(s.decoding, trained.translator);
  if (isatty(0))
    translate_prompt(trained.translator, decoding, data.examples);
  else
    translate_lines(trained.translator, decoding, {.n_best = s.decoding.n_best, .name_unknown = true});
  return 0;
}

}  // namespace heed::app
