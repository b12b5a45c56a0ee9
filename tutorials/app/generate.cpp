// heed generate: a published model goes on with a text (GPT-2, Llama, ..), or answers it (T5, BART), and shows the text
// while it writes.
//
//   heed generate --model gpt2 "Once upon a time" --length 100 --temperature 0.8 --top-p 0.95
//
//   heed generate                          trains a small decoder first (writer.h), on the chapters of this course,
//   heed generate --text F --out DIR       or on a text, and goes on with each line of standard input
//
// What is not given is as generation_config.json of the folder has it.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <utility>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "nn/published/generate.h"
#include "nn/tokenizers/text_stream.h"
#include "tutorials/app/commands.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/app/translate_prompt.h"
#include "tutorials/app/writer.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

namespace published = nn::published;

struct GenerateSettings {
  std::string folder, json, mine;
  std::optional<std::string> text;
  std::vector<std::string> stop;
  std::optional<double> temperature, top_p, min_p, repetition_penalty;
  std::optional<int64_t> length, top_k, no_repeat_ngram, threads;
  int64_t seed = 1;
  WriterOptions writer;
};

void declare(Options& options, GenerateSettings& s) {
  options.add("--model", &s.folder, "folder of a published model that writes; without it a small one is trained")
      .placeholder("DIR");
  options.positional("TEXT", &s.text,
                     "what the model goes on with, or answers; without it a decoder with --model begins with its first "
                     "token, and a small one goes on with each line of standard input");
  options.add("--text", &s.writer.text, "without --model: the text to learn from; default: the chapters of this course")
      .placeholder("F");
  options
      .add("--out", &s.writer.out,
           "without --model: a new folder for the model that is trained, in published layout; default: out/generate")
      .placeholder("DIR");
  options
      .add("--steps", &s.writer.steps,
           "without --model: steps of training, rounded up to a multiple of 8; the default takes about two minutes on "
           "two "
           "cores")
      .between(1, 80000);
  options.add("--length", &s.length, "write at most N tokens; default: as the model's files say, else 200")
      .between(1, 1 << 20);
  options
      .add("--temperature", &s.temperature,
           "draw each token from p^(1/X); 0: take the most probable one. Default: as the model's files say, else 0")
      .between(0, 100)
      .placeholder("X");
  options.add("--top-k", &s.top_k, "draw from the K most probable tokens only; 0: from all")
      .at_least(0)
      .placeholder("K");
  options.add("--top-p", &s.top_p, "draw from the most probable tokens that have P of the probability together; 1: all")
      .between(1e-6, 1)
      .placeholder("P");
  options.add("--min-p", &s.min_p, "draw from tokens with at least P times the largest probability; 0: all")
      .between(0, 1)
      .placeholder("P");
  options
      .add("--repetition-penalty", &s.repetition_penalty,
           "divide the scores of tokens that are in the text by R, multiply negative ones; 1: no penalty")
      .above(0)
      .placeholder("R");
  options
      .add("--no-repeat-ngram", &s.no_repeat_ngram,
           "the text contains the same N tokens in a row at most once; 0: no rule")
      .between(0, 100);
  options.add("--stop", &s.stop, "end before this text; may be given several times").whole().placeholder("TEXT");
  options.add("--seed", &s.seed, "of the draws, and of a training: the same seed, the same text").at_least(0);
  options.add("--json", &s.json, "write text, tokens and speed as JSON to the file F, too").placeholder("F");
  options.add("--threads", &s.threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options
      .add(
          "--mine", &s.mine,
          "train a small GPT in which functions that you wrote in exercises replace the library's: all, or a list such "
          "as attention,gpt; --mine --help lists the parts")
      .placeholder("PARTS");
  options.epilogue(
      "Standard output has the text that was given and what the model writes after\n"
      "it; of a model with an encoder (T5, BART), its answer alone. The speed is on\n"
      "standard error. A chat template is not applied: the text is read as it stands,\n"
      "so that a model for chats needs the marks of its template in the text.\n"
      "\n"
      "Without --model, a decoder of the kind of Llama learns from a text first. A\n"
      "tenth of the text, its end, is held out to measure the loss, per letter and\n"
      "beside that of a count of pairs of letters; of a long one, on 256 windows of\n"
      "128 tokens, evenly spread. The same command takes the model that is there, or\n"
      "goes on with a training that was interrupted. The folder opens with --model,\n"
      "with heed look and heed train --from, and elsewhere.");
}

published::GenerationOptions options_of(const GenerateSettings& s, const published::Model& model) {
  published::GenerationOptions o = published::generation_options(model);
  o.beams = 1;  // what is shown at once cannot be taken back
  if (s.length) o.max_new = *s.length;
  if (s.repetition_penalty) o.repetition_penalty = *s.repetition_penalty;
  if (s.no_repeat_ngram) o.no_repeat_ngram = *s.no_repeat_ngram;
  o.stop.insert(o.stop.end(), s.stop.begin(), s.stop.end());
  const bool draws = s.top_k || s.top_p || s.min_p;
  if (s.temperature) o.sampled = *s.temperature > 0;
  if (draws) o.sampled = true;
  if (s.temperature && o.sampled) o.sampling.temperature = *s.temperature;
  if (s.top_k) o.sampling.top_k = *s.top_k;
  if (s.top_p) o.sampling.top_p = *s.top_p;
  if (s.min_p) o.sampling.min_p = *s.min_p;
  return o;
}

// The parts are compiled into a program of their own (tutorials/app/mine/generate.h).
void refuse_mine(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (const std::string word = argv[i]; word == "--mine" || word.starts_with("--mine="))
      throw InputError(
          "generate: --mine needs a program that is built with your files; got --mine without it; hint: the script "
          "./heed builds and runs it");
}

class Writing {
 public:
  explicit Writing(const GenerateSettings& s)
      : s_(s),
        model_(open(s.folder)),
        reads_(tokenizers::PublishedTokenizer::open(s.folder)),
        o_(options_of(s, *model_)) {
    if (model_->encoder) answers_.emplace(tokenizers::PublishedTokenizer::open(s.folder, {.target = true}));
  }

  // Shows the text and what the model writes after it, and returns it for --json.
  io::Json write(const std::optional<std::string>& given) const {
    const std::vector<int64_t> prompt = prompt_of(given);
    const tokenizers::PublishedTokenizer& tokenizer = answers_ ? *answers_ : reads_;
    tokenizers::TextStream stream(tokenizer, model_->encoder ? std::vector<int64_t>() : prompt, o_.stop);
    std::string text;
    int64_t tokens = 0;
    std::string before = model_->encoder ? "" : given.value_or("");  // shown once the model can go on with it
    auto show = [&](const std::string& more) {
      fmt::print("{}{}", std::exchange(before, ""), more);
      flush_output();
      text += more;
    };
    Generator rng(static_cast<uint64_t>(s_.seed));
    const auto begin = std::chrono::steady_clock::now();
    const published::Written written =
        published::generate(*model_, {prompt}, o_, {.rng = &rng, .watcher = [&](size_t, int64_t token) {
                                                      ++tokens;
                                                      show(stream.add(token));
                                                      return !stream.stopped();
                                                    }})[0][0];
    show(stream.rest());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("\n");
    flush_output();
    const double speed = static_cast<double>(tokens) / std::max(seconds, 1e-9);
    say(fmt::format("{} tokens in {:.2f} s, {:.1f} per second", tokens, seconds, speed));
    return io::Json::object({{"prompt", given.value_or("")},
                             {"text", text},
                             {"ids", written.ids},
                             {"log_probability", written.log_probability},
                             {"ended", written.ended || stream.stopped()},
                             {"seconds", seconds},
                             {"tokens_per_second", speed}});
  }

 private:
  static std::unique_ptr<published::Model> open(const std::string& folder) {
    auto model = published::open(folder);
    if (!model->decoder || !model->head("next_word"))
      throw InputError(fmt::format(
          "generate: the model must be one that writes, as gpt2, llama, t5 or bart do; got \"{}\""
          ", a {} without a head for the next word{}",
          folder, model->config.family(), model->head("masked_words") ? "; hint: heed fill names masked words" : ""));
    return model;
  }
  std::vector<int64_t> prompt_of(const std::optional<std::string>& text) const {
    if (!text && model_->encoder)
      throw InputError("generate: a model with an encoder needs a text to answer; got none");
    if (!text && o_.begin < 0)
      throw InputError(fmt::format(
          "generate: \"{}\" names no token that begins a text (bos_token_id), and needs a text to go on with; got none",
          s_.folder));
    std::vector<int64_t> prompt = text ? reads_.encode(*text).ids() : std::vector<int64_t>{o_.begin};
    const int64_t places = published::places_of(*model_, model_->encoder ? *model_->encoder : *model_->decoder);
    const int64_t most = places == 0 ? kMaxTokens : model_->encoder ? places : places - 1;  // one is to be written
    if (std::ssize(prompt) > most)
      throw InputError(
          fmt::format("generate: the model reads texts of at most {} tokens; got one of {}", most, prompt.size()));
    return prompt;
  }

  const GenerateSettings& s_;
  std::unique_ptr<published::Model> model_;
  tokenizers::PublishedTokenizer reads_;
  std::optional<tokenizers::PublishedTokenizer> answers_;
  published::GenerationOptions o_;
};

// The lines of standard input, each continued as if it were the argument. A line that the model cannot read ends the
// reading, except at a terminal.
io::Json write_lines(const Writing& writing) {
  io::Json all = io::Json::array();
  const bool typed = isatty(0);
  if (typed) say("Write the beginning of a text; an empty line ends.");
  bool ended = false;
  for_ready_lines(
      [&](const std::string& line, int64_t number) {
        if (ended || line.empty()) {
          ended = ended || typed;
          return;
        }
        try {
          all.push(writing.write(line));
        } catch (const InputError& error) {
          if (!typed) throw InputError(fmt::format("{}; in line {}", error.what(), number));
          say(error.what());
        }
      },
      [] {});
  return all;
}

// Options of training have no effect on a model that is there.
void require_possible(const GenerateSettings& s, const std::set<std::string>& given) {
  if (s.temperature == 0.0 && (s.top_k || s.top_p || s.min_p))
    throw InputError(
        "generate: --top-k, --top-p and --min-p choose from what a draw may take; got one with "
        "--temperature 0, which draws nothing");
  if (!given.contains("--model")) return;
  for (const char* name : {"--text", "--out", "--steps"})
    if (given.contains(name))
      throw InputError(fmt::format(
          "generate: --model writes without training; got {} as well; hint: without --model it trains", name));
}

}  // namespace

int generate_main(int argc, char** argv) {
  refuse_mine(argc, argv);
  GenerateSettings s;
  Options options("heed generate",
                  "Goes on with a text, or answers it, by a published model, and shows the text as it is written. "
                  "Without a model it trains a small one.");
  declare(options, s);
  options.parse(argc, argv);
  Common common;
  common.threads = s.threads;
  apply_common(common);
  require_possible(s, options.given());
  require_place("generate: --json", s.json);
  const bool trains = s.folder.empty();
  if (trains) {
    s.writer.seed = s.seed;
    require_apart("generate: --json", s.json, {s.writer.out.empty() ? kWriterFolder : s.writer.out, s.writer.text});
    const Writer writer = train_writer(s.writer);
    if (writer.interrupted) {
      say(fmt::format("interrupted: the training is saved in {}; the same command goes on", writer.folder));
      return 130;
    }
    tell(writer);
    flush_output();
    s.folder = writer.folder;
  }
  require_apart("generate: --json", s.json, {s.folder});
  const Writing writing(s);
  const io::Json written = trains && !s.text ? write_lines(writing) : writing.write(s.text);
  if (!s.json.empty()) io::atomic_write(s.json, written.dump(2) + "\n");
  return 0;
}

}  // namespace heed::app
