// Lesson 09: from a matrix to one vector. A recurrent layer gives a vector for each symbol; a question has one answer.
//
//   1  the layer      both directions, layer upon layer: who hears whom
//   2  one vector     last, sum, mean, max, weighted: three words by hand
//   3  the contest    ten pairs are read, one key is asked
//   4  the padding    a mean that counts it, broken and mended
//   5  the dispute    one vector, or one for each question?
//
// B sequences, S symbols, N units in a direction, so that an annotation has 2 N numbers.
#include <fmt/format.h>

#include "tutorials/09_one_vector/contest.h"
#include "tutorials/09_one_vector/padding.h"
#include "tutorials/09_one_vector/pictures.h"
#include "tutorials/09_one_vector/train.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace onevector;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t hidden = 32, layers = 1, pairs = 10, steps = 1500;
  double rate = 0.005;
};

std::string percent(double value) { return fmt::format("{:.0f} %", value); }

// ---- 1  the layer ---------------------------------------------------------------------------------------------------
void the_layer(app::Lesson& lesson, const Knobs& k) {
  constexpr int64_t S = 8;
  heading("1  The layer: which symbols does an annotation hear?");
  report::TablePanel table{.title = "GRU layers over 8 symbols",
                           .text =
                               "Heard: from how many of the 8 symbols a gradient reaches the annotation of the first, "
                               "the fourth and the last symbol.",
                           .header = {"layer", "an annotation", "parameters", "heard by 1", "by 4", "by 8"}};
  for (auto [name, layers, both] :
       {std::tuple{"forward", 1, false}, {"both directions", 1, true}, {"both, two layers", 2, true}}) {
    Generator rng(lesson.seed());
    nn::GRU layer({.input = 16, .hidden = k.hidden, .layers = layers, .bidirectional = both}, rng);
    Tensor hears = hearing(layer, S, rng);
    table.rows.push_back({name, std::to_string(k.hidden * layer.directions()),
                          std::to_string(nn::count_parameters(layer)), std::to_string(heard_by(hears, 0)),
                          std::to_string(heard_by(hears, 3)), std::to_string(heard_by(hears, 7))});
    if (layers == 1)
      lesson.report().heat({.title = fmt::format("Who hears whom: {}", name),
                            .text = "Row t, column s: the size of d annotation t / d symbol s in a new layer.",
                            .row_title = "t",
                            .column_title = "s",
                            .rows = {"1", "2", "3", "4", "5", "6", "7", "8"},
                            .columns = {"1", "2", "3", "4", "5", "6", "7", "8"},
                            .matrix = app::matrix_of(hears)});
  }
  show(lesson, table);
}

// ---- 2  one vector --------------------------------------------------------------------------------------------------
void by_hand(app::Lesson& lesson) {
  heading("2  One vector: three words of two numbers and two places of padding");
  Variable x(Tensor::from(std::vector<double>{1, 0, 0, 2, 3, 1, 0, 0, 0, 0}, {1, 5, 2}));
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0}, {1, 5});
  report::TablePanel table{.title = "Three words, pooled",
                           .text = "The words are (1, 0), (0, 2), (3, 1); two places of padding follow.",
                           .header = {"pooling", "gives", "weights"}};
  for (const char* name : {"lasttoken", "sum", "mean", "weightedmean", "max"}) {
    std::string weights = "each entry by itself";
    if (std::string(name) != "max") {
      weights.clear();
      for (double w : nn::pooling_weights(name, words).to_vector()) weights += fmt::format("{:.2f} ", w);
      weights.pop_back();
    }
    Tensor y = nn::pool(name, x, words).value();
    table.rows.push_back({name, fmt::format("{:.2f} {:.2f}", y.at({0, 0}), y.at({0, 1})), weights});
  }
  Tensor y = mean(x, {1}).value();
  table.rows.push_back(
      {"mean of all places", fmt::format("{:.2f} {:.2f}", y.at({0, 0}), y.at({0, 1})), "0.20 0.20 0.20 0.20 0.20"});
  show(lesson, table);
}

