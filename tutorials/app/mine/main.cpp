// ./heed translate --mine: a small translator in which functions that the learner wrote replace the library's.
//
//   check each part against the library -> compare the whole translator -> train -> measure -> translate what is typed
//
// A part that does not agree is refused with the exercise to go back to, exit code 1, and nothing is trained. Parts
// that are not chosen are the library's. The program contains the parts that it was built with. Its first argument
// "generate" makes it ./heed generate --mine (generate.h).
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <tuple>

#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "nn/text/reading.h"
#include "tutorials/app/mine/checks.h"
#include "tutorials/app/mine/generate.h"
#include "tutorials/app/mine/train.h"
#include "tutorials/app/mine/transformer.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/common/main.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

// What a run of the default settings must reach with beam search. With all twelve parts, seeds 1, 2 and 3 reach 95.5,
// 94.5 and 96.0 %, in 71 s on one core; the transformer of 17 parts 97.0, 100.0 and 98.5 %, in 48 s.
constexpr double kRequired = 90;

struct MineSettings {
  Common common;
  std::optional<std::string> parts;
  std::string paper = "bahdanau";
  bool only_check = false;
  int64_t hidden = 64, embedding = 48, layers = 2, heads = 4, limit = 20000, longest = 6, beam = 4, sentences = 200;
  double dropout = 0;
  std::optional<double> rate;
  MineTraining training;
  bool transformer() const { return paper == "transformer"; }
  // Compares all that affects the quality of the translations, but for the paper, whose defaults are good enough each.
  bool operator==(const MineSettings& o) const {
    auto all = [](const MineSettings& s) {
      return std::tuple(s.hidden, s.embedding, s.layers, s.heads, s.limit, s.longest, s.beam, s.sentences, s.dropout,
                        s.training.epochs, s.training.batch_size, s.rate, s.common.quick);
    };
    return all(*this) == all(o);
  }
};

void declare(Options& options, MineSettings& s) {
  options
      .add("--mine", &s.parts,
           "the parts for which your functions are used, separated by commas, or all; without a list: those that you "
           "have begun")
      .placeholder("PARTS");
  options.flag("--check", &s.only_check, "only compare the parts with the library; do not train");
  options.add("--paper", &s.paper, "the translator: recurrent, or a transformer").one_of({"bahdanau", "transformer"});
  options.add("--hidden", &s.hidden, "size of the recurrent states, or width of the transformer").between(1, 1024);
  options.add("--embedding", &s.embedding, "size of the word vectors (of bahdanau)").between(1, 1024);
  options.add("--layers", &s.layers, "layers of the encoder, and of the decoder (of transformer)").between(1, 16);
  options.add("--heads", &s.heads, "heads of each attention, a divisor of the width (of transformer)").between(1, 64);
  options.add("--epochs", &s.training.epochs, "number of passes over the training data").between(1, 1000);
  options.add("--batch-size", &s.training.batch_size, "sentences per step").between(1, 1024);
  options.add("--learning-rate", &s.rate, "peak learning rate; default: 0.01, of a transformer 0.003")
      .between(1e-9, 10)
      .placeholder("X");
  options.add("--dropout", &s.dropout, "dropout probability").between(0, 0.95);
  options.add("--limit", &s.limit, "take the first N sentences of the grammar").between(300, 20000);
  options.add("--longest", &s.longest, "leave out sentences with more words than this").between(3, 100);
  options.add("--sentences", &s.sentences, "test on the first N unseen sentences").between(1, 1000);
  options.add("--beam", &s.beam, "number of hypotheses in beam search").between(1, 64);
  add_common(options, &s.common);
  options.epilogue("The parts of the recurrent translator, and the exercise of each:\n" + list_of('r') +
                   "The parts of --paper transformer:\n" + list_of('t') +
                   "For the other parts the library's functions are used.");
}

