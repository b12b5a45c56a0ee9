// Lesson 35: inside a model that people use. A small llama is trained, saved as published models are, opened again from
// its folder and looked into. The same measurements work on a real folder (--model DIR).
//
//   1  the folder    what is in config.json, model.safetensors and tokenizer.json
//   2  training      two layers learn to quote, one layer does not
//   3  the heads     where each head looks, at every distance and not only where the textbook says
//   4  the lens      the right word after each layer
//   5  switched off  the loss without a head
//   6  the picture   the word with the largest weight, and the word on which the answer depends
//   7  first token   the attention sink, and what happens without it
//
// L words of a round, T tokens of a text, H heads.
#include <filesystem>

#include "tensor/compare.h"
#include "tutorials/35_inside/heads.h"
#include "tutorials/35_inside/pictures.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace inside;
namespace app = heed::app;
namespace report = heed::report;
using app::heading, app::show;

namespace {

constexpr int64_t kRound = 12, kTexts = 64;

std::string name_of(const HeadPlaces& h) { return fmt::format("{}.{}", h.layer, h.head); }

// ---- 1  the folder --------------------------------------------------------------------------------------------------
void the_folder(app::Lesson& lesson, const Model& model) {
  heading("1  The folder");
  report::TablePanel table{.title = "The tensors of model.safetensors",
                           .text = "In PyTorch's layout: [out, in]. Each layer has the same names with its number.",
                           .header = {"name", "shape", "numbers"}};
  int64_t all = 0;
  for (const nn::published::Stored& one : model.stored) {
    int64_t count = 1;
    for (int64_t n : one.shape) count *= n;
    all += count;
    if (one.name.find("layers.1.") == std::string::npos)
      table.rows.push_back({one.name, fmt::format("[{}]", fmt::join(one.shape, ", ")), std::to_string(count)});
  }
  table.rows.push_back({"all of the file", "", std::to_string(all)});
  show(lesson, table);
}

// ---- 2  training ----------------------------------------------------------------------------------------------------
report::Series learn(Model& model, const Words& words, Plan& plan, const Rounds& asked) {
  report::Series curve{.name = fmt::format("{} layer{}", plan.layers, plan.layers == 1 ? "" : "s")};
  plan.steps = train(model, words, plan, [&](int64_t step) {
    nn::Evaluating evaluating;
    curve.x.push_back(static_cast<double>(step)), curve.y.push_back(loss_of(model, asked));
  });
  nn::set_training(model, false);
  return curve;
}

// ---- 3  the heads ---------------------------------------------------------------------------------------------------
void the_heads(app::Lesson& lesson, const std::vector<HeadPlaces>& heads, const std::string& whose) {
  report::TablePanel table{
      .title = "Where the heads look" + whose,
      .text =
          "Mean weights of words of the second round. +d: d words after the same word of the first round; the "
          "textbook's place is +1. Even: the first token's weight if all places had the same.",
      .header = {"layer.head", "at +1", "most, at", "weight", "most, back", "weight", "first token", "even"}};
  for (const HeadPlaces& h : heads)
    table.rows.push_back({name_of(h), fmt::format("{:.2f}", h.after[1]), fmt::format("+{}", h.best()),
                          fmt::format("{:.2f}", h.after[static_cast<size_t>(h.best())]), std::to_string(h.best_back()),
                          fmt::format("{:.2f}", h.back[static_cast<size_t>(h.best_back())]),
                          fmt::format("{:.2f}", h.first), fmt::format("{:.2f}", h.even)});
  show(lesson, table);
}

// ---- 5  switched off ------------------------------------------------------------------------------------------------
double the_losses(app::Lesson& lesson, const Model& model, const Rounds& asked, double& earlier) {
  heading("5  Switched off");
  const int64_t H = model.decoder->options.block().heads;
  report::TablePanel table{.title = "Loss without heads",
                           .text = "Of the known words, in nats. The output of a head is multiplied by 0.",
                           .header = {"without", "loss"}};
  auto row = [&](const std::string& name, const Off& off) {
    const double loss = loss_of(model, asked, off);
    table.rows.push_back({name, fmt::format("{:.2f}", loss)});
    return loss;
  };
  row("nothing", {});
  Off layers[2];
  for (int64_t layer : {0, 1})
    for (int64_t h = 0; h < H; ++h) {
      row(fmt::format("head {}.{}", layer, h), {{layer, h}});
      layers[layer].push_back({layer, h});
    }
  earlier = row("all heads of layer 0", layers[0]);
  const double later = row("all heads of layer 1", layers[1]);
  show(lesson, table);
  return later;
}

// ---- 7  the first token ---------------------------------------------------------------------------------------------
struct Sink {
  double whole = 0, first = 0, other = 0;  // loss; with the first token hidden, or another one
};
Sink the_sink(const Model& model, const Rounds& asked) {
  // The words that count are far from the hidden one: the last five.
  const int64_t from = 2 * asked.L - 5;
  return {loss_of(model, asked, {}, -1, from), loss_of(model, asked, {}, 0, from), loss_of(model, asked, {}, 1, from)};
}
void tell_sink(app::Lesson& lesson, const Sink& sink, const std::string& whose) {
  report::TablePanel table{.title = "Loss without the first token" + whose,
                           .text = "Of the last five words of the second round, whose earlier places are far from it.",
                           .header = {"hidden", "loss"}};
  table.rows = {{"nothing", fmt::format("{:.2f}", sink.whole)},
                {"the first token", fmt::format("{:.2f}", sink.first)},
                {"the second token", fmt::format("{:.2f}", sink.other)}};
  show(lesson, table);
}

// The same for a folder of the reader's: tokens in random order, two rounds.
int a_real_one(app::Lesson& lesson, const std::string& folder) {
  const auto model = nn::published::open(folder);
  if (!model->decoder || model->encoder || !model->head("next_word"))
    throw heed::InputError(
        fmt::format("35_inside: --model must be a decoder that predicts the next word; got \"{}\"", folder));
  const auto tokenizer = tokenizers::PublishedTokenizer::open(folder);
  const int64_t V = model->decoder->options.vocabulary, begin = tokenizer.special("bos_token").value_or(0);
  Ids some;
  Generator rng(lesson.seed());
  while (std::ssize(some) < std::min<int64_t>(48, V / 2)) {
    const int64_t id = V / 4 + rng.below(V / 2);
    if (std::find(some.begin(), some.end(), id) == some.end()) some.push_back(id);
  }
  const Rounds asked = rounds_of(some, begin, kRound, 32, lesson.seed());
  heading("3  The heads");
  const std::vector<HeadPlaces> heads = places_of(*model, asked);
  the_heads(lesson, heads, " (your model)");
  heading("7  The first token");
  tell_sink(lesson, the_sink(*model, asked), " (your model)");
  heading("Checks");
  lesson.check(
      {.name = "heads that were measured",
       .measured = static_cast<double>(heads.size()),
       .comparator = "==",
       .threshold = static_cast<double>(std::ssize(model->decoder->blocks) * model->decoder->options.block().heads),
       .control = "layers times heads of config.json"});
  return lesson.finish();
}

int lesson_35(int argc, char** argv) {
  Plan plan;
  std::string folder;
  app::Lesson lesson("35_inside", "Inside a model that people use: heads, words after each layer, and what to trust");
  lesson.options()
      .add("--model", &folder, "look into this published decoder instead of training one")
      .placeholder("DIR");
  lesson.knob("steps", &plan.steps, "training steps at most").between(10, 5000);
  lesson.knob("width", &plan.width, "width of the model, a multiple of 4").between(8, 256);
  lesson.knob("rate", &plan.rate, "learning rate of Adam").between(1e-5, 1);
  lesson.question(
      {"A text of random words is repeated, and a model of two layers predicts the second round. A head of the second "
       "layer has almost no weight on the word that came next after the same word. Is it involved?",
       {"No: it does not look at the answer", "It cannot be said from the weights", "Yes, always"},
       2,
       "A place of the second layer holds what the first layer has moved there. The head may look at another place "
       "that "
       "has received the answer."});
  lesson.start(argc, argv);
  fmt::print("\n");
  if (!folder.empty()) return a_real_one(lesson, folder);
  if (plan.width % 4 != 0)
    throw heed::InputError(fmt::format("35_inside: width must be a multiple of 4; got {}", plan.width));
  if (lesson.quick()) plan.steps = std::min<int64_t>(plan.steps, 1000), plan.enough = 0.4;
  plan.seed = lesson.seed();
  app::item("",
            "A small llama learns texts of random words that quote themselves. It is saved as published models are, "
            "opened again, and looked into: where its heads look, what each layer knows, and what happens without a "
            "head or a word.");
  const tokenizers::LearnedTokenizer learned = tokenizer_of_words();
  const auto tokenizer = tokenizers::PublishedTokenizer::described_by(learned.tokenizer, learned.config);
  const Words words = numbered(tokenizer);
  const Rounds asked = rounds_of(words.ids, words.begin, kRound, kTexts, plan.seed);

  const auto trained = new_model(plan, tokenizer.vocabulary_size());
  report::CurvesPanel curves{.title = "Loss of the known words",
                             .text =
                                 "Texts of two rounds of 12 words, a form that training never shows. Guessing "
                                 "among all 48 words costs 3.87 nats.",
                             .x_label = "step",
                             .y_label = "loss"};
  curves.series.push_back(learn(*trained, words, plan, asked));
  double one_layer = NAN;
  if (!lesson.quick()) {
    Plan control = plan;
    control.layers = 1, control.enough = 0;  // as many steps
    const auto shallow = new_model(control, tokenizer.vocabulary_size());
    curves.series.push_back(learn(*shallow, words, control, asked));
    one_layer = loss_of(*shallow, asked);
  }
  const std::string saved = lesson.folder() + "/model";
  std::filesystem::create_directories(saved);
  nn::published::save(*trained, saved);
  tokenizers::save_tokenizer(learned, saved);
  const auto model = nn::published::open(saved);
  the_folder(lesson, *model);
  const double loss = loss_of(*model, asked), reopened = std::abs(loss - loss_of(*trained, asked));
  heading("2  Training");
  app::item("", fmt::format("Loss of the known words after {} steps: {:.2f}{}.", plan.steps, loss,
                            lesson.quick() ? "" : fmt::format(", with one layer {:.2f}", one_layer)));
  lesson.report().curves(curves);

  heading("3  The heads");
  const std::vector<HeadPlaces> heads = places_of(*model, asked);
  the_heads(lesson, heads, "");
  const auto H = static_cast<size_t>(plan.heads);
  HeadPlaces induction = heads[H];
  for (size_t i = H; i < heads.size(); ++i)
    if (heads[i].after[static_cast<size_t>(heads[i].best())] > induction.after[static_cast<size_t>(induction.best())])
      induction = heads[i];
  lesson.report().arcs(arcs_of(*model, asked, tokenizer));

  heading("4  The lens");
  const Lens lens = lens_of(*model, asked);
  report::TablePanel table{.title = "The right word after each layer",
                           .text =
                               "Mean probability that the head of words gives to it, if it reads the vectors after "
                               "that layer.",
                           .header = {"after", "with the final norm", "without"}};
  for (size_t i = 0; i < lens.with_norm.size(); ++i)
    table.rows.push_back({i == 0 ? "the embedding" : fmt::format("layer {}", i - 1),
                          fmt::format("{:.3f}", lens.with_norm[i]),
                          std::isnan(lens.without_norm[i]) ? "-" : fmt::format("{:.3f}", lens.without_norm[i])});
  show(lesson, table);

  double earlier = 0;
  const double later = the_losses(lesson, *model, asked, earlier);

  heading("6  The picture");
  const Picture picture = picture_of(*model, asked, induction, lesson.seed());
  show(lesson, table_of(picture));

  heading("7  The first token");
  const Sink sink = the_sink(*model, asked);
  tell_sink(lesson, sink, "");

  heading("Claims");
  const auto at = static_cast<size_t>(induction.best());
  lesson.claim({.name = fmt::format("head {}: weight at its place, counted from the same word", name_of(induction)),
                .measured = induction.after[at],
                .comparator = ">=",
                .threshold = lesson.quick() ? 0.3 : 0.4,
                .control = fmt::format("at +{}; at +1: {:.2f}; even: {:.2f}", at, induction.after[1], induction.even)});
  const std::vector<HeadPlaces> longer =
      places_of(*model, rounds_of(words.ids, words.begin, kRound + 3, kTexts, plan.seed));
  const HeadPlaces& again = longer[static_cast<size_t>(induction.layer * plan.heads + induction.head)];
  lesson.check(
      {.name = "words by which this place moves when rounds are 3 words longer",
       .measured = std::abs(static_cast<double>(again.best() - induction.best())),
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("counted back from the word that asks: {}", again.best_back() - induction.best_back())});
  lesson.claim({.name = "loss of the known words without the heads of layer 1, minus that with all, in nats",
                .measured = later - loss,
                .comparator = ">=",
                .threshold = 1,
                .control = fmt::format("without those of layer 0: {:.2f}", earlier - loss)});
  lesson.claim({.name = "share of the probability that moves if the word that came next is hidden",
                .measured = picture.change[1],
                .comparator = ">=",
                .threshold = 0.5,
                .control = fmt::format("another word: {:.2f}; weight on the word that came next: {:.2f}", picture.other,
                                       picture.weight[1])});
  lesson.check({.name = "loss of the folder opened again, difference",
                .measured = reopened,
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("untrained: {:.2f}", curves.series[0].y[0])});
  if (!lesson.quick())
    lesson.check({.name = "loss of the known words, two layers",
                  .measured = loss,
                  .comparator = "<=",
                  .threshold = 0.5,
                  .control = fmt::format("one layer: {:.2f}", one_layer)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_35); }