// ---- 3  the contest -------------------------------------------------------------------------------------------------
// -> what naming the most frequent value gives with all pairs
double the_contest(app::Lesson& lesson, const Knobs& k, const std::vector<Entry>& entries) {
  heading(fmt::format("3  The contest: 1 to {} pairs are read, one key is asked; a guess is right in 10 %", k.pairs));
  report::TablePanel table{
      .title = "How often is the value named?",
      .text =
          "By the number of pairs. All get the question beside the pooled vector. `question first`: "
          "the layer reads it before the pairs, too. `asked`: the pooling gets it. The last row "
          "has learned nothing: it names the value that occurs most often.",
      .header = {"pooling", "parameters"}};
  std::vector<int64_t> shown;
  for (int64_t pairs : {1, 2, 4, 7, 10})
    if (pairs < k.pairs) shown.push_back(pairs);
  shown.push_back(k.pairs);
  for (int64_t pairs : shown) table.header.push_back(std::to_string(pairs));
  report::CurvesPanel curves{.title = "The value of one key, by the number of pairs",
                             .text = "500 new sequences each. A guess is right in 10 %.",
                             .x_label = "pairs",
                             .y_label = "named, in %"},
      losses{.title = "Loss in training",
             .text = "On the plateau it is known which values occur, but not which key they belong to.",
             .x_label = "step",
             .y_label = "loss, mean of 50 batches"};
  auto add = [&](const std::string& name, const std::string& parameters, const std::vector<double>& right) {
    table.rows.push_back({name, parameters});
    for (int64_t pairs : shown) table.rows.back().push_back(percent(right[static_cast<size_t>(pairs - 1)]));
    curves.series.push_back({.name = name, .y = right});
  };
  for (const Entry& e : entries) {
    add(e.outcome.name, std::to_string(e.outcome.parameters), e.outcome.right);
    report::Series series{.name = e.outcome.name};
    for (size_t i = 0; i + 50 <= e.outcome.losses.size(); i += 50) {
      double total = 0;
      for (size_t j = i; j < i + 50; ++j) total += e.outcome.losses[j] / 50;
      series.y.push_back(total), series.x.push_back(static_cast<double>(i + 50));
    }
    losses.series.push_back(series);
  }
  std::vector<double> frequent;
  for (int64_t pairs = 1; pairs <= k.pairs; ++pairs) {
    data::QueryTask task = pairs_task(pairs, pairs, 0, lesson.seed());
    frequent.push_back(most_frequent(task.test, task.values));
  }
  add("most frequent value", "0", frequent);
  show(lesson, table);
  lesson.report().curves(curves);
  lesson.report().curves(losses);
  return frequent.back();
}

// ---- 4  the padding -------------------------------------------------------------------------------------------------
struct Padded {
  int64_t differing = 0;                  // logits whose bits changed, all poolings
  double answers = 0, right[2] = {0, 0};  // the mean that counts: answers changed, %; right alone, and padded
};

Padded the_padding(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  heading("4  The padding: 500 sequences as they are, and with as much padding again behind them");
  data::QueryTask task = pairs_task(1, k.pairs, 0, lesson.seed());
  report::TablePanel table{.title = "Does padding change the answer?",
                           .text =
                               "Each of 500 sequences is read alone, and in one batch with the others, padded to twice "
                               "the longest. How many of the 5000 logits differ in a bit, the largest difference, how "
                               "many answers change; how many are right alone, and padded. The last two rows are the "
                               "trained mean with a fault: it divides by all places, or its backward direction starts "
                               "in the padding.",
                           .header = {"pooling", "bits", "largest", "answers", "alone", "padded"}};
  Padded out;
  auto row = [&](const std::string& name, const Reader& reader, Fault fault) {
    Comparison c = compare_padding(reader, task, fault);
    table.rows.push_back({name, std::to_string(c.differing), fmt::format("{:.2g}", c.largest), percent(c.answers),
                          percent(c.right_alone), percent(c.right_padded)});
    return c;
  };
  for (const Entry& e : entries) out.differing += row(e.outcome.name, e.reader, Fault::none).differing;
  Reader& trained = find(entries, "mean").reader;
  trained.options.pooling = "all_positions";
  Comparison broken = row("mean of all places", trained, Fault::none);
  trained.options.pooling = "mean";
  row("mean, reads the padding", trained, Fault::no_lengths);
  out.answers = broken.answers, out.right[0] = broken.right_alone, out.right[1] = broken.right_padded;
  show(lesson, table);
  return out;
}