nn::Translator vocabularies(const MineSettings& s, const TranslateData& d) {
  text::WordCounts source, target;
  for (const auto& p : d.train) source.add(p.source), target.add(p.target);
  const nn::Bahdanau::Options recurrent{.source = {.width = s.embedding},
                                        .target = {.width = s.embedding},
                                        .encoder = {.hidden = s.hidden},
                                        .decoder = {.hidden = s.hidden},
                                        .dropout = s.dropout};
  nn::TransformerOptions transformer = transformer_options(s.hidden, s.heads, 2 * s.hidden, s.layers);
  transformer.dropout = s.dropout, transformer.attention_dropout = transformer.inner_dropout = 0;
  return nn::Translator(
      {d.tokenizers, text::Vocabulary(source), text::Vocabulary(target)},
      s.transformer() ? nn::paper_of<nn::Transformer>(transformer) : nn::paper_of<nn::Bahdanau>(recurrent),
      static_cast<uint64_t>(s.common.seed));
}

std::unique_ptr<Assembled> assembled(const nn::Translator& t, const Pieces& pieces, Generator& rng) {
  if (const auto* transformer = t.model.as<nn::Transformer>())
    return std::make_unique<AssembledTransformer>(transformer->options, pieces, rng);
  return std::make_unique<AssembledRecurrent>(t.model.as<nn::Bahdanau>()->options, pieces, rng);
}

void print_score(const std::string& name, const MineScore& score) {
  tell("{:<21} {} of {} unseen sentences exact ({:.1f} %), mean BLEU of those with 4 words or more {:.1f}\n", name,
       score.exact, score.sentences, score.percent(), score.bleu);
  flush_output();
}

// Sentences to show: the well-known ones that are short enough, then unseen ones.
std::vector<std::string> examples_of(const TranslateData& d, int64_t longest) {
  std::vector<std::string> shown;
  for (const std::string& example : d.examples)
    if (std::ssize(d.tokenizers.source.split(example)) <= longest) shown.push_back(example);
  for (size_t i = 0; i < d.tests[0].pairs.size() && shown.size() < 6; ++i)
    shown.push_back(d.tokenizers.source.join(d.tests[0].pairs[i].source));
  return shown;
}

// What is typed or piped in, line by line.
void translate_typed(const Assembled& model, const nn::Translator& t, size_t width) {
  const bool prompt = isatty(0) != 0;
  if (prompt) tell("\nType a sentence of the grammar; an empty line ends.\n> ");
  flush_output();
  text::LineReader reader(std::cin, "standard input");
  for (std::string line; reader.next(line) && !(prompt && line.empty());) {
    std::vector<std::string> words = t.parts.tokenizers.source.split(line);
    if (std::ssize(words) > 100)
      throw InputError(fmt::format("translate --mine: a line may have at most 100 words; got {}", words.size()));
    for (const std::string& word : words)
      if (!t.parts.source.contains(word)) say(fmt::format("unknown \"{}\"", word));
    std::string text;
    if (!words.empty())
      text = t.parts.tokenizers.target.join(translate_mine(model, t.parts, t.encode({words, {}}), width));
    fmt::print("{}\n{}", text, prompt ? "> " : "");
    flush_output();
  }
}

