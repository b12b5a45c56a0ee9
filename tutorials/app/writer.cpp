#include "tutorials/app/writer.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "nn/io/file.h"
#include "nn/text/letter_pairs.h"
#include "nn/text/reading.h"
#include "tensor/error.h"
#include "tutorials/app/tune_data.h"
#include "tutorials/common/output.h"
#include "tutorials/course/tree.h"

namespace heed::app {
namespace {

constexpr const char* kChapters = "the chapters of this course";
const std::string kCommand = "generate";

TuneFiles files_of(const WriterOptions& o) {
  TuneFiles files{.from = "", .made = "llama", .labels = "", .text = kChapters, .valid = ""};
  if (!o.text.empty()) {
    files.text = o.text, files.lines = text_lines(o.text);
    return files;
  }
  const course::Tree tree = course::Tree::of_source();
  for (const course::LessonFile& lesson : tree.lessons)
    for (std::string& line : text_lines(tree.root + "/" + tree.readme(lesson))) files.lines.push_back(std::move(line));
  return files;
}

TuneOptions options_of(const WriterOptions& o) {
  TuneOptions t;
  t.is_new = true, t.seed = o.seed, t.samples = 2;  // the second one is drawn
  t.max_epochs = std::min(o.steps, kWriterRounds);
  t.epoch_steps = (o.steps + t.max_epochs - 1) / t.max_epochs;
  t.fit.batch_size = 16, t.fit.learning_rate = 3e-3, t.fit.weight_decay = 0.1, t.fit.patience = 0;
  t.fit.warmup = std::min<int64_t>(100, o.steps);
  t.model.layers = 4, t.model.vocabulary = 1000;
  t.prompt = o.text.empty() ? "Attention is" : "";
  return t;
}

// Is there a run in the folder that goes on, or is replaced?
void find_run(TuneJob& job, bool may_replace) {
  std::error_code none;
  const auto first = std::filesystem::directory_iterator(job.out, none);
  if (none || first == std::filesystem::directory_iterator()) return;
  const io::Json before = begun_run(job.out);
  const io::Json* command = before.is_object() ? before.find("command") : nullptr;
  const bool own = command && *command == io::Json(kCommand);
  job.resume = own && before.inner("data").text("lines") == fingerprint_of(job.files.lines) &&
               other_option(before.inner("options"), job.options).empty();
  if (job.resume) return;
  if (!own)
    throw InputError(
        fmt::format("generate: training needs a folder of its own, empty or new; got \"{}\" with {}; hint: "
                    "--out names another folder",
                    job.out, first->path().filename().string()));
  if (!may_replace)
    throw InputError(
        fmt::format("generate: a folder keeps one training; got \"{}\" with that of another text, other --steps or "
                    "another --seed; hint: --model {} writes with the model in it, and --out names another folder",
                    job.out, job.out));
  say(fmt::format("{} has the model of another text, or of other options: training anew", job.out));
  job.replace = true;
}

std::string text_of(const TuneSetup& s, const std::vector<int64_t>& tokens) {
  return s.tokenizer->decode(tokens, {.skip_special = false, .clean_up = false});
}

// What the windows of validation predict. All of them together are the held-out text.
std::string measured_text(const TuneSetup& s) {
  std::vector<int64_t> tokens;
  for (const data::EncodedPair& window : s.valid)
    tokens.insert(tokens.end(), window.source.begin() + 1, window.source.end());
  return text_of(s, tokens);
}

// The factor from nats per token to bits per letter.
double per_letter(const TuneSetup& s, int64_t letters) {
  int64_t predicted = 0;
  for (const data::EncodedPair& window : s.valid) predicted += std::ssize(window.source) - 1;
  return static_cast<double>(predicted) / static_cast<double>(letters) / std::log(2.0);
}

// One line, as a reader can read it.
std::string in_a_line(const std::string& prompt, const std::string& sample) {
  std::string text;
  for (const char c : prompt + sample)
    if (c != '\n')
      text += c;
    else if (!text.ends_with(' '))
      text += ' ';
  return legible(text);
}

bool training_has_ended(const std::string& folder) {
  const io::Json run = begun_run(folder);
  const std::string state = folder + "/training/last.safetensors";
  if (run.is_null() || !io::exists(state)) return true;
  const io::SafeTensors last = io::load_safetensors(state);
  const Tensor* history = last.find("progress.history");  // a row for each epoch
  const io::Json* epochs = run.inner("options").find("max_epochs");
  return !history || !epochs || static_cast<double>(history->size(0)) >= epochs->as_number();
}

std::string line_of(const WriterRound& round) {
  return fmt::format("step {:<6}{:.2f} bits per letter   {}", round.step, round.bits,
                     in_a_line(round.prompt, round.sample));
}

}  // namespace

Writer train_writer(const WriterOptions& o) {
  TuneJob job{.files = files_of(o), .out = o.out.empty() ? kWriterFolder : o.out, .options = options_of(o)};
  job.command = kCommand;
  find_run(job, o.out.empty());
  std::string measured;
  double factor = 0;
  auto know = [&](const TuneSetup& s) {
    measured = measured_text(s), factor = per_letter(s, text::letters_in(measured));
  };
  const int64_t steps = job.options.epoch_steps;
  job.on_epoch = [&](const nn::EpochRecord& r, const TuneSetup& s, const io::Json& samples) {
    if (measured.empty()) know(s);
    const io::Json& one = samples.elements().back();
    return line_of({r.epoch * steps, factor * r.valid_loss, one.text("source"), one.text("translation")});
  };
  const Tuned run = tune(job);
  const TuneSetup& s = run.setup;
  Writer w{.folder = job.out, .text = job.files.text, .rounds = {}};
  w.seconds = run.seconds, w.interrupted = run.interrupted;
  if (w.interrupted) return w;

  know(s);
  const std::string learned = text_of(s, s.train_tokens);
  w.letters = text::letters_in(learned), w.held_out = text::letters_in(text_of(s, s.valid_tokens));
  w.measured = text::letters_in(measured);
  w.pair_bits = text::LetterPairs(learned).loss(measured) / static_cast<double>(w.measured) / std::log(2.0);
  const std::unique_ptr<nn::published::Model> model = nn::published::open(job.out);  // as whoever opens it gets it
  nn::Evaluating evaluating;
  w.bits = factor * nn::mean_loss(nn::fit_next_word(*model, {.pad = s.pad}), s.valid);
  w.parameters = nn::count_parameters(*model), w.tokens = s.tokenizer->vocabulary_size();
  text::LineFile samples(job.out + "/training/samples.jsonl");
  std::string line;
  for (const nn::EpochRecord& r : run.history) {
    if (!samples.next(line)) break;
    const io::Json one = io::parse(line, samples.name()).list("samples").back();
    if (r.best) w.best_step = r.epoch * steps;
    w.rounds.push_back({r.epoch * steps, factor * r.valid_loss, one.text("source"), one.text("translation")});
  }
  return w;
}

void tell(const Writer& w) {
  const std::string name = w.text == kChapters ? w.text : fmt::format("\"{}\"", w.text);
  tell("text            {}: {} letters to learn from, the last {} held out{}\n", name, w.letters, w.held_out,
       w.measured < w.held_out ? fmt::format(", and {} of them measured, evenly spread", w.measured) : "");
  tell("model           of the kind of Llama, {} parameters, {} tokens learned from the text\n", w.parameters,
       w.tokens);
  tell("training        {:.0f} s\n", w.seconds);
  for (const WriterRound& round : w.rounds) tell("{}\n", line_of(round));
  tell(
      "held-out text   {:.2f} bits per letter after step {}; a count of pairs of letters: {:.2f}, which is {:.2f} {}\n",
      w.bits, w.best_step, w.pair_bits, std::abs(w.pair_bits - w.bits),
      w.bits < w.pair_bits ? "more" : "less: train for more --steps");
  tell("model           {}\n\n", w.folder);
}

std::string small_writer() {
  const std::string folder = kWriterFolder;
  if (io::exists(folder + "/model.safetensors") && nn::published::is_published(folder)) {
    say(fmt::format("using the model in {}{}", folder,
                    training_has_ended(folder) ? "" : ", whose training has not ended; heed generate goes on with it"));
    return folder;
  }
  const Writer writer = train_writer({});
  if (writer.interrupted)
    say(fmt::format("interrupted: the training is saved in {}; heed generate goes on with it", writer.folder));
  return writer.interrupted ? "" : writer.folder;
}

}  // namespace heed::app