// ---- 5  the dispute -------------------------------------------------------------------------------------------------
void the_dispute(app::Lesson& lesson, const Knobs& k, std::vector<Entry>& entries) {
  data::QueryTask task = pairs_task(k.pairs, k.pairs, 0, lesson.seed());
  const data::QueryExample& example = task.test[0];
  heading(fmt::format("5  The dispute: one sequence, each of its {} keys asked", k.pairs));
  fmt::print("   attention with a question of its own: one vector for the sequence\n\n");
  draw_looks(lesson, "One vector for the sequence",
             "Attention with a learned question. Whatever is asked later, the weights are the same: one vector must "
             "serve all questions.",
             looks(find(entries, "attention").reader, task, example), task, example);
  fmt::print("\n   attention asked by the key: one vector for each question\n\n");
  draw_looks(lesson, "One vector for each question",
             "The same sequence, and attention that is asked with the key. Each question gets a vector of its own: "
             "mostly the annotation of the value that stands beside its key.",
             looks(find(entries, "attention, asked").reader, task, example), task, example);
  fmt::print(
      "\n   steps of the layer for all {} questions: {} with the question first, {} with attention that is asked\n",
      k.pairs, k.pairs * (2 * k.pairs + 1), 2 * k.pairs);
}

int lesson_09(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("09_one_vector", "From a matrix to one vector: pooling, padding, and a question");
  lesson.knob("hidden", &k.hidden, "units of the GRU in each direction").between(4, 256);
  lesson.knob("layers", &k.layers, "its layers").between(1, 4);
  lesson.knob("pairs", &k.pairs, "the largest number of pairs").between(2, 20);
  lesson.knob("steps", &k.steps, "steps of training").between(50, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"Ten keys with their values are read, and the mean of all states is kept. Then a key is asked, and "
       "a trained network names its value from the mean. One of ten values is right. How often is it?",
       {"in about 10 %: no better than a guess", "in about 25 %", "in about 90 %"},
       2,
       "The mean says which values occurred, and the most frequent one is right in about 25 %. It does "
       "not say which key stood beside which value."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 600);
  lesson.report().text("What this page shows",
                       "A recurrent layer turns a sequence into a matrix: one vector for each symbol. A classifier "
                       "wants one vector. The usual ways to get it, last, mean, max, and attention with a question of "
                       "its own, decide what is kept before they know what will be asked. Ten pairs of a key and a "
                       "value are read; then one key is asked.");
  the_layer(lesson, k);
  by_hand(lesson);
  std::vector<Entry> entries = hold_contest({.hidden = k.hidden, .layers = k.layers},
                                            {.steps = k.steps, .pairs = k.pairs, .rate = k.rate, .seed = lesson.seed()},
                                            lesson.quick() ? Entrants::few : Entrants::all);
  double frequent = the_contest(lesson, k, entries);
  Padded padded = the_padding(lesson, k, entries);
  the_dispute(lesson, k, entries);

  heading("Claims");
  auto right = [&](const char* name) { return find(entries, name).outcome.right.back(); };
  lesson.claim({.name = fmt::format("attention, asked by the key: named with {} pairs, in %", k.pairs),
                .measured = right("attention, asked"),
                .comparator = ">=",
                .threshold = 95,
                .control = fmt::format("attention with a question of its own: {:.0f}", right("attention"))});
  lesson.claim({.name = fmt::format("mean, with the question beside it: named with {} pairs, in %", k.pairs),
                .measured = right("mean"),
                .comparator = "<=",
                .threshold = 40,
                .control = fmt::format("with 1 pair: {:.0f}; the most frequent value: {:.0f}",
                                       find(entries, "mean").outcome.right[0], frequent)});
  if (!lesson.quick())
    lesson.check({.name = fmt::format("last state, the question read first: named with {} pairs, in %", k.pairs),
                  .measured = right("last, question first"),
                  .comparator = ">=",
                  .threshold = 90,
                  .control = fmt::format("the question afterwards: {:.0f}", right("last"))});
  lesson.claim({.name = "logits that change a bit when padding is added, all poolings",
                .measured = static_cast<double>(padded.differing),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("a mean of all places: {:.0f} % of the answers change", padded.answers)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_09); }