int mine_main(int argc, char** argv) {
  MineSettings s;
  Options options("heed translate --mine",
                  "Trains a small translator in which functions that you wrote in exercises replace the library's.");
  declare(options, s);
  options.parse(argc, argv);
  apply_common(s.common);
  const char use = s.transformer() ? 't' : 'r';
  const std::vector<Part> chosen = chosen_parts("translate", s.parts.value_or("all"), use);
  const Pieces pieces = pieces_of(chosen);
  if (s.transformer() && s.hidden % s.heads != 0)
    throw InputError(fmt::format(
        "translate --mine: --heads must divide the width of the transformer, --hidden {}; got {}", s.hidden, s.heads));
  if (!check_parts(chosen, use)) return 1;
  if (!check_whole("the translator", pieces, s.transformer() ? compare_transformers : compare_with_library)) return 1;
  if (s.only_check) return 0;
  if (s.common.quick) s.limit = std::min<int64_t>(s.limit, 1000), s.training.epochs = 1, s.sentences = 5;
  s.training.seed = static_cast<uint64_t>(s.common.seed);
  s.training.learning_rate = s.rate.value_or(s.transformer() ? 0.003 : 0.01);
  const std::string out = s.common.out.empty() ? "out/mine" : s.common.out;
  std::optional<io::OwnedFolder> folder(
      std::in_place, out,
      io::FolderKind{.command = "translate --mine", .owner = "heed translate --mine", .files = {"model.safetensors"}});

  DataOptions from_grammar;
  from_grammar.limit = s.limit;
  TranslateData data = load_translate_data(from_grammar);
  auto too_long = [&](const text::TokenPair& p) { return std::ssize(p.source) > s.longest; };
  std::erase_if(data.train, too_long);
  std::erase_if(data.tests[0].pairs, too_long);
  nn::Translator t = vocabularies(s, data);
  Generator rng(s.training.seed);
  const std::unique_ptr<Assembled> assembled_model = assembled(t, pieces, rng);
  Assembled& model = *assembled_model;
  tell("data                  {}: {} training sentences of at most {} words\n", data.description, data.train.size(),
       s.longest);
  tell("model                 {}, {} + {} words, {} parameters; {} of its {} parts are yours\n",
       s.transformer() ? fmt::format("transformer {}, {} layers of {} heads", s.hidden, s.layers, s.heads)
                       : fmt::format("GRU {} with additive attention", s.hidden),
       t.parts.source.size(), t.parts.target.size(), nn::count_parameters(model), chosen.size(), rows_of(use).size());
  tell("still the library's   the {}operations and their gradients, and the embeddings\n",
       chosen.size() < rows_of(use).size() ? "other parts, the " : "");
  flush_output();
  say("The translator is now trained, which takes about a minute on one core with the default options.");
  say(fmt::format("Then it translates {} sentences that were not used for training, by greedy search and with a beam.",
                  std::min(s.sentences, static_cast<int64_t>(data.tests[0].pairs.size()))));
  train_mine(model, t.encode(data.train), s.training);

  std::vector<data::EncodedPair> unseen = t.encode(data.tests[0].pairs);
  unseen.resize(std::min(unseen.size(), static_cast<size_t>(s.sentences)));
  const auto width = static_cast<size_t>(s.beam);
  auto by = [&](size_t beam) {
    return [&, beam](const data::EncodedPair& p) { return translate_mine(model, t.parts, p, beam); };
  };
  print_score("greedy", score_mine(pieces, t.parts, unseen, by(0)));
  const MineScore best = score_mine(pieces, t.parts, unseen, by(width));
  print_score(fmt::format("beam of {}", width), best);
  nn::load_state(t.model, nn::save_state(model), "translate --mine");
  t.epochs = s.training.epochs;
  t.extra["heed.mine"] = "yes";
  t.save(folder->file("model.safetensors"), {});
  folder.reset();
  tell("model                 {}/model.safetensors, for ./heed translate --model {}\n\n", out, out);
  for (const std::string& example : examples_of(data, s.longest)) {
    data::EncodedPair pair = t.encode({t.parts.tokenizers.source.split(example), {}});
    tell("{}\n  {}\n", example, t.parts.tokenizers.target.join(translate_mine(model, t.parts, pair, width)));
  }
  const bool good = best.percent() >= kRequired, counts = s == MineSettings{};
  if (counts)
    print_verdict(
        "the translator", "", good,
        fmt::format("{:.1f} % of unseen sentences are translated exactly ({} % required)", best.percent(), kRequired));
  translate_typed(model, t, width);
  return good || !counts ? 0 : 1;
}

}  // namespace
}  // namespace heed::app

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "generate")
    return heed::app::run_main(argc - 1, argv + 1, heed::app::generate_mine_main);
  return heed::app::run_main(argc, argv, heed::app::mine_main);
}
